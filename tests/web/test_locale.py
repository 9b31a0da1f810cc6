"""The language of pages and of stored errors: from the browser or the preferences."""

from __future__ import annotations

from datetime import UTC, datetime

import requests
from babel.dates import format_time
from flask import Flask
from sqlalchemy import update

from tests.support.cases import failures
from tests.support.html import parse_html
from tests.support.person import HTMX_HEADERS, Page, Person
from tests.support.upstream import Upstream
from tools.translations import TRANSLATED_LANGUAGES
from twindow.chat.log.entries import Ended, ReplyState
from twindow.chat.schema import conversations
from twindow.core.languages import LANGUAGES
from twindow.web.container import Portal
from twindow.web.i18n import format_locale, format_number

HEADINGS = {
    "en": "What would you like to know?",
    "de": "Was möchten Sie wissen?",
    "fr": "Que voulez-vous savoir\u202f?",
    "es": "¿Qué quieres saber?",
    "ar": "ماذا تريد أن تعرف؟",
    "ja": "何を知りたいですか？",
}


def language(page: Page) -> tuple[str, str, str]:
    """Return the language, the text direction and the heading of a page."""
    html = page.html.html
    assert page.response.headers["Content-Language"] == html["lang"]
    return str(html["lang"]), str(html["dir"]), page.html.h1.get_text()


def choose(person: Person, code: str) -> Page:
    return person.press(person.get("/preferences"), "Save", language=code)


def test_page_uses_the_language_of_the_browser(alice: Person):
    def check(code: str) -> None:
        page = alice.get("/", **{"Accept-Language": f"{code};q=0.9, tlh"})
        assert language(page) == (code, "rtl" if code == "ar" else "ltr", HEADINGS[code])

    assert failures(check, {code: code for code in LANGUAGES}) == {}


NEAREST = {
    "de-AT": "de",
    "fr-CA,en;q=0.5": "fr",
    "zh": "en",
    "zh-TW,zh;q=0.9,ja;q=0.1": "ja",
    "es-419": "es",
    "en-GB,de;q=0.9": "en",
    "*": "en",
    "": "en",
    "x" * 500: "en",
    "de;q=0,ar;q=0.1": "ar",
    19 * "tlh," + "de": "de",
    200 * "tlh," + "de": "en",
}


def test_nearest_supported_language_is_chosen(alice: Person):
    chosen = {
        asked: language(alice.get("/help", **{"Accept-Language": asked}))[0] for asked in NEAREST
    }
    assert chosen == NEAREST


def test_language_is_chosen_until_it_is_that_of_the_browser_again(alice: Person):
    page = choose(alice, "ar")
    assert language(page)[:2] == ("ar", "rtl")
    assert page.html.select_one("option[value=ar]").has_attr("selected")

    page = alice.press(alice.get("/preferences"), "حفظ", language="system")
    assert language(page)[0] == "en"


def test_rows_of_the_sidebar_are_in_the_language_of_the_page(alice: Person):
    page = alice.start_conversation("Hello")
    labels = []
    for code in ("en", "de"):
        html = alice.get(page.path, **{"Accept-Language": code}).html
        labels.append(html.select_one("#recent button")["aria-label"])

    assert labels[0].startswith("More options for")
    assert labels[1].startswith("Weitere")


def test_languages_are_listed_under_their_own_names(alice: Person):
    html = alice.get("/preferences", **{"Accept-Language": "ja"}).html
    labels = html.select("#language [lang]")

    assert {str(label["lang"]): label.get_text() for label in labels} == LANGUAGES


def test_keys_that_are_pressed_together_stay_from_left_to_right(alice: Person):
    html = alice.get("/help", **{"Accept-Language": "ar"}).html
    keys = {row.get_text(): row.span.get("dir") for row in html.select(".shortcut-list dt")}

    assert (keys["Ctrl + K"], keys["g ثم c"]) == ("ltr", None)


def test_fragments_use_the_language_of_the_page(alice: Person):
    choose(alice, "fr")
    part = alice.get("/?q=nobody", **HTMX_HEADERS)

    assert "Aucun assistant ne correspond à «\u00a0nobody\u00a0»" in part.html.h2.get_text()
    assert part.response.headers["Content-Language"] == "fr"


