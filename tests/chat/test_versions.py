"""Versions: several turns in one slot of a conversation."""

from __future__ import annotations

import pytest

from tests.chat.conftest import start_conversation
from twindow.chat.conversations import Conversation, Conversations
from twindow.chat.log.entries import Ended, ReplyState
from twindow.chat.search import Search
from twindow.chat.submissions import (
    ReplyInProgress,
    Submissions,
    SubmittedMessage,
    TurnNotNewest,
)
from twindow.chat.turns import Turn, Turns, iter_turns

pytestmark = pytest.mark.both_databases


class Talk:
    """A conversation of which tests add turns, whose replies end at once."""

    def __init__(self, submissions: Submissions, key: str = "key") -> None:
        self.submissions = submissions
        self.turns = Turns(submissions.database)
        added = start_conversation(submissions, content="m1", key=key)
        self.conversation: Conversation = added.conversation
        self.newest = added.turn
        self.end("r1")

    def end(self, text: str, state: ReplyState = ReplyState.COMPLETE) -> None:
        self.submissions.log.end(self.newest.id, Ended(state, text=text))

    def add(
        self,
        content: str,
        reply: str,
        state: ReplyState = ReplyState.COMPLETE,
        *,
        follows: str = "",
        replaces: str = "",
    ) -> Turn:
        """Add a turn whose reply ends at once."""
        message = SubmittedMessage(content, f"key {content} {reply}", replaces, follows)
        added = self.submissions.add_turn(self.conversation, message)
        self.conversation, self.newest = added.conversation, added.turn
        self.end(reply, state)
        return added.turn

    def replace(self, content: str, reply: str, state: ReplyState = ReplyState.COMPLETE) -> Turn:
        """Add a version of the newest turn."""
        return self.add(content, reply, state, replaces=self.newest.id)

    def reread(self, turn: Turn) -> Turn:
        """Return a turn as it is stored now."""
        found = self.turns.find(turn.id, self.conversation.person)
        assert found
        return found

    def shown(self, **options: object) -> list[str]:
        """Return what a page shows: "message (version/count)"."""
        stored = self.turns.list_for_conversation(
            self.conversation.id,
            limit=20,
            **options,  # type: ignore[arg-type]
        )
        return [f"{s.turn.content} ({s.turn.version}/{s.turn.version_count})" for s in stored]


@pytest.fixture
def talk(submissions: Submissions) -> Talk:
    return Talk(submissions)


def test_newest_slot_shows_its_newest_version(talk: Talk):
    first = talk.add("m2", "r2")
    second = talk.replace("m2 corrected", "r2b")

    assert talk.shown() == ["m1 (1/1)", "m2 corrected (2/2)"]
    assert talk.shown(chosen=first) == ["m1 (1/1)", "m2 (1/2)"]
    assert (second.slot, second.position, second.previous_id) == (2, 3, first.id)
    assert talk.reread(first).next_id == second.id


def test_message_follows_the_version_that_was_shown(talk: Talk):
    first = talk.add("m2", "r2")
    talk.replace("m2b", "r2b")
    third = talk.add("m3", "r3", follows=first.id)
    fourth = talk.replace("m3b", "r3b")

    assert talk.shown() == ["m1 (1/1)", "m2 (1/2)", "m3b (2/2)"]
    assert third.follows == fourth.follows == first.position
    talk.add("m4", "r4")
    assert talk.shown() == ["m1 (1/1)", "m2 (1/2)", "m3b (2/2)", "m4 (1/1)"]


def test_message_cannot_follow_a_turn_of_another_slot_or_conversation(
    talk: Talk, submissions: Submissions
):
    first = talk.newest
    talk.add("m2", "r2")
    other_talk = Talk(submissions, key="other")
    elsewhere = other_talk.add("m2", "r2 elsewhere")

    for other in (elsewhere, first):
        talk.replace(f"again {other.id}", "r")
        turn = talk.add(f"after {other.id}", "r", follows=other.id)
        assert turn.follows == turn.position - 1


