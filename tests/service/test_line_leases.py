"""Leases of the line: the dead are forgotten, and the living are not."""

from __future__ import annotations

import pytest

from tests.service.guests import Come, NewLine, leases_run_out, rows
from tests.support.clock import AdjustableClock


def test_the_places_of_a_process_that_died_are_free_when_its_leases_are_over(
    new_line: NewLine, come: Come
):
    here, dead = new_line(1), new_line(1)
    come(dead, "alice")
    come(dead, "bob")
    carol = come(here, "carol")
    assert carol.told == [1]

    leases_run_out(dead, "alice", "bob")

    assert carol.comes_in()
    assert rows(here) == 1


def test_a_process_that_ends_gives_its_places_back_at_once(new_line: NewLine, come: Come):
    here, ending = new_line(1), new_line(1)
    come(ending, "alice")
    bob = come(here, "bob")
    ending.close()

    assert bob.comes_in()


def test_a_lease_that_is_renewed_is_not_over(new_line: NewLine, come: Come):
    here, there = new_line(1), new_line(1)
    come(there, "alice")
    come(there, "bob")
    leases_run_out(here, "alice", "bob")
    there.slots.renew()

    assert come(here, "carol").told == [1]


def test_the_living_who_were_taken_for_dead_are_put_back_where_they_were(
    new_line: NewLine, come: Come
):
    here, there = new_line(1), new_line(1)
    alice, bob = come(there, "alice"), come(there, "bob")
    leases_run_out(there, "alice", "bob")
    carol = come(here, "carol")
    assert carol.comes_in()

    there.slots.renew()

    dave = come(here, "dave")
    assert dave.told == [1]
    carol.go()
    alice.go()
    assert bob.comes_in()
    assert not dave.inside.is_set()


def test_a_process_does_not_take_its_own_replies_for_dead(new_line: NewLine, come: Come):
    line = new_line(1)
    come(line, "alice")
    leases_run_out(line, "alice")

    assert come(line, "bob").told == [0]


def test_a_reply_that_has_ended_is_not_put_back(new_line: NewLine, come: Come):
    line = new_line(1)
    come(line, "alice").go()
    line.slots.renew()

    assert rows(line) == 0


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_machines_whose_clocks_differ_take_nobody_for_dead(
    new_line: NewLine, come: Come, clock: AdjustableClock
):
    here, there = new_line(1), new_line(1)
    come(there, "alice")
    clock.jump(600)

    assert come(here, "bob").told == [0]
