"""Filtering twins by text, and the twins that a person has used."""

from __future__ import annotations

import time

from tests.chat.conftest import start_conversation
from tests.support.clock import AdjustableClock
from twindow.chat.catalogue import filter_twins
from twindow.chat.conversations import Conversations
from twindow.chat.log.log import Log
from twindow.chat.submissions import Submissions
from twindow.twinapi import Twin

TWINS = [
    Twin("1", "Émile Zølner", "Writes about mines"),
    Twin("2", "Straße", "Knows every street"),
    Twin("3", "ليلى", "تشرح الأشياء"),
    Twin("4", "Mina", "Speaks of Émile"),
    Twin("5", "İstanbul Iğd\u0131r", ""),
]


QUERIES = [
    ("", ["1", "2", "3", "4", "5"]),
    ("emile", ["1", "4"]),
    ("ÉMILE", ["1", "4"]),
    ("E\u0301mile zolner", ["1"]),
    ("min", ["4", "1"]),
    ("mines zol", ["1"]),
    ("STRASSE", ["2"]),
    ("street strasse", ["2"]),
    ("ليلى", ["3"]),
    ("istanbul igdir", ["5"]),
    ("\uff45\uff4d\uff49\uff4c\uff45", ["1", "4"]),
    ("nobody", []),
]


def test_twin_filter_ignores_case_and_accents_and_ranks_names_first():
    found = [(q, [twin.id for twin in filter_twins(TWINS, q)]) for q, _ in QUERIES]

    assert found == QUERIES


def test_recent_twins_are_listed_per_person_latest_first(
    log: Log, submissions: Submissions, clock: AdjustableClock
):
    start = time.time()
    messages = [("alice", "ada"), ("alice", "bea"), ("alice", "ada"), ("bob", "cleo")]
    for number, (person, twin) in enumerate(messages):
        clock.set_wall_clock(start + number)
        start_conversation(submissions, person, key=str(number), twin=twin)

    assert Conversations(log.database).list_twin_ids("alice") == ["ada", "bea"]
