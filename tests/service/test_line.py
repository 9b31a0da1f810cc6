"""The line before the model, over two processes: so many at once, and owners take turns."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Connection, event

from service.conversations.queue import QueueAbandoned
from tests.service.guests import Come, NewLine, come_in, coming, rows


def test_so_many_are_let_in_and_the_others_hear_their_place(new_line: NewLine, come: Come):
    here, there = new_line(2), new_line(2)
    first, second = come(here, "alice"), come(there, "alice")
    third, fourth = come(here, "alice"), come(there, "alice")

    assert first.inside.is_set()
    assert second.inside.is_set()
    assert (third.told, fourth.told) == ([0], [1])
    first.go()
    assert third.comes_in()
    assert fourth.hears(0)
    assert not fourth.inside.is_set()
    second.go()
    assert fourth.comes_in()


def test_the_places_are_all_used_and_never_more(new_line: NewLine, come: Come):
    places = 3
    lines = [new_line(places), new_line(places)]
    with ThreadPoolExecutor(12) as pool:
        guests = list(pool.map(lambda n: come(lines[n % 2], f"owner {n % 5}"), range(12)))

    while guests:
        inside = come_in(guests, min(places, len(guests)))
        assert len(inside) <= places
        inside[0].go()
        guests.remove(inside[0])
    assert rows(lines[0]) == 0


def test_owners_take_turns(new_line: NewLine, come: Come):
    here, there = new_line(1), new_line(1)
    running = come(here, "alice")
    waiting = [come(here, "alice") for _ in range(3)]
    bob = come(there, "bob")

    assert bob.told == [0]
    running.go()
    assert bob.comes_in()
    bob.go()
    assert waiting[0].comes_in()
    assert not waiting[1].inside.is_set()


def test_nobody_waits_for_ever_while_another_process_always_has_somebody(
    new_line: NewLine, come: Come
):
    here, there = new_line(1), new_line(1)
    running = come(here, "alice")
    alice = come(here, "alice")
    others = [come(there, "bob"), come(there, "carol")]
    running.go()
    for owner in ("bob", "carol"):
        served = others.pop(0)
        assert served.comes_in()
        served.go()
        others.append(come(there, owner))

    assert alice.comes_in()
    assert not any(other.inside.is_set() for other in others)


def test_whoever_leaves_lets_the_next_move_up_and_leaves_nothing(new_line: NewLine, come: Come):
    here, there = new_line(1), new_line(1)
    running = come(here, "alice")
    second, third = come(there, "bob"), come(here, "carol")
    second.leave()

    assert second.gave_up
    assert rows(here) == 2
    assert third.hears(0)
    running.go()
    assert third.comes_in()


def test_whoever_fails_gives_the_place_back(new_line: NewLine, come: Come):
    line = new_line(1)
    with pytest.raises(ZeroDivisionError), line.slot("alice", lambda _: None, lambda: False):
        raise ZeroDivisionError

    assert rows(line) == 0


def test_whoever_has_left_already_does_not_come_in(new_line: NewLine):
    line = new_line(1)
    with pytest.raises(QueueAbandoned), line.slot("alice", lambda _: None, lambda: True):
        pass

    assert rows(line) == 0


def test_one_look_serves_all_who_wait_in_a_process(
    new_line: NewLine, come: Come, monkeypatch: pytest.MonkeyPatch
):
    line = new_line(1)
    line.poll_seconds = 60
    looks: list[int] = []
    look = line.slots.look

    def counted():
        looks.append(1)
        return look()

    monkeypatch.setattr(line.slots, "look", counted)
    running = come(line, "alice")
    waiting = [come(line, "alice") for _ in range(20)]
    assert len(looks) <= 1
    running.go()

    assert waiting[0].comes_in()
    assert len(looks) <= 2
    waiting[0].go()


def test_a_place_that_is_free_costs_two_transactions(new_line: NewLine):
    line = new_line(1)
    begun: list[int] = []
    event.listen(line.slots.database.engine, "begin", lambda _: begun.append(1))
    with line.slot("alice", lambda _: None, lambda: False):
        pass

    assert len(begun) == 2


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_processes_change_the_line_one_after_the_other(new_line: NewLine):
    here, there = new_line(1), new_line(1)
    with coming() as come, ThreadPoolExecutor(1) as pool:
        with here.slots._alone() as connection:
            alice = pool.submit(come, there, "alice")
            while not (alice.done() or waits_for_a_lock(connection)):
                pass
            assert not alice.done()
        assert alice.result(10).comes_in()


def waits_for_a_lock(connection: Connection) -> bool:
    query = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    return bool(connection.exec_driver_sql(query).scalar_one())
