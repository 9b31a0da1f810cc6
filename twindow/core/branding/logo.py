"""The operator's logo: a small image whose content matches its file extension."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from pathlib import Path

from twindow.core.images import detect_media_type

MAX_BYTES = 256 * 1024
SVG_PROLOG = rb"\s*(?:<\?xml[^>]*\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^>\[]*>\s*)*"
SVG_START = re.compile(SVG_PROLOG + rb"<svg[\s>]", re.DOTALL)


class Logo:
    """An image file. Raises ValueError with a plain reason if it cannot be used."""

    def __init__(self, path: str) -> None:
        self.path = Path(path).resolve()
        read(self.path)

    @property
    def filename(self) -> str:
        """Return the file name under which the logo is served."""
        return f"logo{self.path.suffix.lower()}"


def read(path: Path) -> bytes:
    """Return the content of a logo file. Raises ValueError with a plain reason."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ValueError(f"it cannot be read ({error.strerror})") from None
    if len(data) > MAX_BYTES:
        raise ValueError(f"it is larger than {MAX_BYTES // 1024} KiB")
    if _is_image(path.suffix.lower(), data):
        return data
    raise ValueError("it should be a picture whose name ends in .svg, .png or .webp, as it is")


def _is_image(suffix: str, data: bytes) -> bool:
    if suffix == ".svg":
        return SVG_START.match(data.removeprefix(BOM_UTF8)) is not None
    return suffix in (".png", ".webp") and detect_media_type(data) == f"image/{suffix[1:]}"
