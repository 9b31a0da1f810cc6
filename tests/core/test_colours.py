"""Colours: parsing CSS colours, and a palette that is legible in both themes."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from twindow.core.branding.colour import Oklch, contrast, parse
from twindow.core.branding.colour_names import HEX_BY_NAME
from twindow.core.branding.palette import (
    DARK_PAGE,
    DARK_SURFACE,
    LIGHT_PAGE,
    LIGHT_SURFACE,
    Palette,
)
from twindow.paths import STATIC

TOKENS = (STATIC / "css/tokens.css").read_text()
ANY_COLOUR = st.builds(
    lambda red, green, blue: f"#{red:02x}{green:02x}{blue:02x}", *[st.integers(0, 255)] * 3
)
ANY_OKLCH = st.builds(
    lambda light, chroma, hue: f"oklch({light}% {chroma / 1000} {hue})",
    st.integers(0, 100),
    st.integers(0, 400),
    st.integers(-360, 720),
)


def token(name: str) -> list[Oklch]:
    """Return a colour of the stylesheet in the light and in the dark theme."""
    found = re.search(rf"--{name}: light-dark\((.*)\);", TOKENS)
    assert found
    return [parse(text) for text in re.findall(r"oklch\([^)]*\)", found[1])]


@given(ANY_COLOUR | ANY_OKLCH | st.sampled_from(sorted(HEX_BY_NAME)))
def test_every_accent_is_legible_in_both_themes(accent: str):
    palette = Palette.from_accent(parse(accent))
    text, soft = token("raw-ink"), token("raw-ink-soft")

    for number, scheme in enumerate((palette.light, palette.dark)):
        shown = {name: parse(getattr(scheme, name).hex) for name in ("accent", "wash", "on_accent")}
        for ground in (scheme.page, scheme.surface, shown["wash"], shown["on_accent"]):
            assert contrast(shown["accent"], ground) >= 4.5
        assert contrast(text[number], shown["wash"]) >= 4.5
        assert contrast(soft[number], shown["wash"]) >= 4.5


def test_palette_backgrounds_match_the_stylesheet():
    assert token("raw-paper") == [LIGHT_PAGE, DARK_PAGE]
    assert token("raw-surface") == [LIGHT_SURFACE, DARK_SURFACE]


def test_all_css_colour_names_are_known():
    assert len(HEX_BY_NAME) == 148


@given(ANY_COLOUR)
def test_colour_round_trips_through_hex(written: str):
    assert parse(written).hex == written


COLOURS = [
    ("RebeccaPurple", "#663399"),
    (" #AbC ", "#aabbcc"),
    ("oklch(62.8% 0.2577 29.23)", "#ff0000"),
    ("oklch(0.628 64.4% 29.23deg)", "#ff0000"),
    ("oklch(100% 0 0)", "#ffffff"),
]


def test_css_colours_are_parsed():
    wrong = [(written, shown) for written, shown in COLOURS if parse(written).hex != shown]

    assert wrong == []


NO_COLOURS = [
    "greenish",
    "#12",
    "#1234",
    "#12345g",
    "rgb(1 2 3)",
    "oklch(50% 0.1)",
    "inherit",
    "",
    "red;}",
    "oklch(101% 0 0)",
    "oklch(50% .5 0)",
    "oklch(50% 0.1 165 / 50%)",
    "url(x)",
]


def test_text_that_is_not_a_supported_colour_is_rejected():
    refusals = {written: refusal(written) for written in NO_COLOURS}

    assert [
        each for each in refusals.items() if not re.search("colour of CSS|L goes to", each[1])
    ] == []


def refusal(written: str) -> str:
    try:
        parse(written)
    except ValueError as error:
        return str(error)
    return "accepted"
