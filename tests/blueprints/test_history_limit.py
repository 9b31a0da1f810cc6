"""The first message beyond the number of messages that a person may keep."""

from __future__ import annotations

import pytest

from tests.support.person import Person, complete_first_turn
from tests.support.upstream import Upstream

pytestmark = pytest.mark.settings(history_limit=1)


def test_message_beyond_the_limit_stays_in_the_composer(alice: Person, upstream: Upstream):
    page = complete_first_turn(alice, upstream, "Hello", "Hi")

    refused = alice.press(page, "Send", content="And now?")

    assert refused.status == 429
    assert "You've reached the limit of saved messages. Delete conversations" in refused.text
    assert refused.html.select_one("#message").get_text() == "And now?"
    assert upstream.sent_messages() == ["Hello"]
