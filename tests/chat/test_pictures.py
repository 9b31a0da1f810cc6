"""What is taken for a picture."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from chat.pictures import picture
from tests.support.images import gif_head, jpeg_head, png, png_head, webp_head

KINDS: dict[str, tuple[Callable[[int, int], bytes], str]] = {
    "png": (png_head, "image/png"),
    "gif": (gif_head, "image/gif"),
    "jpeg": (jpeg_head, "image/jpeg"),
    "webp": (webp_head, "image/webp"),
    "webp, lossless": (partial(webp_head, kind=b"L"), "image/webp"),
    "webp, lossy": (partial(webp_head, kind=b" "), "image/webp"),
}


@pytest.mark.parametrize(("made", "kind"), KINDS.values(), ids=KINDS)
def test_a_picture_is_told_by_its_bytes_and_size(made: Callable[[int, int], bytes], kind: str):
    for size in ((8, 8), (44, 300), (4096, 4096)):
        found = picture(made(*size))
        assert found is not None
        assert found.type == kind
    for size in ((1, 1), (7, 44), (44, 7), (4097, 44), (44, 4097), (16000, 16000)):
        assert picture(made(*size)) is None


@pytest.mark.parametrize(("made", "kind"), KINDS.values(), ids=KINDS)
def test_what_breaks_off_is_none(made: Callable[[int, int], bytes], kind: str):
    whole = made(44, 44).rstrip(b"\0")

    assert [cut for cut in range(len(whole) - 1) if picture(whole[:cut])] == []


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        b"<?xml version='1.0'?><svg/>",
        b"<!doctype html><script>alert(1)</script>",
        b"GIF87",
        b"%PDF-1.7",
        b"BM" + bytes(60),
        b"\0\0\x01\0" + bytes(60),
        b" " + png(),
        b"\xff\xd8\xff" + b"\xff" * 1000,
        b"\xff\xd8" + b"\xff\xe1\0\0" * 1000,
        b"RIFF\0\0\0\0WAVEfmt " + bytes(60),
    ],
)
def test_everything_else_is_none(content: bytes):
    assert picture(content) is None
