"""Recognition of images by their content."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from core.images import sniff_image
from tests.support.images import gif_head, jpeg_head, png, png_head, webp_head

KINDS: dict[str, tuple[Callable[[int, int], bytes], str]] = {
    "png": (png_head, "image/png"),
    "gif": (gif_head, "image/gif"),
    "jpeg": (jpeg_head, "image/jpeg"),
    "webp": (webp_head, "image/webp"),
    "webp, lossless": (partial(webp_head, kind=b"L"), "image/webp"),
    "webp, lossy": (partial(webp_head, kind=b" "), "image/webp"),
}


def test_images_are_recognised_by_content_and_size():
    sizes = {(8, 8), (44, 300), (4096, 4096)}
    others = {(1, 1), (7, 44), (44, 7), (4097, 44), (44, 4097), (16000, 16000)}
    wrong = [
        (name, size)
        for name, (made, kind) in KINDS.items()
        for size in sizes | others
        if getattr(sniff_image(made(*size)), "media_type", None)
        != (kind if size in sizes else None)
    ]

    assert wrong == []


def test_truncated_images_are_rejected():
    wrong = []
    for name, (made, _) in KINDS.items():
        whole = made(44, 44).rstrip(b"\0")
        wrong += [(name, cut) for cut in range(len(whole) - 1) if sniff_image(whole[:cut])]

    assert wrong == []


OTHERS = [
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
]


def test_content_that_is_not_a_supported_image_is_rejected():
    assert [content for content in OTHERS if sniff_image(content)] == []
