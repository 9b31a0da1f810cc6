"""Sending messages: pages and fragments, and what is shown beside messages and replies."""

import math
from datetime import UTC, datetime

from sqlalchemy import select

from tests.support.person import HTMX_HEADERS, Person, complete_first_turn, wait_for_reply
from tests.support.upstream import Upstream
from twindow.chat.schema import api_quotas
from twindow.web.container import Portal


def test_messages_create_and_continue_a_conversation(alice: Person, upstream: Upstream):
    page = alice.start_conversation("Hello Ada")
    assert page.reply_states == ["waiting"]
    assert page.html.h1.get_text() == "Hello Ada"
    call = upstream.next_call()
    assert call.body == {"content": "Hello Ada"}
    call.start_stream().complete("Hello **you**")
    page = wait_for_reply(alice, page)
    assert page.reply_states == ["complete"]
    assert page.html.select_one(".turn__reply strong").get_text() == "you"

    alice.press(page, "Send", content="two")
    call = upstream.next_call()
    call.start_stream().complete("second")
    assert call.path == "/api/v1/conversations/up-1/messages/stream"
    assert upstream.sent_messages() == ["Hello Ada", "two"]


def test_used_idempotency_key_with_another_message_creates_another_turn(
    alice: Person, upstream: Upstream
):
    action, fields = alice.get("/twins/ada").button_action("Send")
    alice.post(action, fields | {"content": "before going back"})
    alice.post(action, fields | {"content": "after going back"})

    calls = [upstream.next_call(), upstream.next_call()]
    assert {call.body["content"] for call in calls} == {"before going back", "after going back"}


def test_htmx_receives_the_turn_and_an_empty_composer(alice: Person, upstream: Upstream):
    page = complete_first_turn(alice, upstream, "one", "first")
    action, fields = page.button_action("Send")

    answer = alice.post(action, fields | {"content": "two"}, **HTMX_HEADERS)

    upstream.next_call().start_stream().complete("second")
    assert answer.html.html is None
    partial = answer.html.select_one("hx-partial")
    assert (partial["hx-target"], partial["hx-swap"]) == ("#log", "beforeend")
    assert len(partial.select("article.turn")) == 1
    assert answer.hidden_fields("/turns")["idempotency_key"] != fields["idempotency_key"]
    assert answer.html.select_one("textarea").get_text() == ""


def test_stream_of_a_missing_reply_says_so_and_ends(alice: Person):
    with alice.follow("missing") as stream:
        missing, done = stream.remaining_events()

    assert "This reply can no longer be shown here" in missing.data
    assert done.name == "done"


def test_first_service_id_that_a_conversation_receives_is_not_replaced_by_another(
    alice: Person, upstream: Upstream
):
    upstream.unanswered_paths.add("/api/v1/conversations")
    page = alice.start_conversation("first")
    slow = upstream.next_call()
    page = alice.press(page, "Stop")
    page = alice.press(page, "Send", content="second")
    upstream.next_call().respond(201, {"data": {"id": "fast"}})
    second = upstream.next_call()
    second.start_stream().complete("Two")
    page = wait_for_reply(alice, page)
    slow.respond(201, {"data": {"id": "slow"}})

    page = alice.press(page, "Send", content="third")
    third = upstream.next_call()
    third.start_stream().complete("Three")
    wait_for_reply(alice, page)

    assert {call.path.split("/")[4] for call in (second, third)} == {"fast"}


def test_low_quota_of_the_service_is_shown_with_the_end_of_its_window(
    alice: Person, upstream: Upstream, portal: Portal
):
    page = alice.start_conversation("one")
    limits = {"x_ratelimit_remaining": "40", "x_ratelimit_limit": "500"}
    upstream.next_call().respond(200, {"data": {"content": "One"}}, **limits)
    page = wait_for_reply(alice, page)
    for shown in (page, alice.get("/twins/ada")):
        assert "everyone can send 40 more messages" in shown.text

    action, fields = page.button_action("Send")
    answer = alice.post(action, fields | {"content": "two"}, **HTMX_HEADERS)
    assert "everyone can send 39 more messages" in answer.text
    limits |= {"x_ratelimit_remaining": "3", "x_ratelimit_reset": "600"}
    upstream.next_call().respond(200, {"data": {"content": "Two"}}, **limits)
    page = wait_for_reply(alice, alice.get(page.path))

    assert "everyone can send 3 more messages until" in page.text
    with portal.database.read() as connection:
        resets_at = math.ceil(connection.execute(select(api_quotas.c.resets_at)).scalar_one())
    time = page.html.select_one("#composer .hint time")["datetime"]
    assert time == datetime.fromtimestamp(resets_at, UTC).isoformat()


def test_reply_cut_off_by_the_service_can_be_continued(alice: Person, upstream: Upstream):
    page = alice.start_conversation("one")
    call = upstream.next_call().start_stream()
    call.send_event(type="complete", message={"content": "Once upon …"}, cutOff=True)
    call.close()
    page = wait_for_reply(alice, page)
    [note] = page.html.select(".turn .note--neutral")

    assert page.reply_states == ["complete"]
    assert "This reply reached the length limit" in note.get_text()
    assert not note.select(".note__details")
    page = alice.press(page, "Continue")
    call = upstream.next_call()
    assert call.body["content"] == "Please continue."
    call.start_stream().complete("a time")
    assert wait_for_reply(alice, page).reply_states == ["complete", "complete"]


CODE_MESSAGE = "Why?\n\n```python\nprint(1 < 2)\n```\n**Thanks**"


def test_code_in_a_message_is_shown_as_code_and_its_source_is_kept(
    alice: Person, upstream: Upstream
):
    page = complete_first_turn(alice, upstream, CODE_MESSAGE, "Because.")
    message = page.turns[0].select_one(".turn__content [dir=auto]")

    assert message.select_one(".code[data-language=python] code").get_text() == "print(1 < 2)\n"
    assert message.get_text() == CODE_MESSAGE
    editing = alice.get(f"{page.path}?edit={page.turns[0]['data-turn']}")
    assert editing.html.select_one("textarea").get_text() == CODE_MESSAGE
    assert alice.get(f"{page.path}/export?format=json").response.json()["turns"][0]["message"] == (
        CODE_MESSAGE
    )
    assert upstream.sent_messages() == [CODE_MESSAGE]


def test_only_a_long_message_without_search_hits_can_be_expanded(alice: Person, upstream: Upstream):
    page = complete_first_turn(alice, upstream, "line\n" * 13, "Because.")
    short = alice.press(page, "Send", content="line\n" * 12)
    hit = alice.get(f"{page.path}?turn={page.turns[0]['data-turn']}&message=1&q=line")

    assert [len(turn.select("details.turn__more")) for turn in short.turns] == [1, 0]
    assert [len(turn.select("details.turn__more")) for turn in hit.turns] == [0, 0]
