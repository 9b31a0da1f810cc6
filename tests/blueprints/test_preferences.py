"""Preferences are stored, and passed to styles and scripts as data attributes."""

from __future__ import annotations

from dataclasses import asdict

import pytest
from flask import Flask
from sqlalchemy import func, select

from tests.support.person import HTMX_HEADERS, Page, Person
from twindow.web.container import Portal
from twindow.web.preferences import Preferences
from twindow.web.session.rows import sessions

OTHERS = {
    "theme": "dark",
    "text": "large",
    "enter": "newline",
    "announce": "off",
    "shortcuts": "off",
}


def data_attributes(page: Page) -> dict[str, str]:
    """Return the preferences in the data attributes of <html>."""
    attributes = page.html.html.attrs
    return {
        name.removeprefix("data-"): value
        for name, value in attributes.items()
        if name.startswith("data-")
    }


def session_count(portal: Portal) -> int:
    with portal.database.read() as connection:
        return int(connection.execute(select(func.count()).select_from(sessions)).scalar_one())


def choose(person: Person, **chosen: str) -> Page:
    return person.press(person.get("/preferences"), "Save", **chosen)


def test_reading_pages_creates_no_session(alice: Person, portal: Portal):
    for path in ("/conversations", "/help", "/nowhere", "/", "/keys", "/twins/ada"):
        alice.get(path)

    assert session_count(portal) == 0


def test_chosen_preferences_are_data_attributes_until_they_are_reset(alice: Person):
    chosen: dict[str, str] = {}
    for name, value in OTHERS.items():
        chosen[name] = value
        answer = choose(alice, **chosen)
        assert "Saved." in answer.text
        assert answer.html.select_one(f"input[name={name}][value={value}]").has_attr("checked")
        assert data_attributes(answer) == chosen

    assert data_attributes(choose(alice, **asdict(Preferences()))) == {}


def test_invalid_preferences_are_ignored(alice: Person):
    page = choose(alice, theme='dark" onload="x', enter="newline", nonsense="x")

    assert data_attributes(page) == {"enter": "newline"}


def test_browser_colour_follows_the_theme(alice: Person):
    choose(alice, theme="dark")
    html = alice.get("/").html

    assert html.select_one("meta[name=color-scheme]")["content"] == "dark"
    assert [tag.attrs for tag in html.select("meta[name=theme-color]")] == [
        {"name": "theme-color", "content": "#161310"}
    ]


@pytest.mark.limit("L14")
def test_fresh_cookies_at_one_address_store_a_limited_number_of_sessions(
    app: Flask, portal: Portal, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("twindow.web.form_limits.MAX_NEW_SESSIONS", 2)

    def save_from(address: str) -> int:
        client = app.test_client()
        client.environ_base["REMOTE_ADDR"] = address
        client.get("/preferences")
        fields = {"theme": "dark"}
        first, *others = (client.post("/preferences", data=fields).status_code for _ in "12")
        assert first == 429 or others == [303]  # only new sessions are limited
        return first

    assert [save_from("192.0.2.1") for _ in range(20)] == [303] * 2 + [429] * 18
    assert session_count(portal) == 2
    assert save_from("192.0.2.2") == 303


def test_script_saves_each_change_but_the_language(alice: Person):
    alice.get("/preferences")
    answer = alice.post("/preferences", {"language": "de", "theme": "dark"}, **HTMX_HEADERS)

    assert answer.text == "Saved."
    html = alice.get("/").html.html
    assert (html["lang"], html["data-theme"]) == ("en", "dark")


def test_theme_is_chosen_in_the_menu_of_any_page(alice: Person):
    action, fields = alice.get("/conversations?q=bicycle").button_action("Dark")
    page = alice.post(action, fields, Referer=f"{alice.base_url}/conversations?q=bicycle")

    assert page.response.url.endswith("/conversations?q=bicycle")
    assert data_attributes(page) == {"theme": "dark"}
    assert page.html.select_one("#more button[aria-current]").get_text() == "Dark"
