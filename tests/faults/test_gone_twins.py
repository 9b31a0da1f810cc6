"""A twin that is renamed or removed."""

from __future__ import annotations

import pytest

from tests.faults.conftest import text_in
from tests.support.person import Person, complete_first_turn, wait_for_reply
from tests.support.upstream import TWINS, Upstream


@pytest.fixture(autouse=True)
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the cached list of twins expire at once, so that each page requests a new list."""
    monkeypatch.setattr("chat.twins.catalogue.TwinCatalogue.max_age_seconds", 0.001)


@pytest.mark.fault("F86")
def test_conversation_survives_a_renamed_twin_and_is_readable_after_removal(
    alice: Person, upstream: Upstream
):
    page = complete_first_turn(alice, upstream, "Hello", "Hello to you")
    upstream.twins = [{**TWINS[0], "name": "Ada Lovelace"}]
    assert "Ada Lovelace" in alice.get("/").text
    page = alice.press(alice.get(page.path), "Send", content="Still you?")
    upstream.reply("Still me")
    page = wait_for_reply(alice, page)
    assert [text_in(turn, ".turn__reply") for turn in page.turns] == ["Hello to you", "Still me"]

    upstream.twins = TWINS[1:]
    assert "Ada" not in alice.get("/").text
    page = alice.get(page.path)
    assert [text_in(turn, ".turn__reply") for turn in page.turns] == ["Hello to you", "Still me"]
    note = text_in(page.html, "#composer .note")
    assert "Ada is no longer available. This conversation is still saved." in note
    assert page.html.select_one("#message").has_attr("disabled")
    assert page.html.select_one(".composer__send").has_attr("disabled")


def test_name_of_a_removed_twin_is_isolated_in_a_right_to_left_sentence(
    alice: Person, upstream: Upstream
):
    page = complete_first_turn(alice, upstream, "Hello", "Hello to you")
    upstream.twins = TWINS[1:]
    alice.get("/")

    page = alice.get(page.path, **{"Accept-Language": "ar"})

    assert "\u2068Ada\u2069" in text_in(page.html, "#composer .note")