def test_reply_without_text_is_no_version_once_a_later_one_exists(talk: Talk):
    talk.add("m2", "", ReplyState.FAILED)
    assert talk.shown() == ["m1 (1/1)", "m2 (1/1)"]
    talk.replace("m2", "", ReplyState.INTERRUPTED)
    answered = talk.replace("m2", "r2")
    assert talk.shown() == ["m1 (1/1)", "m2 (1/1)"]
    assert answered.previous_id is None

    failed = talk.replace("m2", "", ReplyState.FAILED)
    assert talk.shown() == ["m1 (1/1)", "m2 (2/2)"]
    last = talk.replace("m2", "half", ReplyState.STOPPED)
    assert talk.shown() == ["m1 (1/1)", "m2 (2/2)"]
    assert (failed.previous_id, last.previous_id) == (answered.id, answered.id)
    assert talk.reread(answered).next_id == last.id


def test_failed_message_keeps_its_idempotency_key_and_others_do_not(talk: Talk):
    failed = talk.add("m2", "", ReplyState.FAILED)
    resend = talk.replace("m2", "r2", ReplyState.INTERRUPTED)
    corrected = talk.replace("m2 corrected", "r2")
    again = talk.replace("m2 corrected", "r2 again")

    assert resend.idempotency_key == failed.id
    assert corrected.idempotency_key == corrected.id
    assert again.idempotency_key == again.id
    talk.replace("m2 corrected", "half", ReplyState.STOPPED)
    after_stop = talk.replace("m2 corrected", "r2")
    assert after_stop.idempotency_key == after_stop.id


def test_turn_that_is_no_longer_the_newest_cannot_be_replaced(talk: Talk):
    first = talk.newest
    talk.add("m2", "r2")

    with pytest.raises(TurnNotNewest):
        talk.add("m1b", "r", replaces=first.id)
    assert talk.shown() == ["m1 (1/1)", "m2 (1/1)"]


def test_version_is_rejected_while_the_reply_runs(talk: Talk, submissions: Submissions):
    message = SubmittedMessage("m2", "key m2")
    running = submissions.add_turn(talk.conversation, message).turn

    with pytest.raises(ReplyInProgress):
        talk.add("m2b", "r", replaces=running.id)


def test_version_that_is_submitted_twice_is_one_turn(talk: Talk):
    replaced = talk.newest.id
    first = talk.add("m1b", "r", replaces=replaced)
    message = SubmittedMessage("m1b", "key m1b r", replaced)
    second = talk.submissions.add_turn(talk.conversation, message)

    assert (second.turn.id, second.is_new) == (first.id, False)
    assert talk.shown() == ["m1b (2/2)"]


def test_pages_count_slots_and_not_versions(talk: Talk):
    for number in range(2, 6):
        talk.add(f"m{number}", "r")
        talk.replace(f"m{number}", "r again")

    list_turns = talk.turns.list_for_conversation
    page = list_turns(talk.conversation.id, before=5, limit=2)
    assert [stored.turn.slot for stored in page] == [3, 4]
    assert [stored.turn.version for stored in page] == [2, 2]


def test_whole_conversation_has_what_is_shown_or_every_version(talk: Talk):
    first = talk.add("m2", "r2")
    talk.replace("m2b", "r2b")
    talk.add("m3", "r3", follows=first.id)

    def contents(**options: bool) -> list[tuple[int, str]]:
        told = iter_turns(talk.submissions.log, talk.conversation.id, **options)
        return [(turn.slot, reply.text) for turn, reply in told]

    assert contents() == [(1, "r1"), (2, "r2"), (3, "r3")]
    assert contents(has_all_versions=True) == [(1, "r1"), (2, "r2"), (2, "r2b"), (3, "r3")]


def test_title_made_from_the_first_message_follows_its_correction(talk: Talk):
    assert talk.conversation.title == "m1"
    talk.replace("m1 corrected", "r")
    assert talk.conversation.title == "m1 corrected"
    [found] = Search(talk.submissions.database).find("alice", "corrected").items
    assert any(part.is_hit for part in found.title)

    conversations = Conversations(talk.submissions.database)
    conversations.rename(talk.conversation, "My title")
    talk.replace("m1 again", "r")
    assert talk.conversation.title == "My title"
    conversations.rename(talk.conversation, "")
    renamed = conversations.find(talk.conversation.id, talk.conversation.person)
    assert renamed
    assert renamed.title == "m1 again"

    talk.add("m1 again", "r")
    talk.replace("m2", "r2")
    assert talk.conversation.title == "m1 again"
