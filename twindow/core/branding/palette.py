"""Colours derived from one accent, legible in both themes for every accent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace

from twindow.core.branding.colour import Oklch, contrast

# Slightly more than the 4.5 of WCAG, because screens round to 8 bits.
MIN_CONTRAST = 4.6
LIGHTNESS_STEP = 0.005

# The same values as in static/css/tokens.css; a test compares them.
LIGHT_PAGE, LIGHT_SURFACE = Oklch(0.986, 0.006, 85), Oklch(1, 0, 0)
DARK_PAGE, DARK_SURFACE = Oklch(0.19, 0.008, 75), Oklch(0.23, 0.009, 75)
DARK_LIGHTNESS = 0.8


@dataclass(frozen=True, slots=True)
class Scheme:
    """The colours that one theme derives from the accent, and the backgrounds of the theme."""

    page: Oklch
    surface: Oklch
    accent: Oklch
    wash: Oklch
    on_accent: Oklch


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of both themes."""

    light: Scheme
    dark: Scheme

    @classmethod
    def from_accent(cls, accent: Oklch) -> Palette:
        """Derive both themes from one colour."""
        tint = _Tint(accent)
        wash = tint.shade(0.955, 0.025)
        light = tint.legible_shade(
            LIGHT_PAGE, LIGHT_SURFACE, wash, start=accent.lightness, step=-LIGHTNESS_STEP
        )
        dark_wash = tint.shade(0.29, 0.035)
        start = max(DARK_LIGHTNESS, accent.lightness)
        dark = tint.legible_shade(
            DARK_PAGE, DARK_SURFACE, dark_wash, start=start, step=LIGHTNESS_STEP
        )
        return cls(
            Scheme(LIGHT_PAGE, LIGHT_SURFACE, light, wash, tint.shade(0.99, 0.01)),
            Scheme(DARK_PAGE, DARK_SURFACE, dark, dark_wash, tint.shade(0.18, 0.03)),
        )

    def css_values(self) -> dict[str, str]:
        """Return each colour twice: in CSS notation and, with the suffix `_hex`, as #rrggbb."""
        colours = {
            f"{theme.name}_{part.name}": getattr(getattr(self, theme.name), part.name)
            for theme in fields(Palette)
            for part in fields(Scheme)
        }
        return {name: str(colour) for name, colour in colours.items()} | {
            f"{name}_hex": colour.hex for name, colour in colours.items()
        }


@dataclass(frozen=True, slots=True)
class _Tint:
    accent: Oklch

    def shade(self, lightness: float, chroma: float) -> Oklch:
        """Return the accent with this lightness, and with this chroma at most."""
        max_chroma = min(chroma, self.accent.chroma)
        return replace(self.accent, lightness=lightness, chroma=max_chroma).fit_to_gamut()

    def legible_shade(self, *backgrounds: Oklch, start: float, step: float) -> Oklch:
        """Vary the lightness from `start`; return the first colour legible on all backgrounds."""
        for lightness in _lightness_steps(start, step):
            colour = replace(self.accent, lightness=lightness).fit_to_gamut()
            if all(contrast(colour, ground) >= MIN_CONTRAST for ground in backgrounds):
                return colour
        raise AssertionError("black and white are legible on every ground here")


def _lightness_steps(start: float, step: float) -> Iterator[float]:
    count = round((start if step < 0 else 1 - start) / LIGHTNESS_STEP) + 1
    yield from (min(1.0, max(0.0, start + step * number)) for number in range(count + 1))
