"""A data folder of revision 62d9f28 keeps working: conversations, cookies, the embedded service.

`tests/data` has what that revision stored, and what it displayed.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import requests
from bs4 import Tag

import app as twindow
from core.settings import load_settings
from tests.chat.conftest import advance_until_workers_are_stale
from tests.faults.conftest import text_in
from tests.support.clock import AdjustableClock
from tests.support.person import Person, wait_for_reply
from tests.support.portals import close_portal, serve
from tests.support.processes import free_port
from tests.support.upstream import UPSTREAM_KEY, Upstream
from web.container import Portal

DATA = Path(__file__).parent / "data"
REVISION = "revision_62d9f28"
COOKIE = "twindow"
NOT_SENT = {"Your message was not sent.": "Your message wasn't sent."}
SENTENCES = NOT_SENT | {
    "You stopped this reply.": "Stopped.",
    "This reply was cut off: it is as long as a reply may be here. Ask for the rest.": (
        "This reply reached the length limit. Ask the twin to continue."
    ),
    "The reply was cut off, because Twindow is being restarted. What came so far is kept.": (
        "The reply was interrupted because the server is restarting. "
        "The text so far has been saved."
    ),
    "The reply was cut off, because Twindow was restarted. What came so far is kept.": (
        "The reply was interrupted by a restart. The text so far has been saved."
    ),
    "The reply was cut off. What came so far is kept.": (
        "The reply was interrupted. The text so far has been saved."
    ),
    "The service was quiet for too long, so the reply was given up. What came so far is kept.": (
        "The reply timed out. The text so far has been saved."
    ),
    "Your message is too long for the model that answers here. Try a shorter one.": (
        "Your message is too long for this model. Try a shorter one."
    ),
    "This conversation, or its twin, is no longer there at the service. What was said here is "
    "kept.": (
        "This conversation or its twin no longer exists in the twin service. "
        "Your messages are still saved here."
    ),
    "The service reported an error without details.": (
        "The twin service reported an error without details."
    ),
    "The service reported an error:": "The twin service reported an error:",
    "The service cannot be reached.": "The twin service can't be reached.",
    "The service closed the connection without an answer.": (
        "The twin service closed the connection without responding."
    ),
    "The portal's access to the service was refused. Please tell the operator.": (
        "We can't connect to the twin service (access denied). Please contact your administrator."
    ),
    "The portal's key may only read. Please tell the operator.": (
        "You can't send messages to this twin (access denied). Please contact your administrator."
    ),
    "Another reply is in progress in this conversation. Wait a moment, then try again.": (
        "Another reply is in progress in this conversation. Please wait a moment and try again."
    ),
    "The service did not accept the message: At most 100 characters.": (
        "The twin service didn't accept the message: At most 100 characters."
    ),
    "The service did not accept the message: No poems please.": (
        "The twin service didn't accept the message: No poems please."
    ),
    "The service did not accept the message.": "The twin service didn't accept the message.",
    "The service has had too many requests for now.": (
        "The twin service has received too many requests."
    ),
    "The service has a problem at the moment.": "The twin service has a problem right now.",
    "The service gave an unexpected answer. Please tell the operator.": (
        "The twin service sent an unexpected response. Please contact your administrator."
    ),
}


def restore(folder: Path, kind: str) -> dict[str, Any]:
    """Write the databases and secrets of the revision, and return its recorded data."""
    folder.mkdir(mode=0o700)
    for dump in DATA.glob(f"{REVISION}_{kind}_*.sql"):
        name = dump.stem.rpartition("_")[2]
        with closing(sqlite3.connect(folder / f"{name}.db")) as database:
            database.executescript(dump.read_text())
    known: dict[str, Any] = json.loads((DATA / f"{REVISION}_{kind}.json").read_text())
    for name, content in known["files"].items():
        (folder / name).write_text(content)
    return known


def continue_clock(clock: AdjustableClock, known: dict[str, Any]) -> None:
    """Set the clock to the time at which the revision stopped."""
    clock.jump_wall_clock(known["written_at"] - time.time())


def displayed(turn: Tag) -> dict[str, str]:
    """Return what a page shows of a turn, in the format of the files in `tests/data`."""
    return {
        "id": str(turn["data-turn"]),
        "state": str(turn["data-state"]),
        "message": turn.select_one(".turn__said > [dir]").get_text(),
        "sentence": text_in(turn, ".note bdi"),
        "html": turn.select_one(".turn__reply").decode_contents(),
    }


def in_the_words_of_today(turn: dict[str, str]) -> dict[str, str]:
    sentence = turn["sentence"]
    for old, new in SENTENCES.items():
        sentence = sentence.replace(old, new)
    return {**turn, "sentence": sentence}


def assert_unchanged(person: Person, known: dict[str, Any]) -> None:
    """Assert that all conversations and lists look as recorded, apart from reworded notes."""
    for path, conversation in known["conversations"].items():
        page = person.get(path)
        assert text_in(page.html, "h1") == conversation["title"]
        assert [displayed(turn) for turn in page.turns] == [
            in_the_words_of_today(turn) for turn in conversation["turns"]
        ]
    for query, paths in known["lists"].items():
        page = person.get(f"/conversations{query if query.startswith('?') else ''}")
        links = page.html.select("main li > a[href^='/conversations/']")
        assert [link["href"] for link in links] == paths


def stored_values(database: Path) -> str:
    """Return everything that a database stores, as text."""
    with closing(sqlite3.connect(database)) as connection:
        return "\n".join(connection.iterdump())


@pytest.fixture
def known(tmp_path: Path, clock: AdjustableClock) -> dict[str, Any]:
    known = restore(tmp_path / "data", "remote")
    continue_clock(clock, known)
    return known


@pytest.fixture
def settings(tmp_path: Path, known: dict[str, Any], upstream: Upstream) -> dict[str, Any]:
    return {"api_url": upstream.url, "api_key": UPSTREAM_KEY, "data_dir": tmp_path / "data"}


@pytest.fixture
def alice(alice: Person, known: dict[str, Any]) -> Person:
    """Give Alice's client the cookie that the revision set."""
    alice.session.cookies.set(COOKIE, known["cookie"])
    return alice


