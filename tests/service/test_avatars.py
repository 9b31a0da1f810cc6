"""Avatars: the service serves images from the folder of the twins, and no other file."""

from __future__ import annotations

import hashlib
import logging
import os
from pathlib import Path

import pytest
import requests

from tests.service.client import ApiClient
from tests.service.conftest import TWIN
from twindow.service.container import Container
from twindow.service.twins.avatars import MAX_AVATAR_BYTES
from twindow.service.twins.repository import TwinRepository

PNG = b"\x89PNG\r\n\x1a\n" + b"p" * 100
PICTURES = [
    (PNG, "png", "image/png"),
    (b"\xff\xd8\xff\xe0" + b"j" * 100, "jpg", "image/jpeg"),
    (b"RIFF\x0a\x00\x00\x00WEBPVP8 ", "webp", "image/webp"),
    (b"GIF87a" + b"g" * 100, "gif", "image/gif"),
    (b"GIF89a" + b"g" * 100, "gif", "image/gif"),
]


def twin(avatar: str) -> str:
    return TWIN.replace("greeting:", f"avatar: {avatar}\ngreeting:")


def avatar_of(api: ApiClient) -> str | None:
    url: str | None = api.get("/twins/ada").json()["data"]["avatarUrl"]
    return url


def fetch(api: ApiClient, url: str | None, **headers: str) -> requests.Response:
    assert url
    assert url.startswith("/api/v1/")
    return api.get(url.removeprefix("/api/v1"), headers=headers)


def test_avatar_url_is_a_content_hash_and_needs_no_api_key(api: ApiClient, container: Container):
    for content, extension, kind in PICTURES:
        (container.twins.folder / "picture").write_bytes(content)
        (container.twins.folder / "ada.md").write_text(twin("picture"))

        url = avatar_of(api)
        answer = fetch(api, url)

        assert url == f"/api/v1/avatars/{hashlib.sha256(content).hexdigest()}.{extension}"
        assert (answer.status_code, answer.content) == (200, content)
        assert answer.headers["Content-Type"] == kind
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
        again = fetch(api, url, **{"If-None-Match": answer.headers["ETag"]})
        assert (again.status_code, again.content) == (304, b"")


def test_only_avatars_of_current_twins_are_served(api: ApiClient, container: Container):
    folder = container.twins.folder
    (folder / "other.png").write_bytes(PNG + b"another")
    (folder / "ada.png").write_bytes(PNG)
    (folder / "ada.md").write_text(twin("ada.png"))
    url = avatar_of(api)
    assert fetch(api, url).status_code == 200

    names = ["ada.png", "other.png", "ada.md", "..%2Fada.png", "x" * 9000, "%ff", "%F0%9F%98%80"]
    names.append(hashlib.sha256(PNG + b"another").hexdigest() + ".png")
    names.append(str(url).rpartition("/")[2].replace(".png", ".jpg"))
    gone = [api.get(f"/avatars/{name}", headers={}) for name in names]
    (folder / "ada.md").write_text(TWIN)
    gone.append(fetch(api, url))

    assert {answer.status_code for answer in gone} == {404}
    assert {answer.json()["code"] for answer in gone} == {"not_found"}


def test_changed_avatar_has_a_new_url_immediately(api: ApiClient, container: Container):
    (container.twins.folder / "ada.png").write_bytes(PNG)
    (container.twins.folder / "ada.md").write_text(twin("ada.png"))
    first = avatar_of(api)

    (container.twins.folder / "ada.png").write_bytes(PNG[::-1] + b"GIF89a")
    assert avatar_of(api) is None
    (container.twins.folder / "ada.png").write_bytes(PNG + b"new")

    assert avatar_of(api) not in (None, first)
    assert fetch(api, avatar_of(api)).content == PNG + b"new"
    assert fetch(api, first).status_code == 404


def test_unchanged_avatar_is_not_read_again(tmp_path: Path):
    (tmp_path / "ada.png").write_bytes(PNG)
    (tmp_path / "ada.md").write_text(twin("ada.png"))
    twins = TwinRepository(tmp_path)
    picture = twins.find_avatar(twins.list_all()[0])
    assert picture

    assert twins.find_image(picture.name) is twins.find_image(picture.name) is picture


