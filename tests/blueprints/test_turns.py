"""Sending messages: pages, fragments, repeated submissions and access control."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.cases import failures
from tests.support.person import HTMX_HEADERS, Person, complete_first_turn, wait_for_reply
from tests.support.upstream import Upstream


def test_message_creates_a_conversation_and_receives_its_reply(alice: Person, upstream: Upstream):
    page = alice.start_conversation("Hello Ada")

    call = upstream.next_call()
    assert call.body == {"content": "Hello Ada"}
    assert page.reply_states == ["waiting"]
    assert page.html.h1.get_text() == "Hello Ada"

    turn_id = str(page.turns[0]["data-turn"])
    with alice.follow(turn_id) as stream:
        call.start_stream().delta("Hel")
        stream.read_until("Hel")
        call.delta("lo")
        call.complete("Hello **you**")
        stream.remaining_events()
    page = alice.get(page.path)
    assert page.reply_states == ["complete"]
    assert page.html.select_one(".turn__reply strong").get_text() == "you"


def test_second_message_is_sent_to_the_same_conversation(alice: Person, upstream: Upstream):
    page = complete_first_turn(alice, upstream, "one", "first")

    page = alice.press(page, "Send", content="two")
    call = upstream.next_call()
    call.start_stream().complete("second")

    assert call.path == "/api/v1/conversations/up-1/messages/stream"
    assert upstream.sent_messages() == ["one", "two"]


def test_used_idempotency_key_with_another_message_creates_another_turn(
    alice: Person, upstream: Upstream
):
    action, fields = alice.get("/twins/ada").button_action("Send")
    alice.post(action, fields | {"content": "before going back"})
    alice.post(action, fields | {"content": "after going back"})

    calls = [upstream.next_call(), upstream.next_call()]
    assert {call.body["content"] for call in calls} == {"before going back", "after going back"}


def test_second_message_is_rejected_until_the_first_reply_has_ended(
    alice: Person, upstream: Upstream
):
    page = alice.start_conversation("first")
    call = upstream.next_call()

    page = alice.press(page, "Send", content="second, typed early")

    assert page.status == 409
    assert "still replying" in page.text
    assert page.html.select_one("textarea[name=content]").get_text() == "second, typed early"
    call.start_stream().complete("done")
    assert upstream.sent_messages() == ["first"]


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


def test_repeated_submission_shows_its_turn(alice: Person, upstream: Upstream):
    def check(button: str) -> None:
        upstream.calls.clear()
        page = alice.start_conversation("one")
        upstream.next_call().respond(500, {})
        page = wait_for_reply(alice, page)
        action, fields = page.button_action(button)
        pressed = fields | {"content": "two"}
        alice.post(action, pressed, **HTMX_HEADERS)
        call = upstream.next_call().start_stream()

        answer = alice.post(action, pressed, **HTMX_HEADERS)

        assert [turn["data-state"] for turn in answer.turns] == ["waiting"]
        call.complete("second")
        assert upstream.sent_messages() == ["one", "two"]

    assert failures(check, {button: button for button in ("Send", "Try again")}) == {}


def test_conversations_and_turns_of_others_are_inaccessible(
    alice: Person, new_person: Callable[[], Person], upstream: Upstream
):
    page = alice.start_conversation("a secret")
    call = upstream.next_call().start_stream()
    turn_id = str(page.turns[0]["data-turn"])
    mallory = new_person()
    mallory.get("/twins/ada")

    seen = [
        mallory.get(page.path),
        mallory.post(f"{page.path}/turns", {"content": "hi", "idempotency_key": "k"}),
        mallory.post(f"/turns/{turn_id}/cancellation", {}),
        mallory.post(f"{page.path}/words/deletion", {}),
    ]

    assert [page.status for page in seen] == [404, 404, 404, 404]
    assert seen[0].text == mallory.get("/conversations/there-is-none").text
    with mallory.follow(turn_id) as stream:
        signed_out, done = stream.remaining_events()
    assert "This reply can no longer be shown here" in signed_out.data
    assert done.name == "done"
    assert "a secret" not in mallory.get("/conversations").text
    call.complete("for Alice only")
    assert wait_for_reply(alice, page).reply_states == ["complete"]


def test_first_message_submitted_twice_at_once_creates_one_turn(
    new_person: Callable[[], Person], upstream: Upstream
):
    for _ in range(5):
        somebody = new_person()
        action, fields = somebody.get("/twins/ada").button_action("Send")
        with ThreadPoolExecutor(2) as pool:
            press = [
                pool.submit(somebody.post, action, fields | {"content": "once"}) for _ in range(2)
            ]
            first, second = (page.result(10) for page in press)
        upstream.next_call().start_stream().complete("ok")

        assert first.path == second.path
        assert (first.status, second.status) == (200, 200)
    assert len(upstream.sent_messages()) == 5


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


def test_low_quota_is_shown_in_the_new_composer_and_on_the_twin_page(
    alice: Person, upstream: Upstream
):
    page = alice.start_conversation("one")
    upstream.next_call().respond(
        200, {"data": {"content": "One"}}, x_ratelimit_remaining="40", x_ratelimit_limit="500"
    )
    page = wait_for_reply(alice, page)
    assert "40 messages left, shared by everyone" in page.text
    assert "40 messages left, shared by everyone" in alice.get("/twins/ada").text
    action, fields = page.button_action("Send")

    answer = alice.post(action, fields | {"content": "two"}, **HTMX_HEADERS)

    upstream.next_call().start_stream().complete("Two")
    assert "39 messages left, shared by everyone" in answer.text


def test_continue_asks_the_twin_for_the_rest_of_a_cut_off_reply(alice: Person, upstream: Upstream):
    page = alice.start_conversation("one")
    call = upstream.next_call().start_stream()
    call.send_event(type="complete", message={"content": "Once upon …"}, cutOff=True)
    call.close()
    alice.press(wait_for_reply(alice, page), "Continue")
    call = upstream.next_call()

    assert call.body["content"] == "Please continue."
    call.start_stream().complete("a time")
    assert wait_for_reply(alice, page).reply_states == ["complete", "complete"]


def test_reply_cut_off_by_the_service_has_a_note(alice: Person, upstream: Upstream):
    def check(case: tuple[object, int]) -> None:
        cut_off, notes = case
        page = alice.start_conversation("one")
        call = upstream.next_call().start_stream()
        call.send_event(type="complete", message={"content": "Once upon …"}, cutOff=cut_off)
        call.close()
        page = wait_for_reply(alice, page)

        assert page.reply_states == ["complete"]
        shown = page.html.select(".turn .note--neutral")
        assert len(shown) == notes
        assert all("This reply reached the length limit" in note.get_text() for note in shown)
        assert len(page.html.select(".turn .note form")) == notes
        assert not page.html.select(".turn .note__reference")

    assert failures(check, {"yes": (True, 1), "no": (False, 0), "no boolean": ("yes", 0)}) == {}


@pytest.mark.parametrize("headers", [{}, HTMX_HEADERS], ids=["page", "fragment"])
def test_form_response_is_never_a_stream(
    alice: Person, upstream: Upstream, headers: dict[str, str]
):
    path = alice.start_conversation("first").path
    statuses, kinds = [], set()

    def press(button: str, **more: str) -> None:
        action, fields = alice.get(path).button_action(button)
        response = alice.post(action, fields | more, **headers).response
        statuses.append(response.status_code)
        kinds.add(response.headers["Content-Type"])

    call = upstream.next_call().start_stream()
    press("Send", content="too early")
    press("Stop")
    assert call.wait_for_disconnect()
    press("Try again")
    upstream.next_call().start_stream().complete("ok")
    wait_for_reply(alice, alice.get(path))
    press("Send", content="next")
    upstream.next_call().start_stream().complete("ok")
    wait_for_reply(alice, alice.get(path))

    assert statuses == [409, 200, 200, 200]
    assert kinds == {"text/html; charset=utf-8"}


CODE_MESSAGE = "Why?\n\n```python\nprint(1 < 2)\n```\n**Thanks**"


def test_code_in_a_message_is_shown_as_code_and_its_source_is_kept(
    alice: Person, upstream: Upstream
):
    page = complete_first_turn(alice, upstream, CODE_MESSAGE, "Because.")
    message = page.turns[0].select_one(".turn__content [dir=auto]")

    assert message.select_one(".code[data-language=python] code").get_text() == "print(1 < 2)\n"
    assert message.get_text() == CODE_MESSAGE
    editing = alice.get(f"{page.path}?turn={page.turns[0]['data-turn']}")
    assert editing.html.select_one("textarea").get_text() == CODE_MESSAGE
    assert alice.get(f"{page.path}/export?format=json").response.json()["turns"][0]["message"] == (
        CODE_MESSAGE
    )
    assert upstream.sent_messages() == [CODE_MESSAGE]


def test_only_a_long_message_without_search_hits_can_be_expanded(alice: Person, upstream: Upstream):
    page = complete_first_turn(alice, upstream, "line\n" * 13, "Because.")
    short = alice.press(page, "Send", content="line\n" * 12)
    hit = alice.get(f"{page.path}?hit={page.turns[0]['data-turn']}&message=1&q=line")

    assert [len(turn.select("details.turn__more")) for turn in short.turns] == [1, 0]
    assert [len(turn.select("details.turn__more")) for turn in hit.turns] == [0, 0]
