"""A twin that is renamed, or is gone."""

from __future__ import annotations

from typing import Any

import pytest

from tests.faults.conftest import words_of
from tests.support.person import Person, ended, say_and_hear
from tests.support.upstream import TWINS, Upstream


@pytest.fixture
def settings(settings: dict[str, Any]) -> dict[str, Any]:
    """Ask for the list of twins at each page."""
    return settings | {"twins_cache": 0.001}


@pytest.mark.fault("F86")
def test_renamed_twin_keeps_its_conversation_and_a_gone_twin_leaves_it_readable(
    alice: Person, upstream: Upstream
):
    page = say_and_hear(alice, upstream, "Hello", "Hello to you")
    upstream.twins = [{**TWINS[0], "name": "Ada Lovelace"}]
    assert "Ada Lovelace" in alice.get("/").text
    page = alice.press(alice.get(page.path), "Send", content="Still you?")
    upstream.reply("Still me")
    page = ended(alice, page)
    assert [words_of(turn, ".turn__reply") for turn in page.turns] == ["Hello to you", "Still me"]

    upstream.twins = TWINS[1:]
    assert "Ada" not in alice.get("/").text
    page = alice.get(page.path)
    assert [words_of(turn, ".turn__reply") for turn in page.turns] == ["Hello to you", "Still me"]
    note = words_of(page.html, "#composer .note")
    assert "Ada is not available any more. What was said here is kept." in note
    assert page.html.select_one("#message").has_attr("disabled")
    assert page.html.select_one(".composer__send").has_attr("disabled")
