"""Commands that manage the people who sign in with a password."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from flask import Flask
from sqlalchemy import select, true

from tests.support.cases import failures
from tests.support.clock import AdjustableClock
from tests.support.conversation_list import listed_titles
from tests.support.passwords import FAST_HASHER, PASSWORD
from tests.support.person import Person
from tests.support.portals import close_portal
from tests.support.upstream import Upstream
from twindow import application
from twindow.accounts import Person as AccountOfPerson
from twindow.accounts import PersonNotFound
from twindow.accounts.schema import people
from twindow.chat.schema import conversations, counters
from twindow.core.settings import SettingsError
from twindow.web.commands.merge import merge_people
from twindow.web.container import Portal

# Let people sign in with a password.
pytestmark = pytest.mark.settings(sign_in="password", public_url="https://chat.example")


def run(app: Flask, *arguments: str) -> Result:
    return app.test_cli_runner().invoke(args=["twindow", "person", *arguments])


def add_with_password(portal: Portal, name: str) -> AccountOfPerson:
    accounts = portal.accounts
    accounts.passwords.hasher = FAST_HASHER
    person = accounts.people.add(name)
    accounts.use_link(accounts.create_link(person), PASSWORD, "")
    return person


def test_add_command_prints_the_one_time_link_as_its_last_line(app: Flask, alice: Person):
    result = run(app, "add", "Anna")
    url = result.output.splitlines()[-1]

    assert result.exit_code == 0
    assert re.fullmatch(r"https://chat\.example/session/links/[\w-]{32}", url)
    path = url.removeprefix("https://chat.example")
    assert alice.press(alice.get(path), "Save", password=PASSWORD).path == "/"
    assert run(app, "list").output.startswith("Anna\tlast sign-in: ")


def test_reset_command_replaces_the_password_by_a_link(
    app: Flask, portal: Portal, clock: AdjustableClock
):
    add_with_password(portal, "Anna")
    day = datetime.fromtimestamp(clock.time(), UTC).strftime("%Y-%m-%d")
    assert run(app, "list").output == f"Anna\tlast sign-in: {day}\n"

    result = run(app, "reset", "anna")

    assert "/session/links/" in result.output.splitlines()[-1]
    assert run(app, "list").output == f"Anna\tno password yet, last sign-in: {day}\n"


# Cases: a command about Anna, its log line, and the list of people afterwards.
COMMANDS = [
    (["add", "Anna"], "added “Anna”", "no password yet"),
    (["disable", "Anna"], "disabled “Anna”", "disabled, no password yet"),
    (["enable", "Anna"], "enabled “Anna”", "no password yet"),
    (
        ["groups", "Anna", "--add", "staff", "--add", "sales"],
        "changed the groups of “Anna” to: sales, staff",
        "no password yet, groups: sales staff",
    ),
    (
        ["groups", "Anna", "--add", "legal", "--remove", "sales"],
        "changed the groups of “Anna” to: legal, staff",
        "no password yet, groups: legal staff",
    ),
    (
        ["reset", "Anna"],
        "deleted the password of “Anna”",
        "no password yet, groups: legal staff",
    ),
]


def test_commands_change_people_and_write_a_log_line_to_stderr(app: Flask):
    for command, log_line, listed in COMMANDS:
        result = run(app, *command)
        assert result.exit_code == 0
        assert result.stderr.endswith(f"[INFO] The operator has {log_line}.\n"), result.stderr
        assert run(app, "list").output == f"Anna\t{listed}\n"

    assert run(app, "groups", "Anna").output == "legal\nstaff\n"
    assert run(app, "groups", "Anna", "--add", "x" * 101).exit_code == 1


@pytest.mark.settings(
    sign_in="proxy", proxy_user_header="X-Remote-User", proxy_networks="127.0.0.1"
)
class TestProxy:
    """A portal where only a proxy signs people in."""

    def test_people_of_the_proxy_are_listed_and_disabled_but_have_no_password(
        self, app: Flask, alice: Person
    ):
        alice.get("/", **{"X-Remote-User": "anna"})

        assert run(app, "disable", "proxy:anna").exit_code == 0
        assert "proxy:anna\tdisabled, last sign-in: 20" in run(app, "list").output
        assert "has no password" in run(app, "reset", "proxy:anna").stderr
        assert "set TWINDOW_SIGN_IN=password" in run(app, "add", "Ben").stderr

    def test_groups_of_a_person_apply_from_their_first_visit(self, app: Flask, portal: Portal):
        result = run(app, "groups", "proxy:anna", "--add", "staff")

        assert result.stdout == "staff\n"
        assert "has not signed in yet" in result.stderr
        assert portal.accounts.people.find_or_add("proxy", "anna", "anna").groups == ("staff",)
        assert "There is no proxy:ben." in run(app, "groups", "proxy:ben").stderr
        assert run(app, "groups", "proxy:a,b", "--add", "staff").exit_code == 1

    @pytest.mark.parametrize("is_known", [True, False])
    def test_groups_that_the_proxy_names_cannot_be_changed(
        self, settings: dict[str, Any], portal: Portal, *, is_known: bool
    ):
        if is_known:
            portal.accounts.people.find_or_add("proxy", "anna", "anna")
        app = application.create_app(settings | {"proxy_groups_header": "X-Groups"})
        result = run(app, "groups", "proxy:anna", "--add", "staff")
        close_portal(app)

        assert "TWINDOW_PROXY_GROUPS_HEADER names" in result.stderr
        assert run(app, "list").output.startswith("proxy:anna") is is_known

    def test_rename_command_follows_a_new_name_at_the_proxy(self, app: Flask, portal: Portal):
        people = portal.accounts.people
        anna = people.find_or_add("proxy", "anna", "anna")
        people.find_or_add("proxy", "ben", "ben")

        assert run(app, "rename", "proxy:anna", "proxy:anna.berg").exit_code == 0
        person = people.find_or_add("proxy", "anna.berg", "anna.berg")
        assert (person.id, person.name) == (anna.id, "anna.berg")
        taken = run(app, "rename", "proxy:ben", "proxy:anna.berg")
        assert taken.stderr == "Error: proxy:anna.berg exists already.\n"
        assert "is written proxy:NAME" in run(app, "rename", "proxy:ben", "Ben").stderr


def test_rename_command_leaves_names_of_the_provider_alone(app: Flask, portal: Portal):
    portal.accounts.people.find_or_add("https://id.example", "anna-1", "Anna")

    assert "The provider names this person" in run(app, "rename", "oidc:anna-1", "Ann").stderr


def test_rename_command_keeps_the_person_and_the_password(app: Flask, portal: Portal):
    anna = add_with_password(portal, "Anna")

    assert run(app, "rename", "anna", "Anna  Berg").stdout == "anna is now Anna Berg.\n"
    assert portal.accounts.sign_in("Anna Berg", PASSWORD, "", "").person_id == anna.id
    assert "There is no Anna." in run(app, "rename", "Anna", "Ann").stderr
    assert run(app, "rename", "anna berg", "Anna Berg").exit_code == 0


@pytest.mark.parametrize("separator", [",", ";"])
def test_add_command_adds_the_people_in_a_file_and_prints_their_links(
    app: Flask, alice: Person, tmp_path: Path, separator: str
):
    file = tmp_path / "people.csv"
    lines = ["name,groups", "Anna,", '"Ben","staff;sales"']
    file.write_text("\ufeff" + "\r\n".join(lines).replace(",", separator) + "\r\n\r\n")

    result = run(app, "add", "--from", str(file))
    links = [line.split("\t") for line in result.stdout.splitlines()[1:]]

    assert [name for name, _ in links] == ["Anna", "Ben"]
    assert run(app, "list").output == (
        "Anna\tno password yet\nBen\tno password yet, groups: sales staff\n"
    )
    path = links[1][1].removeprefix("https://chat.example")
    assert alice.press(alice.get(path), "Save", password=PASSWORD).path == "/"


# Cases: a file of people, and the sentence about its wrong line.
WRONG_FILES = [
    (b"name\nBen\nAnna\n", "line 3: Anna exists already."),
    (b"name\nBen\n\nBEN\n", "line 4: BEN exists already."),
    (b"name\nBen\nproxy:x\n", "line 3: A name has 1 to 100 printable characters"),
    (b"name\nBen,no\n", "line 2: The line has more values than the header."),
    (b"name,groups\nBen,a\x07b\n", "line 2: “a\x07b” is not a name of a group."),
    (b"name\nBen\nGr\xfc\xdfe\n", "line 3: The text is not UTF-8."),
    (b"Ben,staff\n", "line 1: The first line has to name the columns: name and groups."),
    (b'name\n"Ben', "line 2: unexpected end of data."),
    (b"name\n", "people.csv lists nobody."),
    (b"", "line 1: The first line has to name the columns"),
]


def test_add_command_adds_nobody_if_a_line_of_the_file_is_wrong(app: Flask, tmp_path: Path):
    run(app, "add", "Anna")
    file = tmp_path / "people.csv"

    def check(case: tuple[bytes, str]) -> None:
        content, sentence = case
        file.write_bytes(content)
        result = run(app, "add", "--from", str(file))
        assert result.exit_code == 1
        assert sentence in result.stderr
        assert run(app, "list").output == "Anna\tno password yet\n"

    assert failures(check, {repr(case[0]): case for case in WRONG_FILES}) == {}


# Cases: the lines of a file of pairs, and the sentence about the wrong one.
WRONG_PAIRS = [
    ("Anna,Anna", "Anna into Anna: a person who is merged must not be named again"),
    ("Anna,Ben\nAnna,Carl", "Anna into Ben: a person who is merged must not be named again"),
    ("Anna,Ben\nBen,Carl", "Anna into Ben: a person who is merged must not be named again"),
    ("Anna,Ben\nCarl,Dora", "There is no Dora."),
    ("Anna,Ben\nCarl", "pairs.csv, line 3: The line has no into."),
    ("Anna,Ben\nCarl,Zoe", "Zoe is disabled. Enable them first."),
]


@pytest.mark.settings(
    sign_in="password,proxy", proxy_user_header="X-Remote-User", proxy_networks="127.0.0.1"
)
class TestMerge:
    """Anna has a password, a name at the proxy and another person's conversations."""

    @pytest.fixture
    def meier(self, alice: Person) -> Person:
        """Return a person whom the proxy calls a.meier, with a running reply."""
        alice.session.headers["X-Remote-User"] = "a.meier"
        alice.start_conversation("Why is the sky blue?")
        return alice

    @pytest.mark.parametrize("from_file", [False, True])
    def test_person_gets_conversations_and_names_of_another_who_is_deleted(
        self, app: Flask, portal: Portal, meier: Person, tmp_path: Path, *, from_file: bool
    ):
        run(app, "add", "Anna")
        file = tmp_path / "pairs.csv"
        file.write_text("name;into\nproxy:a.meier;Anna\n")
        arguments = ("--from", str(file)) if from_file else ("proxy:a.meier", "Anna")

        result = run(app, "merge", *arguments, "--yes")

        assert result.exit_code == 0, result.stderr
        assert "proxy:a.meier into Anna, conversations: 1\n" in result.output
        assert "has merged “proxy:a.meier” into “Anna”" in result.stderr
        assert [person.name for person in portal.accounts.people.list_all()] == ["Anna"]
        listed = meier.get("/conversations")
        assert listed_titles(listed) == ["Why is the sky blue?"]
        [link] = listed.html.select("ul.rows li > a[href]")
        assert meier.get(str(link["href"])).reply_states == ["stopped"]

    @pytest.mark.usefixtures("meier")
    def test_account_ends_when_it_is_merged_into_a_name_at_the_proxy(
        self, app: Flask, portal: Portal
    ):
        run(app, "add", "Anna")

        run(app, "merge", "Anna", "proxy:a.meier", "--yes")

        assert [p.listed_name for p in portal.accounts.people.list_all()] == ["proxy:a.meier"]
        assert "There is no Anna." in run(app, "merge", "Anna", "proxy:a.meier").stderr

    def test_nobody_is_merged_into_a_person_who_was_deleted_meanwhile(
        self, portal: Portal, meier: Person
    ):
        people = portal.accounts.people
        pair = people.find("proxy:a.meier"), people.add("Anna")
        people.delete(pair[1])

        with pytest.raises(PersonNotFound):
            merge_people(portal, [pair])

        assert listed_titles(meier.get("/conversations")) == ["Why is the sky blue?"]

    @pytest.mark.parametrize("is_dry", [True, False])
    def test_merge_changes_nothing_in_a_dry_run_and_without_a_yes(
        self, app: Flask, portal: Portal, meier: Person, *, is_dry: bool
    ):
        run(app, "add", "Anna")

        result = run(app, "merge", "proxy:a.meier", "Anna", *["--dry-run"][: int(is_dry)])

        assert "proxy:a.meier into Anna, conversations: 1\n" in result.output
        assert result.exit_code == int(not is_dry)
        assert len(portal.accounts.people.list_all()) == 2
        assert listed_titles(meier.get("/conversations")) == ["Why is the sky blue?"]

    def test_nobody_is_merged_if_one_line_of_the_file_is_wrong(
        self, app: Flask, portal: Portal, tmp_path: Path
    ):
        for name in ("Anna", "Ben", "Carl", "Zoe"):
            portal.accounts.people.add(name)
        run(app, "disable", "Zoe")
        file = tmp_path / "pairs.csv"

        def check(case: tuple[str, str]) -> None:
            lines, sentence = case
            file.write_text(f"name,into\n{lines}\n")
            result = run(app, "merge", "--from", str(file), "--yes")
            assert (result.exit_code, sentence in result.stderr) == (1, True), result.stderr
            assert len(portal.accounts.people.list_all()) == 4

        assert failures(check, {case[0]: case for case in WRONG_PAIRS}) == {}
        assert run(app, "merge", "Anna", "--from", str(file), "--yes").exit_code == 2  # not both


