"""Long conversations, created through the portal's own forms."""

from __future__ import annotations

import re
import uuid

from tests.support.person import HTMX_HEADERS, Person
from tools.bench.scripted_service import history_message, history_reply_end
from tools.bench.visits import PreparedConversation

TURN_ID = re.compile(r'data-turn="([\w-]+)"')


def create_conversation(url: str, turns: int) -> PreparedConversation:
    """Create a conversation with this many turns, as a new person."""
    person = Person(url)
    page = person.start_conversation(history_message(1))
    _read_reply(person, str(page.turns[-1]["data-turn"]))
    fields = page.hidden_fields("/turns")
    for number in range(2, turns + 1):
        # A fragment is faster to render and to parse than a page. Each message has a new
        # idempotency key, as on a page.
        form_fields = fields | {"content": history_message(number), "key": uuid.uuid4().hex}
        response = person.session.post(
            f"{url}{page.path}/turns", data=form_fields, headers=HTMX_HEADERS, timeout=10
        )
        response.raise_for_status()
        _read_reply(person, TURN_ID.findall(response.text)[-1])
    cookies = [{"name": c.name, "value": c.value, "url": url} for c in person.session.cookies]
    return PreparedConversation(url + page.path, turns, history_reply_end(turns), cookies)


def _read_reply(person: Person, turn_id: str) -> None:
    with person.follow(turn_id) as stream:
        stream.remaining_bytes()
