"""Translated sentences, and numbers, durations, times and dates in each language."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from flask import Flask
from flask.ctx import RequestContext

from tests.support.clock import AdjustableClock
from twindow import twinapi
from twindow.chat.conversations import Conversation
from twindow.chat.log import Reply, ReplyState
from twindow.core.languages import LANGUAGES
from twindow.web.i18n.formatting import (
    ago,
    duration,
    exact_time,
    is_today,
    message_time,
    time_of_day,
    time_or_date,
)
from twindow.web.i18n.sentences import format_number, format_percent
from twindow.web.i18n.service_messages import (
    INTERRUPTIONS,
    MESSAGES,
    english_end_message,
    reply_end_message,
    service_message,
)
from twindow.web.views.date_groups import group_by_date


@pytest.fixture
def in_german(app: Flask):
    with app.test_request_context(headers={"Accept-Language": "de"}):
        yield


FAILED, INTERRUPTED = ReplyState.FAILED, ReplyState.INTERRUPTED
RECEIVED = {"perhaps_received": True}
RESTART = "Die Antwort wurde durch einen Neustart unterbrochen."
UNSENT = "Ihre Nachricht wurde nicht gesendet."
# Cases: how a reply ended, and the German message about it.
ENDS = [
    (Reply(ReplyState.COMPLETE), ""),
    (Reply(FAILED, code="reply_empty", **RECEIVED), "Die Antwort war leer."),
    (
        Reply(INTERRUPTED, code="reply_too_long", params={"count": "1048576"}, **RECEIVED),
        "Die Antwort war zu lang und endet hier. Die ersten 1.048.576 Zeichen wurden gespeichert.",
    ),
    (Reply(INTERRUPTED, code="worker_died", **RECEIVED), RESTART),
    (
        Reply(INTERRUPTED, "So", code="worker_died", **RECEIVED),
        f"{RESTART} Der bisherige Text wurde gespeichert.",
    ),
    (Reply(FAILED, code="not_connected"), f"Der KI-Dienst ist nicht erreichbar. {UNSENT}"),
    (
        Reply(FAILED, code="rejected_with_reason", params={"reason": "100% too %(long)s <b>"}),
        f"Der KI-Dienst hat die Nachricht nicht angenommen: 100% too %(long)s <b>. {UNSENT}",
    ),
    (
        Reply(
            FAILED,
            code="service_error_with_reason",
            params={"reason": "The model returned an empty reply."},
            **RECEIVED,
        ),
        "Der KI-Dienst hat einen Fehler gemeldet: Das Modell hat eine leere Antwort geliefert.",
    ),
]


@pytest.mark.usefixtures("in_german")
def test_reply_ends_are_described_in_the_language_of_the_page():
    wrong = [(reply, shown) for reply, shown in ENDS if reply_end_message(reply) != shown]
    assert wrong == []


def test_reason_of_a_service_is_isolated_in_right_to_left_sentences(app: Flask):
    reason = "All seats are taken."
    with in_language(app, "ar"):
        shown = service_message("service_error_with_reason", {"reason": reason})

    assert f"\u2068{reason}\u2069" in shown


def test_japanese_sentences_follow_each_other_without_a_space(app: Flask):
    reply = Reply(ReplyState.INTERRUPTED, "So", code="stream_interrupted")

    with in_language(app, "ja"):
        assert (
            reply_end_message(reply)
            == "返信が中断されました。それまでに届いた文章は保存されています。"
        )


def test_reply_ends_are_described_in_english_for_exports():
    reply = Reply(ReplyState.FAILED, code="reply_too_long", params={"count": "1048576"})

    assert english_end_message(reply) == (
        "The reply was too long and ends here. The first 1,048,576 characters have been saved. "
        "Your message wasn't sent."
    )


def test_every_error_of_the_client_has_a_message():
    classes = [twinapi.TwinApiError]
    for each in classes:
        classes += each.__subclasses__()

    assert {each.code for each in classes} | INTERRUPTIONS <= set(MESSAGES)


def in_language(app: Flask, code: str) -> RequestContext:
    return app.test_request_context(headers={"Accept-Language": code})


LONG_AGO = time.mktime((2021, 3, 4, 15, 6, 0, 0, 0, -1))

# Cases: a function, and its results by language.
FORMATS: dict[str, tuple[Callable[[], object], dict[str, object]]] = {
    "number": (
        lambda: format_number(1234.5),
        {
            "en": "1,234.5",
            "de": "1.234,5",
            "fr": "1\u202f234,5",
            "es": "1.234,5",
            "ja": "1,234.5",
        },
    ),
    "percentage": (
        lambda: format_percent(45.2),
        {"en": "45%", "de": "45\u00a0%", "fr": "45\u00a0%", "es": "45\u00a0%", "ja": "45%"},
    ),
    "duration": (
        lambda: [duration(seconds) for seconds in (0, 1.4, 120, 7200)],
        {
            "en": ["1 second", "1 second", "2 minutes", "2 hours"],
            "de": ["1 Sekunde", "1 Sekunde", "2 Minuten", "2 Stunden"],
            "ar": ["ثانية", "ثانية", "دقيقتان", "ساعتان"],
            "ja": ["1 秒", "1 秒", "2 分", "2 時間"],
        },
    ),
    "age": (
        lambda: ago(2 * 86_400),
        {"en": "2 days ago", "de": "vor 2 Tagen", "ar": "قبل يومين", "ja": "2 日前"},
    ),
    "date and time": (
        lambda: exact_time(LONG_AGO).partition(":06")[0],
        {
            "en": "March 4, 2021, 3",
            "de": "4. März 2021, 15",
            "ar": "4 مارس 2021، 3",
            "ja": "2021年3月4日 15",
        },
    ),
}


@pytest.mark.parametrize("name", FORMATS)
def test_numbers_durations_and_times_are_formatted_in_the_language(app: Flask, name: str):
    shown, (function, expected) = {}, FORMATS[name]
    for code in expected:
        with in_language(app, code):
            shown[code] = function()

    assert shown == expected


MARCH = {"en": "March", "de": "März", "fr": "mars", "es": "marzo", "ar": "مارس", "ja": "3月"}


def test_list_has_the_time_of_today_and_the_date_of_earlier_days(
    app: Flask, clock: AdjustableClock
):
    for code in LANGUAGES:
        with in_language(app, code):
            assert MARCH[code] in time_or_date(LONG_AGO)
            assert "2021" in time_or_date(LONG_AGO)
            assert re.search(r"\d+:\d\d", time_or_date(clock.time()))
            assert message_time(LONG_AGO).startswith(time_or_date(LONG_AGO))
            assert message_time(LONG_AGO).endswith(time_of_day(LONG_AGO))


def at_clock(app: Flask, zone: str) -> object:
    return app.test_request_context(headers={"Accept-Language": "de", "Cookie": f"zone={zone}"})


NOON = datetime(2026, 11, 23, 12, tzinfo=UTC).timestamp()


ZONES = {"Asia/Tokyo": "21:00", "America/Lima": "07:00", "Etc/GMT+11": "01:00"}


def test_times_are_in_the_time_zone_of_the_reader(app: Flask):
    for zone, shown in ZONES.items():
        with at_clock(app, zone):
            assert time_of_day(NOON) == shown
            assert exact_time(NOON).startswith(f"23. November 2026, {shown} ")


def test_unknown_time_zone_falls_back_to_the_named_zone_of_the_server(app: Flask):
    here = datetime.fromtimestamp(NOON).astimezone()
    shown = {}
    for zone in ("", "Nowhere/Land", "../../etc/passwd", "x" * 4000, "%00", "ä"):
        with at_clock(app, zone):
            shown[zone] = time_of_day(NOON)
    assert shown == dict.fromkeys(shown, f"{here:%H:%M} {here:%Z}")


def test_date_groups_follow_the_time_zone_of_the_reader(app: Flask, clock: AdjustableClock):
    clock.set_wall_clock(NOON)
    conversation = Conversation("id", "p", "ada", "Ada", "t", None, NOON, NOON - 10 * 3600)
    names = {}
    for zone in ("UTC", "America/Lima"):
        with at_clock(app, zone):
            [(names[zone], _)] = group_by_date([conversation])
            assert is_today(conversation.updated_at) == (zone == "UTC")

    assert names == {"UTC": "Heute", "America/Lima": "Gestern"}


SUNDAY = datetime(2026, 11, 22, 12, tzinfo=UTC).timestamp()
TUESDAY = datetime(2026, 11, 24, 12, tzinfo=UTC).timestamp()
FIRST_DAYS = {"en-GB": "November", "en-US": "This week", "ar-EG": "هذا الأسبوع"}


def test_this_week_begins_on_the_first_day_of_the_week_in_the_region(
    app: Flask, clock: AdjustableClock
):
    clock.set_wall_clock(TUESDAY)
    conversation = Conversation("id", "p", "ada", "Ada", "t", None, SUNDAY, SUNDAY)
    names = {}
    for code in FIRST_DAYS:
        with in_language(app, code):
            [(names[code], _)] = group_by_date([conversation])
    assert names == FIRST_DAYS


def test_date_groups_have_translated_headings(app: Flask, clock: AdjustableClock):
    def at(then: float) -> Conversation:
        return Conversation("id", "p", "ada", "Ada", "t", None, then, then)

    clock.set_wall_clock(TUESDAY)
    with app.test_request_context(headers={"Accept-Language": "es"}):
        names = [name for name, _ in group_by_date([at(TUESDAY), at(TUESDAY - 86_400)])]
        old = group_by_date([at(LONG_AGO)])
    with app.test_request_context(headers={"Accept-Language": "ja"}):
        japanese = group_by_date([at(LONG_AGO)])

    assert names == ["Hoy", "Ayer"]
    assert [name for name, _ in old] == ["Marzo de 2021"]
    assert [name for name, _ in japanese] == ["2021年3月"]


COUNTS = {
    1: "تمت استعادة محادثة واحدة",
    2: "تمت استعادة محادثتين",
    3: "تمت استعادة 3 محادثات",
    11: "تمت استعادة 11 محادثة",
    100: "تمت استعادة 100 محادثة",
}


def test_arabic_has_a_plural_form_for_each_number(app: Flask):
    with in_language(app, "ar"):
        template = app.jinja_env.from_string(
            '{{ ngettext("%(count)s conversation restored", "%(count)s conversations restored",'
            " n, count=n) }}"
        )
        assert {count: template.render(n=count) for count in COUNTS} == COUNTS
