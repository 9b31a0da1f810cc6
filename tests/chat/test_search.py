"""Full-text search in the conversations of a person."""

from __future__ import annotations

from itertools import count

import pytest

from tests.chat.conftest import make_deletions, start_conversation
from tests.chat.snippet_text import format_snippet
from tests.support.clock import AdjustableClock
from twindow.chat.conversations import Conversation, Conversations
from twindow.chat.deletion import Deletions
from twindow.chat.log.entries import Ended, ReplyState
from twindow.chat.log.log import Log
from twindow.chat.search import search as search_module
from twindow.chat.search.search import Search, SearchResults
from twindow.chat.submissions import Submissions, SubmittedMessage

MESSAGE = "Why is Zürich's 湖 so blue?"


@pytest.fixture
def search(log: Log) -> Search:
    return Search(log.database)


@pytest.fixture
def deletions(log: Log) -> Deletions:
    return make_deletions(log)


def add_conversation(
    submissions: Submissions,
    message: str,
    reply: str = "",
    *,
    person: str = "alice",
    twin: str = "ada",
) -> Conversation:
    added = start_conversation(
        submissions, person, content=message, key=f"key of {message}", twin=twin
    )
    submissions.log.end(added.turn.id, Ended(ReplyState.COMPLETE, text=reply))
    return added.conversation


def titles(results: SearchResults) -> list[str]:
    return [found.conversation.title for found in results.items]


FOUND = [
    "lake",
    "LAKE",
    "glac",
    "glacier lake",
    "lake glac",
    "zurich",
    "ZÜRICH",
    "Zu\u0308rich",
    "湖",
    "東京",
    "京都",
    "東京都",
    "へ行",
    "서울",
    "울특",
    "ภาษา",
    "🎉",
    "हिन्दी",
    "محمد",
    "strasse",
    "don't",
    "ספר",
    '"lake"',
    "lake & ! | <-> \\ (glacier)",
    "snake_case",
    "3.14",
    "\uff26\uff35\uff2c\uff2c",
]


@pytest.mark.both_databases
def test_search_finds_words_in_every_script(submissions: Submissions, search: Search):
    add_conversation(submissions, "About engines", "Nothing of the kind")
    add_conversation(
        submissions,
        MESSAGE,
        "The **glacier** feeds the lake. 東京都へ行く 서울특별시 ภาษาไทย 🎉 हिन्दी مُحَمَّد Straße "
        "בית־ספר "
        "don't snake_case 3.14 full",
    )

    assert [q for q in FOUND if titles(search.find("alice", q)) != [MESSAGE]] == []
    assert [q for q in FOUND if search.find("bob", q).items] == []


NOT_FOUND = [
    "akes",
    "ake",
    "laker",
    "lake engines",
    '" OR "lake',
    "lake OR engines",
    "l*",
    "words:lake",
    "'; DROP TABLE turns; --",
    "x" * 10_000,
    "lake\0lakes no",
    "\ud800",
    "{}[]()^~:*-+",
    "😀" * 3_000,
    "京東",
    "",
    "   ",
    "NOT",
]


@pytest.mark.both_databases
def test_unmatched_and_malformed_queries_find_nothing(submissions: Submissions, search: Search):
    add_conversation(submissions, "The lake", "東京")
    add_conversation(submissions, "The engines")

    assert [q[:20] for q in NOT_FOUND if search.find("alice", q).items] == []


@pytest.mark.limit("L8")
def test_words_beyond_the_limits_of_a_query_are_ignored(submissions: Submissions, search: Search):
    add_conversation(submissions, " ".join(f"w{number}" for number in range(12)))

    for query in (
        " ".join(f"w{number}" for number in range(120)),
        f"w0 {' ' * 200}" + "absent " * 300,
    ):
        assert len(search.find("alice", query).items) == 1
    assert not search.find("alice", "w0 absent").items


def test_hit_has_the_id_of_its_turn_and_a_snippet_with_marked_search_words(
    submissions: Submissions, search: Search
):
    conversation = add_conversation(
        submissions, "Tell me of water", "It falls. " * 30 + "Then the **Rivers** carry it."
    )
    added = submissions.add_turn(conversation, SubmittedMessage("And RIVERS of ice?", "key 2"))

    [found] = search.find("alice", "river").items
    reply, message = found.hits[::-1]

    assert format_snippet(found.title) == "Tell me of water"
    assert format_snippet(reply.snippet).endswith("It falls. Then the [Rivers] carry it.")
    assert format_snippet(reply.snippet).startswith("… ")
    assert (reply.is_by_person, reply.turn_id) == (False, found.hits[-1].turn_id)
    assert format_snippet(message.snippet) == "And [RIVERS] of ice?"
    assert (message.is_by_person, message.turn_id) == (True, added.turn.id)


def test_reply_is_searchable_once_it_has_ended(submissions: Submissions, search: Search, log: Log):
    added = start_conversation(submissions)
    assert search.find("alice", "hello").items
    assert not search.find("alice", "there").items

    log.end(added.turn.id, Ended(ReplyState.STOPPED, text="There you are"))

    assert search.find("alice", "there").items