UNSUITABLE = (
    "A name has 1 to 100 printable characters, and does not begin with “proxy:” or “oidc:”."
)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["add", " "], UNSUITABLE),
        (["add", "Anna"], "Anna exists already."),
        (["rename", "Anna", "ben"], "ben exists already."),
        (["rename", "Anna", "proxy:anna"], UNSUITABLE),
        (
            ["disable", "Nobody"],
            "There is no Nobody. See “person list”: others are written proxy:NAME or oidc:SUBJECT.",
        ),
    ],
)
def test_command_with_a_wrong_name_fails_with_one_sentence(
    app: Flask, portal: Portal, arguments: list[str], sentence: str
):
    for name in ("anna", "Ben"):
        portal.accounts.people.add(name)
    result = run(app, *arguments)

    assert (result.exit_code, result.stderr) == (1, f"Error: {sentence}\n")
    assert [person.name for person in portal.accounts.people.list_all()] == ["anna", "Ben"]


def test_portal_with_people_does_not_start_without_a_sign_in_setting(
    portal: Portal, settings: dict[str, Any], clock: AdjustableClock
):
    portal.accounts.people.add("Anna")

    with pytest.raises(SettingsError, match="TWINDOW_SIGN_IN is not set, but people have signed"):
        application.create_app(settings | {"sign_in": ""}, clock=clock)


@pytest.mark.settings(sign_in="visitor")
def test_add_command_requires_the_password_sign_in_mode(app: Flask, portal: Portal):
    result = run(app, "add", "Anna")

    assert result.exit_code == 1
    assert "set TWINDOW_SIGN_IN=password" in result.stderr
    assert not portal.accounts.people.exist()


def test_delete_command_deletes_the_person_and_their_conversations(
    app: Flask, portal: Portal, alice: Person, upstream: Upstream
):
    anna = portal.accounts.people.add("Anna")
    link = portal.accounts.create_link(anna)
    alice.press(alice.get(f"/session/links/{link}"), "Save", password=PASSWORD)
    alice.start_conversation("Hello")
    upstream.reply("Hi")

    assert "Aborted!" in run(app, "delete", "Anna").output
    result = run(app, "delete", "Anna", "--yes")

    assert result.stdout == "Anna is deleted. Logs and backups keep what they have.\n"
    assert run(app, "list").output == ""
    with portal.database.read() as connection:
        for table in (conversations, people, counters):
            condition = table.c.scope == "person" if table is counters else true()
            assert connection.execute(select(table).where(condition)).all() == []