def test_error_pages_and_form_errors_are_translated(alice: Person):
    english = alice.get("/nowhere").html.select_one(".empty-state").get_text()
    form = alice.get("/twins/ada").hidden_fields("/conversations")

    def check(code: str) -> None:
        asked = {"Accept-Language": code}
        page = alice.get("/nowhere", **asked)
        refused = alice.post("/conversations", form | {"content": " "}, **asked)
        assert page.html.select_one(".empty-state").get_text() != english
        assert refused.status == 422
        assert "Your message is empty" not in refused.text

    assert failures(check, {code: code for code in TRANSLATED_LANGUAGES}) == {}


def test_reply_and_its_export_are_described_in_the_language_of_the_reader(
    alice: Person, upstream: Upstream, portal: Portal
):
    page = alice.start_conversation("Hello")
    upstream.next_call()

    def export() -> requests.Response:
        return alice.get(f"{page.path}/export?format=md", **{"Accept-Language": "de"}).response

    assert "*Diese Antwort wird noch geschrieben.*" in export().text
    ended = Ended(ReplyState.FAILED, code="reply_empty", perhaps_received=True)
    portal.log.end(str(page.turns[-1]["data-turn"]), ended)

    assert "The reply was empty." in alice.get(page.path).text
    german = alice.get(page.path, **{"Accept-Language": "de"}).text
    assert "Die Antwort war leer." in german
    assert "The reply" not in german
    saved = export()
    assert saved.headers["Content-Language"] == "de"
    for sentence in ("Ein Gespräch mit Ada.", "## Sie, ", "*Die Antwort war leer.*"):
        assert sentence in saved.text


def test_twin_names_are_isolated_for_bidirectional_text(
    alice: Person, upstream: Upstream, portal: Portal
):
    page = alice.start_conversation("Hello")
    upstream.next_call().start_stream().complete("Hi")
    with portal.database.write() as connection:
        connection.execute(update(conversations).values(twin_name="<b>שרה</b>"))
    choose(alice, "ar")
    listed = alice.get("/conversations?twin=marlow")
    page = alice.get("/conversations")

    assert listed.html.select_one(".hint bdi").get_text() == "marlow"
    assert page.html.select_one(".rows p a bdi").get_text() == "<b>שרה</b>"
    assert "\u2068<b>שרה</b>\u2069" in page.html.select_one(".rows p a")["aria-label"]


def test_api_is_always_in_english(tmp_path):
    from tests.support.portals import close_portal
    from twindow import application

    app = application.create_app({"data_dir": tmp_path, "model_url": "http://127.0.0.1:9"})
    asked = {"Accept-Language": "de"}
    client = app.test_client()
    try:
        error = client.get("/api/v1/twins", headers=asked)
        page = client.get("/", headers=asked)
    finally:
        close_portal(app)

    assert error.status_code == 401
    assert error.json["error"] == "An API key is required."
    html = parse_html(page.get_data(as_text=True)).html
    assert html is not None
    assert (html["lang"], html["dir"]) == ("de", "ltr")


REGIONS = {
    "en": ("3:00\u202fPM", "1,234.5"),
    "en-GB": ("15:00", "1,234.5"),
    "en-IN,en;q=0.9": ("3:00\u202fpm", "1,234.5"),
    "en-Latn-GB": ("15:00", "1,234.5"),
    "en-XX": ("3:00\u202fPM", "1,234.5"),
    "de-AT": ("15:00", "1.234,5"),
    "fr-CA": ("15 h 00", "1\u00a0234,5"),
    "fr-CH,en-GB;q=0.5": ("15:00", "1\u202f234,5"),
    "es-MX": ("3:00\u202fp.m.", "1,234.5"),
    "tlh-GB": ("3:00\u202fPM", "1,234.5"),
}


def test_region_of_the_browser_formats_times_and_numbers(app: Flask):
    def formats(accepted: str) -> tuple[str, str]:
        with app.test_request_context(headers={"Accept-Language": accepted}):
            afternoon = datetime(2026, 3, 5, 15, tzinfo=UTC)
            return format_time(afternoon, "short", locale=format_locale()), format_number(1234.5)

    assert {accepted: formats(accepted) for accepted in REGIONS} == REGIONS
