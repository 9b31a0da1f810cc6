"""Branding by the operator: site name, accent, links and logo, all treated as untrusted."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.support.person import Page, Person
from tests.support.upstream import Upstream
from twindow.core.branding.colour import parse
from twindow.core.branding.logo import Logo
from twindow.core.branding.palette import Palette
from twindow.paths import STATIC

SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


pytestmark = pytest.mark.settings(
    site_name="Ask <Us>",
    accent="crimson",
    welcome="Hello <b>you</b>.\\nCome in.",
    footer_links="Imprint=https://example.org/imprint?a=1, Desk=mailto:desk@example.org",
)


def test_site_name_welcome_and_footer_links_are_shown(alice: Person):
    page = alice.get("/")

    assert page.html.title.get_text() == "New conversation · Ask <Us>"
    assert page.html.h1.get_text() == "Hello <b>you</b>."
    assert page.html.select_one(".lead").get_text() == "Come in."
    links = {link.get_text(): link["href"] for link in page.html.select(".operators-links a")}
    assert links["Imprint"] == "https://example.org/imprint?a=1"
    assert links["Desk"] == "mailto:desk@example.org"


def test_accent_is_applied_to_the_stylesheet_and_icons(alice: Person):
    html = alice.get("/").html
    style = alice.get(html.select_one("link[rel=stylesheet]")["href"]).response
    favicon = alice.get(html.select_one("link[rel=icon]")["href"]).response

    colours = Palette.from_accent(parse("crimson")).css_values()
    assert f"light-dark({colours['light_accent']}, {colours['dark_accent']})" in style.text
    assert "$" not in favicon.text
    assert "color:#d60438" in favicon.text
    assert favicon.headers["Content-Type"] == "image/svg+xml"


def test_manifest_names_the_site_and_its_icons(alice: Person):
    page = alice.get("/")
    answer = alice.get(page.html.select_one("link[rel=manifest]")["href"]).response
    manifest = answer.json()

    assert answer.headers["Content-Type"] == "application/manifest+json"
    assert "Set-Cookie" not in answer.headers
    assert manifest["name"] == "Ask <Us>"
    assert manifest["background_color"] == "#fcfaf6"
    assert manifest["display"] == "standalone"
    assert "maskable" in {icon["purpose"] for icon in manifest["icons"]}
    assert {"192x192", "512x512"} <= {icon["sizes"] for icon in manifest["icons"]}
    touch_icon = {"src": page.html.select_one("link[rel=apple-touch-icon]")["href"]}
    for icon in (*manifest["icons"], touch_icon | {"type": "image/png"}):
        shown = alice.get(str(icon["src"])).response
        assert (shown.status_code, shown.headers["Content-Type"]) == (200, icon["type"])
    assert [tag["content"] for tag in page.html.select("meta[name=theme-color]")] == [
        "#fcfaf6",
        "#161310",
    ]


@pytest.mark.settings(app_icon=str(STATIC / "icons/icon-192.png"))
def test_icon_of_the_operator_is_used_on_home_screens(alice: Person):
    page = alice.get("/")
    manifest = alice.get("/manifest.webmanifest").response.json()
    shown = alice.get(str(page.html.select_one("link[rel=apple-touch-icon]")["href"])).response

    assert [icon["src"] for icon in manifest["icons"]] == [urlsplit(shown.url).path]
    assert shown.content == (STATIC / "icons/icon-192.png").read_bytes()


@pytest.mark.settings(banner="Closed <tomorrow>\nfrom 18:00")
def test_banner_is_plain_text_above_every_page(alice: Person, upstream: Upstream):
    page = alice.start_conversation("Hello")
    upstream.next_call().start_stream()
    pages = [alice.get(path).html for path in ("/", "/help", "/nowhere", page.path)]
    streamed = alice.session.get(f"{alice.base_url}{page.path}?follow=1", stream=True)
    chunks, head = streamed.iter_content(100_000), b""
    while b"</header>" not in head:
        head += next(chunks)
    pages.append(Page.parse(head.partition(b"</header>")[0].decode()))
    streamed.close()

    banners = {html.select_one(".banner").get_text() for html in pages}
    assert banners == {"Closed <tomorrow> from 18:00"}


@pytest.mark.settings(reply_notice="Report <wrong> answers to the desk.")
def test_notice_is_below_the_message_box_of_a_conversation(alice: Person):
    notice = alice.start_conversation("Hello").html.select_one(".composer__notice")

    assert notice.get_text().strip() == "Report <wrong> answers to the desk."
    assert alice.get("/").html.select_one(".composer__notice") is None


def test_replies_are_said_to_be_fallible_by_default(alice: Person):
    page = alice.start_conversation("Hello")

    assert "Replies can be wrong." in page.html.select_one(".composer__notice").get_text()


class TestWithALogo:
    @pytest.fixture
    def settings(self, settings: dict[str, Any], tmp_path: Path) -> dict[str, Any]:
        (tmp_path / "logo.svg").write_bytes(SVG)
        return settings | {"logo": str(tmp_path / "logo.svg"), "logo_has_name": True}

    def test_logo_is_served_as_a_sandboxed_image(self, alice: Person, tmp_path: Path):
        (tmp_path / "logo.svg").unlink()  # the file is read only at start
        picture = alice.get("/").html.select_one(".brand img")
        answer = alice.get(picture["src"]).response

        assert picture["alt"] == ""
        assert answer.content == SVG
        assert answer.headers["Content-Type"].startswith("image/svg+xml")
        assert answer.headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "immutable" in answer.headers["Cache-Control"]

    def test_name_in_the_logo_is_only_for_screen_readers(self, alice: Person):
        name = alice.get("/").html.select_one(".brand span")

        assert name.get_text() == "Ask <Us>"
        assert name["class"] == ["visually-hidden"]


def test_page_has_a_description(alice: Person):
    def description(path: str) -> str:
        return str(alice.get(path).html.select_one("meta[name=description]")["content"])

    assert "AI assistants" in description("/")
    assert description("/twins/ada") == alice.get("/twins/ada").html.select_one(".lead").get_text()


def test_logo_must_match_its_extension_and_size_limit(tmp_path: Path):
    def read(name: str, data: bytes) -> str:
        (tmp_path / name).write_bytes(data)
        return Logo(str(tmp_path / name)).filename

    assert read("Logo.PNG", PNG) == "logo.png"
    assert read("logo.webp", b"RIFF\x00\x00\x00\x00WEBPVP8 ") == "logo.webp"
    for name, data in (("a.png", SVG), ("a.svg", PNG), ("b.svg", b"<html><svg></svg>"), ("c", PNG)):
        with pytest.raises(ValueError, match="should be a picture"):
            read(name, data)
    with pytest.raises(ValueError, match="larger than 256 KiB"):
        read("large.png", PNG + bytes(256 * 1024))


def test_favicon_is_served_at_the_default_path(alice: Person):
    icon = alice.get("/favicon.ico").response

    assert icon.headers["Content-Type"].startswith("image/svg+xml")
    assert "Set-Cookie" not in icon.history[0].headers
