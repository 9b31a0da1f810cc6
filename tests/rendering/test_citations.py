"""Marks of citations become links to sources."""

from __future__ import annotations

from tests.support.html import parse_html
from twindow.rendering import link_citations, render


def test_mark_of_a_source_becomes_a_link_to_it():
    html = parse_html(link_citations(render("Bread rises [1][2]."), "s-", 2))

    assert html.get_text() == "Bread rises [1][2]."
    assert [(a["href"], a.get_text()) for a in html.select("p > a.citation")] == [
        ("#s-1", "[1]"),
        ("#s-2", "[2]"),
    ]


def test_number_without_a_source_code_links_and_formulas_stay_as_they_are():
    html = render("[0] [3] `a[1]` [x[1]](https://example.com) $x_{[1]}$\n\n```\nb[1]\n```")

    assert link_citations(html, "s-", 2) == html