def test_update_keeps_conversations_unchanged_and_the_next_message_can_be_sent(
    alice: Person, upstream: Upstream, known: dict[str, Any]
):
    assert_unchanged(alice, known)

    path = next(iter(known["conversations"]))
    page = alice.press(alice.get(path), "Send", content="And now?")
    call = upstream.next_call().start_stream()
    call.complete("Now it works.")
    page = wait_for_reply(alice, page)

    assert call.path == "/api/v1/conversations/up-1/messages/stream"
    assert page.reply_states[-1] == "complete"
    assert text_in(page.turns[-1], ".turn__reply") == "Now it works."
    assert path in str(alice.get("/conversations?q=piston").html)


def test_reply_that_ran_during_the_update_is_interrupted_and_can_be_retried(
    alice: Person, upstream: Upstream, known: dict[str, Any], clock: AdjustableClock
):
    path = known["running"]
    advance_until_workers_are_stale(clock, lambda: alice.get(path))
    page = alice.get(path)

    assert page.reply_states == ["interrupted"]
    assert text_in(page.turns[0], ".turn__reply") == known["running_text"]
    page = alice.press(page, "Retry")
    upstream.next_call().start_stream().complete("Finished")
    assert wait_for_reply(alice, page).reply_states == ["interrupted", "complete"]


def test_deleted_conversation_can_still_be_restored(alice: Person, known: dict[str, Any]):
    path = known["deleted"]
    deleted = alice.get(path)
    restored = alice.press(deleted, "Undo")

    assert deleted.status == 404
    assert restored.status == 200
    assert alice.get(path).reply_states == ["complete"]


def test_preferences_are_kept(alice: Person):
    html = alice.get("/preferences").html.html

    assert (html["data-theme"], html["data-text"]) == ("dark", "large")


def test_no_session_id_is_stored_after_the_update(
    portal: Portal, settings: dict[str, Any], known: dict[str, Any]
):
    database = settings["data_dir"] / "portal.db"

    assert known["cookie"] not in stored_values(database)
    assert "session:" not in stored_values(database)


@pytest.fixture
def known_embedded(tmp_path: Path, clock: AdjustableClock) -> dict[str, Any]:
    known = restore(tmp_path / "embedded", "embedded")
    continue_clock(clock, known)
    return known


@pytest.fixture
def embedded_url(
    tmp_path: Path, known_embedded: dict[str, Any], upstream: Upstream, clock: AdjustableClock
) -> Iterator[str]:
    """Serve a portal with the embedded service; `upstream` is its model server."""
    port = free_port()
    settings = {"data_dir": tmp_path / "embedded", "port": port, "model_url": upstream.url}
    embedding = twindow.Twindow(load_settings({**settings, "model": "scripted"}), clock)
    with serve(embedding.app, port) as url:
        yield url
        embedding.close()
    close_portal(embedding.app)
    embedding.disconnect()


def test_conversations_with_the_embedded_service_are_unchanged_and_continue(
    embedded_url: str, known_embedded: dict[str, Any], upstream: Upstream
):
    alice = Person(embedded_url)
    alice.session.cookies.set(COOKIE, known_embedded["cookie"])
    assert_unchanged(alice, known_embedded)

    path = next(iter(known_embedded["conversations"]))
    page = alice.press(alice.get(path), "Send", content="And now?")
    prompt = upstream.reply("Now it works.").body["messages"]
    page = wait_for_reply(alice, page)
    alice.close()

    assert page.reply_states[-1] == "complete"
    assert [message["content"] for message in prompt if message["role"] == "user"][-4:] == [
        "And a lamp?",
        "A long story",
        "Break",
        "And now?",
    ]


def test_api_key_created_before_the_update_lists_only_its_own_conversations(
    embedded_url: str, known_embedded: dict[str, Any]
):
    response = requests.get(
        f"{embedded_url}/api/v1/conversations",
        headers={"X-API-Key": known_embedded["api_key"]},
        timeout=10,
    )

    ids = [conversation["id"] for conversation in response.json()["data"]]
    assert ids == [known_embedded["api_conversation"]]
