"""Initials that replace missing avatars."""

from __future__ import annotations

from twindow.core.branding.colour import contrast, parse
from twindow.web.assets.initials import COLOURS, initials_avatar, initials_of

INITIALS = {
    "Ada": "A",
    "ada": "A",
    "Émile Zola": "ÉZ",
    "Ada King, Countess of Lovelace": "AL",
    "“HR” helpdesk (Berlin)": "HB",
    "3D printing": "3",
    "ирина": "И",
    "Ωμέγα Άλφα": "ΩΆ",
    "أمين المكتبة": "أ",
    "المساعد": "م",
    "やさしい先生": "や",
    "田中 太郎": "田",
    "🤖 Robo": "🤖",
    "👩🏽‍🔬 Marie Curie": "👩🏽‍🔬",
    "🇫🇷 Guide": "🇫🇷",
    "— —": "—",
    " ": "",
}


def test_initials_are_those_of_the_first_and_the_last_word():
    assert {name: initials_of(name) for name in INITIALS} == INITIALS


def test_initials_are_legible_on_every_colour():
    white = parse("white")

    assert [colour for colour in COLOURS if contrast(parse(colour), white) < 4.5] == []


def test_renamed_twin_keeps_its_colour():
    ada, countess = initials_avatar("ada", "Ada"), initials_avatar("ada", "Countess")
    assert ada.background == countess.background
