"""The API keys of the portal belong to a reserved owner that no token can claim."""

from __future__ import annotations

import pytest
from flask import Flask

from service.access import ReservedName
from service.container import Container
from service.owners import PORTAL_OWNER


def test_token_cannot_claim_a_reserved_owner(container: Container):
    for sub in ("portal", PORTAL_OWNER):
        with pytest.raises(ReservedName):
            container.jwt_tokens.sign(sub)
    for sub in ("Portal", "portals", "group:portal"):
        assert container.jwt_tokens.verify(container.jwt_tokens.sign(sub)).sub == sub


def test_commands_create_keys_but_no_tokens_of_the_portal(service: Flask, container: Container):
    runner = service.test_cli_runner()
    refused = runner.invoke(args=["twindow", "token", "--sub", "portal"])
    command = ["twindow", "key", "--sub", "portal", "--name", "Our portal"]
    secret = runner.invoke(args=command).stdout.strip()

    key = container.api_keys.find_by_secret(secret)
    assert key is not None
    assert key.sub == PORTAL_OWNER
    assert (refused.exit_code, "reserved" in refused.output) == (1, True)
