"""Commands that manage the people who sign in with a password."""

from __future__ import annotations

import re
from typing import Any

import pytest
from click.testing import Result
from flask import Flask

import app as twindow
from core.settings import SettingsError
from tests.accounts.passwords import PASSWORD
from tests.support.clock import AdjustableClock
from tests.support.person import Person
from web.container import Portal


@pytest.fixture
def settings(settings: dict[str, Any]) -> dict[str, Any]:
    """Let people sign in with a password."""
    return settings | {"sign_in": "password", "public_url": "https://chat.example"}


def run(app: Flask, *arguments: str) -> Result:
    return app.test_cli_runner().invoke(args=["twindow", "person", *arguments])


def test_add_command_prints_the_one_time_link_as_its_last_line(app: Flask, alice: Person):
    result = run(app, "add", "Anna", "--admin")
    url = result.output.splitlines()[-1]

    assert result.exit_code == 0
    assert re.fullmatch(r"https://chat\.example/session/links/[\w-]{32}", url)
    path = url.removeprefix("https://chat.example")
    assert alice.press(alice.get(path), "Save", password=PASSWORD).path == "/"
    assert run(app, "list").output == "Anna\tadmin\n"


def test_reset_command_replaces_the_password_by_a_link(app: Flask, portal: Portal):
    accounts = portal.accounts
    accounts.use_link(accounts.create_link(accounts.people.add("Anna")), PASSWORD, "")
    result = run(app, "reset", "anna")

    assert "/session/links/" in result.output.splitlines()[-1]
    assert run(app, "list").output == "Anna\tno password yet\n"


def test_commands_that_change_people_write_a_log_line_to_stderr(app: Flask):
    commands = ["add"], ["disable"], ["enable"], ["admin"], ["groups", "--add", "sales"], ["reset"]
    lines = [run(app, command[0], "Anna", *command[1:]).stderr for command in commands]

    assert [line.partition("[INFO] ")[2] for line in lines] == [
        "The operator has added “Anna”.\n",
        "The operator has disabled “Anna”.\n",
        "The operator has enabled “Anna”.\n",
        "The operator has made “Anna” an administrator.\n",
        "The operator has changed the groups of “Anna” to: sales.\n",
        "The operator has deleted the password of “Anna”.\n",
    ]


def test_disable_enable_and_admin_commands_change_a_person(app: Flask):
    run(app, "add", "Anna")
    listed = []
    for command in (["disable"], ["enable"], ["admin"], ["admin", "--revoke"]):
        assert run(app, command[0], "Anna", *command[1:]).exit_code == 0
        listed.append(run(app, "list").output)

    assert listed == [
        "Anna\tdisabled, no password yet\n",
        "Anna\tno password yet\n",
        "Anna\tadmin, no password yet\n",
        "Anna\tno password yet\n",
    ]


class TestProxy:
    """A portal where only a proxy signs people in."""

    @pytest.fixture
    def settings(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Let a proxy sign people in."""
        proxy = {"proxy_user_header": "X-Remote-User", "proxy_networks": "127.0.0.1"}
        return settings | {"sign_in": "proxy"} | proxy

    def test_people_of_the_proxy_are_listed_and_disabled_but_have_no_password(
        self, app: Flask, alice: Person
    ):
        alice.get("/", **{"X-Remote-User": "anna"})

        assert run(app, "disable", "proxy:anna").exit_code == 0
        assert run(app, "list").output == "proxy:anna\tdisabled\n"
        assert "has no password" in run(app, "reset", "proxy:anna").stderr
        assert "set TWINDOW_SIGN_IN=password" in run(app, "add", "Ben").stderr


def test_groups_command_adds_removes_and_prints_groups(app: Flask):
    run(app, "add", "Anna")
    run(app, "groups", "Anna", "--add", "staff", "--add", "sales")
    result = run(app, "groups", "Anna", "--add", "legal", "--remove", "sales")

    assert result.stdout == "legal\nstaff\n"
    assert run(app, "groups", "Anna").output == "legal\nstaff\n"
    assert run(app, "list").output == "Anna\tno password yet, groups: legal staff\n"
    assert run(app, "groups", "Anna", "--add", "x" * 101).exit_code == 1


def test_link_command_requires_the_proxy_sign_in_mode(app: Flask):
    run(app, "add", "Anna")

    assert "set TWINDOW_SIGN_IN=password,proxy" in run(app, "link", "Anna").stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["add", " "],
            "A name has 1 to 100 printable characters, and does not begin with “proxy:” or “key:”.",
        ),
        (["add", "Anna"], "Anna exists already."),
        (
            ["disable", "Nobody"],
            "There is no Nobody. See “person list”; other people are written proxy:NAME or key:ID.",
        ),
    ],
)
def test_command_with_a_wrong_name_fails_with_one_sentence(
    app: Flask, arguments: list[str], sentence: str
):
    run(app, "add", "anna")
    result = run(app, *arguments)

    assert (result.exit_code, result.stderr) == (1, f"Error: {sentence}\n")


@pytest.mark.usefixtures("app")
class TestMissingSetting:
    """A portal without TWINDOW_SIGN_IN."""

    def test_portal_with_people_does_not_start_without_a_sign_in_setting(
        self, portal: Portal, settings: dict[str, Any], clock: AdjustableClock
    ):
        portal.accounts.people.add("Anna")

        with pytest.raises(
            SettingsError, match="TWINDOW_SIGN_IN is not set, but people have signed in"
        ):
            twindow.create_app(settings | {"sign_in": ""}, clock=clock)


class TestPasswordsOff:
    """A portal for visitors."""

    @pytest.fixture
    def settings(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Allow visitors only."""
        return settings | {"sign_in": "visitor"}

    def test_add_command_requires_the_password_sign_in_mode(self, app: Flask, portal: Portal):
        result = run(app, "add", "Anna")

        assert result.exit_code == 1
        assert "set TWINDOW_SIGN_IN=password" in result.stderr
        assert not portal.accounts.people.exist()
