"""A conversation of many turns, said and answered through the portal's own forms."""

from __future__ import annotations

import re
import uuid

from tests.support.person import HTMX, Person
from tools.bench.service import past_end, past_order
from tools.bench.visits import Opened

TURN = re.compile(r'data-turn="([\w-]+)"')


def filled(url: str, turns: int) -> Opened:
    """Say so much, as somebody new."""
    person = Person(url)
    page = person.begin(past_order(1))
    _hear(person, str(page.turns[-1]["data-turn"]))
    fields = page.form("/turns")
    for number in range(2, turns + 1):
        # A fragment is made and read faster than a page; the key is new, as from a page.
        said = fields | {"content": past_order(number), "key": uuid.uuid4().hex}
        answer = person.session.post(f"{url}{page.path}/turns", data=said, headers=HTMX, timeout=10)
        answer.raise_for_status()
        _hear(person, TURN.findall(answer.text)[-1])
    cookies = [{"name": c.name, "value": c.value, "url": url} for c in person.session.cookies]
    return Opened(url + page.path, turns, past_end(turns), cookies)


def _hear(person: Person, turn_id: str) -> None:
    with person.follow(turn_id) as stream:
        stream.bytes()
