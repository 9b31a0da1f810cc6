"""What every page has: one first heading, a state here, and nothing that its policy refuses."""

from __future__ import annotations

from flask import Flask
from playwright.sync_api import Page

from tests.accessibility.conftest import Shown
from tests.accessibility.states import STATES

# What shows no page: files, pictures, words for machines, and the stream of a reply.
NO_PAGE = {
    *(
        "assets.show",
        "avatars.show",
        "brand.favicon",
        "brand.manifest",
        "exports.show",
        "events.show",
    ),
    *("turns.index", "turns.text"),
    *("health.live", "health.ready", "health.stream"),
}


def test_every_page_of_the_portal_has_a_state(app: Flask):
    pages = {rule.endpoint for rule in app.url_map.iter_rules()} - NO_PAGE

    assert pages - {state.endpoint for state in STATES} == set()


def test_a_state_is_what_it_says_with_one_first_heading(shown: Shown, probes: Page):
    assert shown.state.endpoint in shown.endpoints | {""}
    assert [text for text in shown.console if "Content Security Policy" in text] == []
    assert probes.evaluate("probes.firsts()") == 1
