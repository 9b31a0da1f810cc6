"""The API keys of the portal belong to a reserved owner that no token can claim."""

from __future__ import annotations

import pytest
from flask import Flask

from service.access import ReservedName
from service.container import Container
from service.owners import PORTAL_OWNER
from service.twins.parser import parse


def test_token_cannot_claim_a_reserved_owner(container: Container):
    for sub in ("portal", PORTAL_OWNER):
        with pytest.raises(ReservedName):
            container.jwt_tokens.sign(sub)
    for sub in ("Portal", "portals", "group:portal"):
        assert container.jwt_tokens.verify(container.jwt_tokens.sign(sub)).sub == sub


def test_token_command_refuses_the_name_of_the_portal(service: Flask):
    command = ["twindow", "token", "--sub", "portal"]
    result = service.test_cli_runner().invoke(args=command)

    assert result.exit_code == 1
    assert "reserved" in result.output


def test_key_command_creates_keys_of_the_portal(service: Flask, container: Container):
    command = ["twindow", "key", "--sub", "portal", "--name", "Our portal"]
    secret = service.test_cli_runner().invoke(args=command).stdout.strip()

    key = container.api_keys.find_by_secret(secret)
    assert key is not None
    assert key.sub == PORTAL_OWNER


def test_access_list_entry_portal_admits_the_portal_but_no_person_of_that_name():
    ada = parse("ada", "---\nname: Ada\naccess: [portal]\n---\n", 1.0)

    assert ada.is_visible_to(PORTAL_OWNER, frozenset())
    assert not ada.is_visible_to("portal", frozenset())
