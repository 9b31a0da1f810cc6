"""Forced colours and reduced motion are respected."""

from __future__ import annotations

from playwright.sync_api import Page

COUNTDOWN = {"gone", "there", "left-minutes", "left-seconds"}


def test_every_button_and_field_has_an_edge_in_forced_colours(probes: Page):
    probes.emulate_media(forced_colors="active")

    assert probes.evaluate("probes.edgeless()") == []


def test_nothing_moves_but_the_countdown_when_motion_is_reduced(probes: Page):
    probes.emulate_media(reduced_motion="reduce")

    assert set(probes.evaluate("probes.moving()")) <= COUNTDOWN
    assert probes.evaluate("probes.sliding()") == []