def test_external_avatar_url_is_returned_unchanged(api: ApiClient, container: Container):
    (container.twins.folder / "ada.md").write_text(twin("https://example.org/ada.svg?s=1#x"))

    assert avatar_of(api) == "https://example.org/ada.svg?s=1#x"
    assert container.twins.problems() == []


HIDDEN = [
    ("none.png", "does not exist"),
    ("deeper", "is a folder, not a file"),
    ("ada.md", "is not PNG, JPEG, WebP or GIF"),
    ("empty.png", "is not PNG, JPEG, WebP or GIF"),
    ("face.svg", "is an SVG, which can contain scripts; use PNG, JPEG, WebP or GIF"),
    ("face.png", "is an SVG, which can contain scripts; use PNG, JPEG, WebP or GIF"),
    ("huge.png", "is larger than 1024 KiB"),
    ("pipe.png", "is a pipe or a device, not a file"),
    ("loop.png", "is a broken link"),
    ("lost.png", "is a broken link"),
    ("../secret.png", "is outside the twins folder"),
    ("deeper/../../secret.png", "is outside the twins folder"),
    ("deeper/../ada.md", "is outside the twins folder"),
    ("{outside}/secret.png", "is outside the twins folder"),
    ("{outside}/twins/ada.md", "is outside the twins folder"),
    ("out.png", "is outside the twins folder"),
    ("out/secret.png", "is outside the twins folder"),
    ("http://example.org/a.png", "is not an https:// URL"),
    ("https:///a.png", "is not an https:// URL"),
    ("file:///etc/passwd", "is not an https:// URL"),
    ("javascript:alert(1)", "does not exist"),
    ("x" * 300, "cannot be read: File name too long"),
]


@pytest.fixture
def odd_pictures(tmp_path: Path) -> Path:
    """Return a folder of twins with image files that cannot be served."""
    folder = tmp_path / "twins"
    (folder / "deeper").mkdir(parents=True)
    (tmp_path / "secret.png").write_bytes(PNG)
    (folder / "empty.png").write_bytes(b"")
    (folder / "face.svg").write_bytes(b"<svg/>")
    (folder / "face.png").write_bytes(b"<?xml version='1.0'?>\n<SVG onload='alert(1)'/>")
    (folder / "huge.png").write_bytes(PNG + b"x" * MAX_AVATAR_BYTES)
    os.mkfifo(folder / "pipe.png")
    (folder / "loop.png").symlink_to("loop.png")
    (folder / "lost.png").symlink_to("nowhere.png")
    (folder / "out.png").symlink_to(tmp_path / "secret.png")
    (folder / "out").symlink_to(tmp_path)
    return folder


def test_invalid_avatar_is_hidden_and_logged_once(
    odd_pictures: Path, caplog: pytest.LogCaptureFixture
):
    wrong = []
    for avatar, problem in HIDDEN:
        avatar = avatar.replace("{outside}", str(odd_pictures.parent))
        (odd_pictures / "ada.md").write_text(twin(avatar))
        twins = TwinRepository(odd_pictures)
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            pictures = [twins.find_avatar(ada) for _ in range(3) for ada in twins.list_all()]

        sentence = f"ada.md: line 4: the avatar {avatar} {problem}."
        logged = [f"Avatar not shown: {avatar} {problem}."]
        seen = (pictures, twins.problems(), caplog.messages)
        if seen != ([None, None, None], [sentence], logged):
            wrong.append((avatar, seen))
    assert wrong == []


def test_avatar_may_be_in_a_subfolder_or_behind_a_link_inside_the_folder(tmp_path: Path):
    (tmp_path / "..first").mkdir()
    (tmp_path / "..first" / "ada.png").write_bytes(PNG)
    (tmp_path / "pictures").symlink_to("..first")
    (tmp_path / "ada.md").write_text(twin("pictures/ada.png"))
    twins = TwinRepository(tmp_path)

    assert twins.problems() == []
    assert twins.find_avatar(twins.list_all()[0])
