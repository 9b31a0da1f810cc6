"""Colours: parsed from CSS notation, and compared by WCAG contrast."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace

from twindow.core.branding.colour_names import HEX_BY_NAME

HEX = re.compile(r"#([0-9a-f]{3}|[0-9a-f]{6})", re.ASCII)
NUMBER = r"(\d{1,3}(?:\.\d{1,6})?|\.\d{1,6})"
OKLCH = re.compile(rf"oklch\(\s*{NUMBER}(%?)\s+{NUMBER}(%?)\s+(-?){NUMBER}(?:deg)?\s*\)", re.ASCII)
MAX_CHROMA = 0.4  # 100% chroma in oklch()
EPSILON = 1e-4

Rgb = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Oklch:
    """A colour in OKLCH: lightness 0 to 1, chroma, hue in degrees."""

    lightness: float
    chroma: float
    hue: float

    def __str__(self) -> str:
        """Return the colour in CSS notation."""
        return f"oklch({self.lightness * 100:.4g}% {self.chroma:.3g} {self.hue:.4g})"

    @property
    def hex(self) -> str:
        """Return the colour as #rrggbb."""
        return "#" + "".join(
            f"{round(255 * _linear_to_srgb(part)):02x}"
            for part in self.fit_to_gamut()._linear_rgb()
        )

    def fit_to_gamut(self) -> Oklch:
        """Return the colour with its chroma reduced to what sRGB can display."""
        low, high = 0.0, self.chroma
        if self._is_in_gamut():
            return self
        while high - low > EPSILON:
            middle = (low + high) / 2
            if replace(self, chroma=middle)._is_in_gamut():
                low = middle
            else:
                high = middle
        return replace(self, chroma=low)

    def luminance(self) -> float:
        """Return the relative luminance (WCAG 2)."""
        red, green, blue = self.fit_to_gamut()._linear_rgb()
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    def _is_in_gamut(self) -> bool:
        return all(-EPSILON <= part <= 1 + EPSILON for part in self._linear_rgb())

    def _linear_rgb(self) -> Rgb:
        """Return linear sRGB (Ottosson's matrices, as in CSS Color 4)."""
        hue_radians = math.radians(self.hue)
        a, b = self.chroma * math.cos(hue_radians), self.chroma * math.sin(hue_radians)
        long = (self.lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
        middle = (self.lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
        short = (self.lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
        return (
            4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
            -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
            -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
        )


class Accent:
    """A colour, parsed from CSS notation. Raises ValueError with a plain reason."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.colour = parse(text)


def parse(text: str) -> Oklch:
    """Parse a colour: a name, #rgb, #rrggbb or oklch(). Raises ValueError with a plain reason."""
    css = text.strip().lower()
    if digits := HEX_BY_NAME.get(css):
        return _from_hex(digits)
    if match := HEX.fullmatch(css):
        digits = match[1] if len(match[1]) == 6 else "".join(2 * digit for digit in match[1])
        return _from_hex(digits)
    if match := OKLCH.fullmatch(css):
        lightness = float(match[1]) / (100 if match[2] else 1)
        chroma = float(match[3]) * (MAX_CHROMA / 100 if match[4] else 1)
        if lightness > 1 or chroma > MAX_CHROMA:
            raise ValueError("in oklch(L C H), L goes to 1 or 100%, and C to 0.4 or 100%")
        return Oklch(lightness, chroma, float(match[5] + match[6]) % 360)
    raise ValueError("it should be a colour of CSS: a name, #rrggbb or oklch(50% 0.1 165)")


def contrast(one: Oklch, other: Oklch) -> float:
    """Return the contrast ratio of two colours (WCAG 2): 1 to 21."""
    low, high = sorted((one.luminance(), other.luminance()))
    return (high + 0.05) / (low + 0.05)


def _from_hex(digits: str) -> Oklch:
    red, green, blue = (_srgb_to_linear(int(digits[at : at + 2], 16) / 255) for at in (0, 2, 4))
    long = math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    middle = math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    short = math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    lightness = 0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short
    a = 1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short
    b = 0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short
    chroma = math.hypot(a, b)
    # A grey has no hue: a rounding error must not tint the colours that are derived from the grey.
    hue = math.degrees(math.atan2(b, a)) % 360 if chroma > EPSILON else 0.0
    return Oklch(min(1.0, lightness), chroma if chroma > EPSILON else 0.0, hue)


def _srgb_to_linear(component: float) -> float:
    return (
        component / 12.92 if component <= 0.04045 else float(((component + 0.055) / 1.055) ** 2.4)
    )


def _linear_to_srgb(component: float) -> float:
    value = min(1.0, max(0.0, component))
    return 12.92 * value if value <= 0.0031308 else float(1.055 * value ** (1 / 2.4) - 0.055)
