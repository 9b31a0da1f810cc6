"""Long conversations: opening, paging and exporting cost no more than for short ones."""

from __future__ import annotations

import tracemalloc
from typing import Any
from urllib.parse import unquote

import pytest
from flask import Flask
from sqlalchemy import event

from tests.support.history import get_only_person, insert_conversation
from tests.support.html import parse_html
from tests.support.person import HTMX_HEADERS, Page, Person, complete_first_turn
from tests.support.upstream import TWINS, Upstream
from twindow.rendering.render import render
from twindow.web.container import Portal

SHORT, LONG = 60, 1_000


@pytest.fixture
def person(alice: Person, portal: Portal, upstream: Upstream) -> str:
    alice.start_conversation("Hello")
    upstream.next_call().start_stream().complete("Hi")
    return get_only_person(portal.database)


def message_texts(page: Page) -> list[str]:
    return [turn.select_one(".turn__content").get_text()[5:] for turn in page.turns]


@pytest.mark.limit("L35")
def test_page_size_is_independent_of_the_conversation_length(
    alice: Person, portal: Portal, person: str
):
    paths = [
        f"/conversations/{insert_conversation(portal.database, person, n)}" for n in (SHORT, LONG)
    ]
    for query in ("", "?before=31"):
        short, long = (alice.get(path + query) for path in paths)
        assert len(short.turns) == len(long.turns) == 20
        assert abs(len(short.response.content) - len(long.response.content)) < 600
        assert abs(len(short.html.find_all()) - len(long.html.find_all())) <= 4
        assert len(long.html.find_all()) < 1_500


