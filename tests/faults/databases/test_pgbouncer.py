"""Two portals, of which one reaches PostgreSQL through PgBouncer."""

from __future__ import annotations

from typing import Any

import pytest

from tests.faults.conftest import MESSAGE
from tests.faults.databases.conftest import Outage, on_postgres, second_portal
from tests.support.person import Person
from tests.support.pgbouncer import run_pgbouncer
from tests.support.upstream import Upstream

WORDS = [f"w{number} " for number in range(8)]


@on_postgres
@pytest.mark.usefixtures("processes")
def test_reply_written_through_pgbouncer_is_read_with_and_without_it(
    alice: Person,
    upstream: Upstream,
    database: Outage,
    settings: dict[str, Any],
    tmp_path_factory: pytest.TempPathFactory,
):
    folder = tmp_path_factory.mktemp("pgbouncer")
    with (
        run_pgbouncer(settings["database_url"], folder) as pooled_url,
        second_portal(settings | {"database_url": pooled_url}, alice) as pooled,
    ):
        page = pooled.start_conversation(MESSAGE)
        turn_id = str(page.turns[0]["data-turn"])
        call = upstream.next_call().start_stream()
        with pooled.follow(turn_id) as here, alice.follow(turn_id) as there:
            for word in WORDS:
                call.delta(word)
                here.read_until(word)
                there.read_until(word)
            call.complete()
            assert [stream.remaining_events()[-1].name for stream in (here, there)] == ["done"] * 2

        assert here.text == there.text == "".join(WORDS).strip()
        for person in (pooled, alice):
            assert person.get(page.path).reply_states == ["complete"]
