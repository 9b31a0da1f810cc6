"""Forced colours and reduced motion are respected."""

from __future__ import annotations

from playwright.sync_api import Page

COUNTDOWN = {"gone", "there", "left-minutes", "left-seconds"}


def test_buttons_fields_and_the_current_page_are_marked_in_forced_colours(probes: Page):
    probes.emulate_media(forced_colors="active")

    assert probes.evaluate("probes.edgeless()") == []
    assert probes.evaluate("probes.unmarked()") == []


def test_nothing_moves_but_the_countdown_when_motion_is_reduced(probes: Page):
    probes.emulate_media(reduced_motion="reduce")

    assert set(probes.evaluate("probes.moving()")) <= COUNTDOWN
    assert probes.evaluate("probes.sliding()") == []
