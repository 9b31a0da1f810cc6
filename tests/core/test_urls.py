"""URLs: a site below the root of its host, and URLs for logs."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from twindow.core.urls import OWN_PATHS, enter_sub_path, path_of_url, without_credentials

URLS = {
    "https://example.org": "",
    "https://example.org/": "",
    "https://example.org/chat": "/chat",
    "https://example.org/chat/": "/chat",
    "http://10.0.0.1:8000/a/b_c.d~e/": "/a/b_c.d~e",
}
UNUSABLE = (
    "https://x.example/chat?a",
    "https://x.example/chat#a",
    "https://x.example/a b",
    "https://x.example//a",
    "https://x.example/../a",
    "https://x.example/twins",
    "https://x.example/api/chat",
)
PATHS = {
    "/chat": "/",
    "/chat/": "/",
    "/chat/twins/ada": "/twins/ada",
    "/chats": "/chats",
    "/twins/ada": "/twins/ada",
    "/chat/chat": "/chat",
}


def test_first_segment_of_each_route_is_refused_as_a_sub_path(app: Flask):
    segments = {rule.rule.split("/")[1] for rule in app.url_map.iter_rules()}

    assert segments - OWN_PATHS == {""}


def test_path_of_a_public_url_has_no_slash_at_its_end():
    assert {url: path_of_url(url) for url in URLS} == URLS


def test_unusable_public_url_is_refused():
    for url in UNUSABLE:
        with pytest.raises(ValueError, match=r"."):
            path_of_url(url)


def test_sub_path_is_removed_unless_the_proxy_has_done_so():
    found = {}
    for requested in PATHS:
        environ: dict[str, Any] = {"PATH_INFO": requested}
        enter_sub_path(environ, "/chat")
        assert environ["SCRIPT_NAME"] == "/chat"
        found[requested] = environ["PATH_INFO"]

    assert found == PATHS


def test_url_in_a_log_has_no_credentials():
    url = "https://someone:secret@twins.example:8443/api/v1?key=secret#secret"

    assert without_credentials(url) == "https://twins.example:8443/api/v1"