@pytest.mark.both_databases
def test_title_hits_come_first_and_paging_skips_nothing(
    submissions: Submissions, search: Search, log: Log, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(search_module, "MATCHES_PER_PAGE", 5)
    for number in range(12):
        conversation = add_conversation(submissions, f"Question {number}", "The moon it is")
        if number % 3 == 0:
            Conversations(log.database).rename(conversation, f"Moon {number}")
    pages, after = [], ""
    while after or not pages:
        pages.append(search.find("alice", "moon", after=after))
        after = pages[-1].next_cursor

    assert titles(pages[0]) == ["Moon 9", "Moon 6", "Moon 3", "Moon 0", "Question 11"]
    assert [len(page.items) for page in pages] == [5, 5, 5, 1]
    assert len({found.conversation.id for page in pages for found in page.items}) == 12
    assert search.find("alice", "moon", after="m9999999999999999~gone").items


@pytest.mark.both_databases
def test_renamed_conversation_is_found_only_by_its_new_title(
    submissions: Submissions, search: Search, log: Log
):
    conversation = add_conversation(submissions, "Hello")
    Conversations(log.database).rename(conversation, "  Trip to\0 Norway ")
    Conversations(log.database).rename(conversation, "Trip to Sweden")

    assert titles(search.find("alice", "sweden")) == ["Trip to Sweden"]
    assert search.find("alice", "norway").items == ()


def test_search_can_be_limited_to_one_twin(submissions: Submissions, search: Search):
    add_conversation(submissions, "A blue sky")
    add_conversation(submissions, "A blue sea", twin="marlow")

    assert titles(search.find("alice", "blue", twin_id="marlow")) == ["A blue sea"]


def test_archived_conversations_are_found_and_deleted_ones_are_not(
    submissions: Submissions, search: Search, log: Log, deletions: Deletions
):
    kept = add_conversation(submissions, "A blue sky")
    gone = add_conversation(submissions, "A blue sea")
    Conversations(log.database).set_archived(kept, archived=True)
    deletions.delete(gone.id, "alice")

    assert titles(search.find("alice", "blue")) == ["A blue sky"]

    deletions.restore(gone.id, "alice")
    assert len(search.find("alice", "blue").items) == 2


@pytest.mark.both_databases
def test_very_long_replies_are_stored_and_found(submissions: Submissions, search: Search):
    for words, end in (("wörter {} " * 30_000, "theend"), ("𠀀𠀁{}" * 60_000, "finis")):
        count = words.count("{}")
        add_conversation(
            submissions, f"Go on {end}", f"{words.format(*range(count))[:500_000]} now{end}"
        )

        [found] = search.find("alice", f"now{end}").items
        assert format_snippet(found.hits[0].snippet).endswith(f"[now{end}]")


@pytest.mark.both_databases
def test_search_reads_every_slice_and_a_page_goes_on_where_the_last_one_ended(
    submissions: Submissions, search: Search, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(search_module, "SLICE_ROWS", 2)
    monkeypatch.setattr(search_module, "MATCHES_PER_PAGE", 3)
    for number in range(9):
        add_conversation(submissions, f"Number {number}", "A blue sky" if number % 2 else "Grey")

    first_page = search.find("alice", "blue")
    second_page = search.find("alice", "blue", after=first_page.next_cursor)

    assert titles(first_page) == ["Number 7", "Number 5", "Number 3"]
    assert titles(second_page) == ["Number 1"]
    assert (second_page.next_cursor, second_page.is_out_of_time) == ("", False)


@pytest.mark.limit("L8")
def test_search_that_takes_too_long_ends_early_and_the_next_page_goes_on(
    submissions: Submissions,
    search: Search,
    monkeypatch: pytest.MonkeyPatch,
    clock: AdjustableClock,
):
    monkeypatch.setattr(search_module, "SLICE_ROWS", 1)
    for number in range(3):
        add_conversation(submissions, f"Number {number}", "A blue sky")
    # Each of the six slices, three of titles and three of turns, takes this time.
    monkeypatch.setattr(clock, "sleep", lambda _: clock.advance(search_module.MAX_SECONDS / 4))

    pages, after = [], ""
    while after or not pages:
        pages.append(search.find("alice", "blue", after=after))
        after = pages[-1].next_cursor

    assert list(map(titles, pages)) == [["Number 2", "Number 1"], ["Number 0"]]
    assert [page.is_out_of_time for page in pages] == [True, False]


def test_search_advances_also_if_a_single_slice_takes_too_long(
    submissions: Submissions,
    search: Search,
    monkeypatch: pytest.MonkeyPatch,
    clock: AdjustableClock,
):
    monkeypatch.setattr(search_module, "SLICE_ROWS", 1)
    add_conversation(submissions, "Hello", "A blue sky")
    read, now = clock.monotonic, count()
    monkeypatch.setattr(clock, "monotonic", lambda: read() + next(now) * 10)

    title_page = search.find("alice", "blue")
    turn_page = search.find("alice", "blue", after=title_page.next_cursor)

    assert (titles(title_page), title_page.is_out_of_time) == ([], True)
    assert titles(turn_page) == ["Hello"]
    assert search.find("alice", "blue", after=turn_page.next_cursor).next_cursor == ""


def test_page_goes_on_after_the_conversation_of_its_cursor_is_gone(
    submissions: Submissions, search: Search, deletions: Deletions, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(search_module, "MATCHES_PER_PAGE", 1)
    for number in range(3):
        conversation = add_conversation(submissions, f"Number {number}", "A blue sky")
    first_page = search.find("alice", "blue")
    deletions.delete(conversation.id, "alice")

    assert titles(first_page) == ["Number 2"]
    assert titles(search.find("alice", "blue", after=first_page.next_cursor)) == ["Number 1"]


def test_search_lets_other_requests_continue_between_two_slices(
    submissions: Submissions,
    search: Search,
    monkeypatch: pytest.MonkeyPatch,
    clock: AdjustableClock,
):
    monkeypatch.setattr(search_module, "SLICE_ROWS", 1)
    add_conversation(submissions, "Hello")
    add_conversation(submissions, "Hi")
    pauses: list[float] = []
    monkeypatch.setattr(clock, "sleep", pauses.append)

    search.find("alice", "nothing")

    assert pauses == [0] * 4
    assert search.database.engine.pool.checkedout() == 0