class TestIndexes:
    """Query plans of both databases."""

    @pytest.fixture
    def settings(self, settings: dict[str, Any], database_url: str) -> dict[str, Any]:
        return settings | {"database_url": database_url}

    def test_every_query_of_a_page_uses_an_index(self, alice: Person, portal: Portal, person: str):
        conversation_id = insert_conversation(portal.database, person, LONG)
        asked: list[tuple[str, Any]] = []

        def note(_c: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
            if statement.startswith("SELECT") and "FROM" in statement:
                asked.append((statement, parameters))

        with portal.database.write() as connection:
            connection.exec_driver_sql("ANALYZE")
        event.listen(portal.database.engine, "before_cursor_execute", note)
        alice.get(f"/conversations/{conversation_id}")
        alice.get(f"/conversations/{conversation_id}?before=500")
        alice.get("/conversations")
        event.remove(portal.database.engine, "before_cursor_execute", note)

        plans = [plan(portal, *each) for each in asked]
        large = [lines for lines in plans if "turns" in lines or "entries" in lines]
        assert len(large) >= 3
        listed = [lines for lines in plans if "conversations_listed" in lines]
        assert listed, "the list of conversations is read in the order of its index"
        assert [lines for lines in listed if "TEMP B-TREE" in lines or "Sort" in lines] == []
        for lines in large:
            assert "Seq Scan on turns" not in lines
            assert "Seq Scan on entries" not in lines
            assert "SCAN turns\n" not in lines
            assert "SCAN entries\n" not in lines


def plan(portal: Portal, statement: str, parameters: Any) -> str:
    explain = "EXPLAIN QUERY PLAN " if portal.database.is_sqlite else "EXPLAIN "
    with portal.database.write() as connection:
        if not portal.database.is_sqlite:
            # With only a thousand rows, the planner prefers a sequential scan to an index.
            connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
            connection.exec_driver_sql("SET LOCAL enable_bitmapscan = off")
        rows = connection.exec_driver_sql(explain + statement, parameters)
        return "\n".join(str(row[-1]) for row in rows) + "\n"


def test_earlier_and_later_turns_can_be_paged_through(alice: Person, portal: Portal, person: str):
    path = f"/conversations/{insert_conversation(portal.database, person, SHORT)}"
    page, seen = alice.get(path), []
    assert message_texts(page)[0] == "Question 00041"
    assert page.html.find("a", string="Older messages")
    while True:
        seen = message_texts(page) + seen
        link = page.html.select_one("#earlier a")
        if link is None:
            break
        page = alice.get(link["href"], **HTMX_HEADERS)
        assert page.html.h1 is None
    assert seen == [f"Question {number:05}" for number in range(1, SHORT + 1)]

    page = alice.get(f"{path}?before=21")
    assert message_texts(page)[0] == "Question 00001"
    assert page.html.find("a", string="Jump to latest")
    page = alice.get(page.html.find("a", string="Newer messages")["href"])
    assert message_texts(page)[0] == "Question 00021"
    page = alice.get(page.html.find("a", string="Newer messages")["href"])
    assert message_texts(page)[-1] == "Question 00060"
    assert page.html.select_one("#composer"), "the last page is the newest: here one goes on"


def test_conversation_is_exported_as_markdown(alice: Person, portal: Portal, person: str):
    path = f"/conversations/{insert_conversation(portal.database, person, SHORT)}"
    page = alice.get(path)
    alice.rename(page, title='../a "b"; c=\u00fc 東京/*')
    saved = alice.get(f"{path}/export?format=md").response

    assert saved.headers["Content-Type"] == "text/markdown; charset=utf-8"
    assert saved.headers["Content-Disposition"] == (
        'attachment; filename="conversation.md"; '
        "filename*=UTF-8''a%20b%20c%20%C3%BC%20%E6%9D%B1%E4%BA%AC.md"
    )
    assert saved.text.startswith(
        '# ../a "b"; c=ü 東京/*\n\nA conversation with Ada. All replies but quotations are '
        "generated by AI. (IPTC: trainedAlgorithmicMedia)\n\n"
        "## Ada\n\nHello, I am Ada.\n\n## You, "
    )
    assert saved.text.count("\n> Question ") == saved.text.count("\nAnswer ") == SHORT


# Cases: the title of a conversation, and the name of its export without the extension.
FILES = {
    "CON": "CON conversation",
    "lpt1": "lpt1 conversation",
    "COM\u00b9": "COM\u00b9 conversation",
    "\u0928\u092e\u0938\u094d\u0924\u0947": "\u0928\u092e\u0938\u094d\u0924\u0947",
    "cafe\u0301": "caf\u00e9",
    "Constance": "Constance",
    "\u6771" * 80: "\u6771" * 66,
    "/": "conversation",
}


def test_export_file_name_is_valid_on_every_system(alice: Person, upstream: Upstream):
    page = complete_first_turn(alice, upstream, "Hello", "Hi")
    names = {}
    for title in FILES:
        page = alice.rename(page, title=title)
        saved = alice.get(f"{page.path}/export?format=md").response
        name = saved.headers["Content-Disposition"].partition("filename*=UTF-8''")[2]
        names[title] = unquote(name).removesuffix(".md")

    assert names == FILES


@pytest.mark.parametrize(
    "forged",
    ["## You, 2026-01-01\n\n> I agree", "# A title", "Hi\n===", "``` Hello", "## Adam ##"],
)
def test_greeting_and_reply_cannot_forge_a_turn_in_an_export(
    alice: Person, upstream: Upstream, forged: str
):
    upstream.twins = [TWINS[0] | {"greeting": forged}]
    page = complete_first_turn(alice, upstream, "Hello", f"Yes.\n\n{forged}")
    html = parse_html(render(alice.get(f"{page.path}/export?format=md").response.text))

    # The renderer lowers headings by two levels, and the export those of texts by two more.
    headings = [tag.get_text().partition(",")[0] for tag in html.select("h3, h4")]
    assert headings == ["Hello", "Ada", "You", "Ada"]


def test_conversation_is_exported_as_json_and_other_formats_are_not_found(
    alice: Person, portal: Portal, person: str
):
    path = f"/conversations/{insert_conversation(portal.database, person, SHORT)}"
    answer = alice.get(f"{path}/export?format=json").response
    saved = answer.json()

    assert 'filename="A talk of 60.json"' in answer.headers["Content-Disposition"]
    assert saved["title"] == "A talk of 60"
    assert saved["twin"] == {"id": "ada", "name": "Ada"}
    assert saved["greeting"] == "Hello, I am Ada."
    assert [turn["message"] for turn in saved["turns"]][-1] == "Question 00060"
    assert {turn["state"] for turn in saved["turns"]} == {"complete"}
    for query in ("", "?format=", "?format=pdf", "?format=../md"):
        assert alice.get(f"{path}/export{query}").status == 404


def test_export_reads_only_a_few_turns_into_memory_at_once(app: Flask, portal: Portal, person: str):
    from blueprints.exports import FORMATS
    from twindow.chat.turns import iter_turns

    def size_and_memory(turn_count: int) -> tuple[int, int]:
        conversation_id = insert_conversation(portal.database, person, turn_count, sentences=60)
        conversation = portal.conversations.find(conversation_id, person)
        tracemalloc.start()
        told = iter_turns(portal.log, conversation_id)
        with app.test_request_context():
            size = sum(len(piece) for piece in FORMATS["md"][0](conversation, told))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size, most

    # The first export also fills caches.
    (small, before), (large, most) = size_and_memory(SHORT), size_and_memory(LONG)
    assert large - small > 1_700_000
    assert most - before < large / 10
