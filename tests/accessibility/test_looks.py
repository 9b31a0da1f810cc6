"""Forced colours and reduced motion are respected."""

from __future__ import annotations

from playwright.sync_api import Page

COUNTDOWN = {"gone", "there", "left-minutes", "left-seconds"}


def test_forced_colours_and_reduced_motion_are_respected(probes: Page):
    """Buttons, fields and the current page are marked; nothing moves but the countdown."""
    probes.emulate_media(forced_colors="active", reduced_motion="reduce")

    assert probes.evaluate("probes.edgeless()") == []
    assert probes.evaluate("probes.unmarked()") == []
    assert set(probes.evaluate("probes.moving()")) <= COUNTDOWN
    assert probes.evaluate("probes.sliding()") == []
