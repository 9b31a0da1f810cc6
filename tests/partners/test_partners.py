"""Two services of other stacks, as their authors would write them from the interface document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask

from tests.partners.express_service import run_express
from tests.partners.fastapi_service import run_fastapi
from tests.partners.partner import (
    FULL_KEY,
    LIMIT_SENTENCE,
    READ_KEY,
    SCOPE_SENTENCE,
    TWIN_COUNT,
    WORDS,
    Partner,
    RunPartner,
)
from tests.support.person import Page, Person, wait_for_reply

PARTNERS: dict[str, RunPartner] = {"fastapi": run_fastapi, "express": run_express}
TWIN = {"fastapi": "twin-5", "express": "5"}
REPLY = "".join(WORDS)


@pytest.fixture(params=["fastapi", pytest.param("express", marks=pytest.mark.nightly)])
def stack(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def partner(stack: str) -> Iterator[Partner]:
    with PARTNERS[stack]() as partner:
        yield partner


@pytest.fixture
def api_key() -> str:
    return FULL_KEY


@pytest.fixture
def settings(settings: dict[str, Any], partner: Partner, api_key: str) -> dict[str, Any]:
    return settings | {"api_url": partner.url, "api_key": api_key}


@pytest.fixture
def twin(stack: str) -> str:
    return TWIN[stack]


def last_reply(page: Page) -> str:
    return " ".join(page.turns[-1].select_one(".turn__reply").get_text(" ").split())


def sent(partner: Partner, method: str) -> list[str]:
    return [path for sent_method, path in partner.state.requests if sent_method == method]


def test_reply_is_shown_while_it_is_written_and_nothing_undocumented_is_requested(
    alice: Person, partner: Partner, twin: str
):
    page = alice.start_conversation("Wait", twin)
    with alice.follow(str(page.turns[0]["data-turn"])) as stream:
        stream.read_until("from the other")
        partner.state.go_on.set()
        stream.remaining_events()
        assert stream.text == REPLY
    page = alice.get(page.path)

    assert (page.reply_states, last_reply(page)) == (["complete"], REPLY)
    assert "Twin 5" in page.text
    assert sent(partner, "DELETE") == []
    assert sent(partner, "POST")[0] == "/api/v1/conversations"
    assert len(sent(partner, "POST")) == 2
    assert set(sent(partner, "GET")) <= {"/api/v1/twins", f"/api/v1/twins/{twin}"}


def test_stop_keeps_the_text_and_deletes_nothing(alice: Person, partner: Partner, twin: str):
    page = alice.start_conversation("Wait", twin)
    with alice.follow(str(page.turns[0]["data-turn"])) as stream:
        stream.read_until("from the other")
        page = alice.press(alice.get(page.path), "Stop")
    partner.state.go_on.set()

    assert page.reply_states == ["stopped"]
    assert last_reply(page) == "Hello from the other"
    assert sent(partner, "DELETE") == []
    assert len(partner.state.conversations) == 1


def test_retry_after_a_broken_connection_sends_the_message_again_with_the_same_key(
    alice: Person, partner: Partner, twin: str
):
    page = wait_for_reply(alice, alice.start_conversation("Break off", twin))
    assert (page.reply_states, last_reply(page)) == (["interrupted"], "Hello from")

    page = wait_for_reply(alice, alice.press(page, "Try again"))

    assert (page.reply_states[-1], last_reply(page)) == ("complete", REPLY)
    assert len(partner.state.keys) == 2
    assert len(set(partner.state.keys)) == 1


def test_conversation_goes_on_after_a_restart_or_a_new_one_is_offered(
    alice: Person, partner: Partner, twin: str, stack: str
):
    page = wait_for_reply(alice, alice.start_conversation("Hello", twin))
    partner.restart()

    page = wait_for_reply(alice, alice.press(page, "Send", content="Still there?"))

    if stack == "express":
        assert page.reply_states == ["complete"] * 2
        return
    assert "This conversation no longer exists in the twin service." in page.text
    page = alice.press(page, "Start a new conversation with this text")
    assert wait_for_reply(alice, page).reply_states == ["complete"]


def test_limit_of_the_service_is_named_and_its_reason_logged(
    alice: Person, twin: str, caplog: pytest.LogCaptureFixture
):
    page = wait_for_reply(alice, alice.start_conversation("Limit", twin))

    assert page.reply_states == ["failed"]
    assert "The twin service has received too many requests." in page.text
    assert "Try again in 2 minutes" in page.text
    assert f"rate_limited (status 429): {LIMIT_SENTENCE}" in caplog.text


def test_invalid_message_is_refused_with_the_reason(alice: Person, twin: str):
    page = wait_for_reply(alice, alice.start_conversation("long " * 500, twin))

    assert page.reply_states == ["failed"]
    assert "The twin service didn't accept the message:" in page.text
    assert "2000 characters" in page.text


@pytest.mark.parametrize("api_key", [READ_KEY])
def test_read_only_key_lists_twins_and_its_reason_is_logged_and_checked(
    alice: Person, app: Flask, twin: str, caplog: pytest.LogCaptureFixture
):
    page = wait_for_reply(alice, alice.start_conversation("Hello", twin))
    result = app.test_cli_runner().invoke(args=["twindow", "check"])

    assert "You can't send messages to this twin (access denied)." in page.text
    assert f"forbidden (status 403): {SCOPE_SENTENCE}" in caplog.text
    assert result.exit_code == 1
    assert f"it may be read-only. Status 403: {SCOPE_SENTENCE}." in result.stderr


def test_check_command_finds_no_problem(app: Flask, partner: Partner):
    result = app.test_cli_runner().invoke(args=["twindow", "check"])

    assert result.exit_code == 0
    assert f"The service responds with {TWIN_COUNT} twins." in result.stdout
    assert "s; pieces: 4." in result.stdout
    assert sent(partner, "DELETE") == []
