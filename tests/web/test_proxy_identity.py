"""The name that a proxy reports: accepted only from listed networks, and only if well-formed."""

from __future__ import annotations

import pytest
from flask import Flask
from werkzeug.datastructures import Headers

from tests.support.cases import failures
from twindow.web.person.proxy_identity import (
    _warn_about_groups,
    _warn_about_placeholder,
    proxy_groups,
    proxy_subject,
)

HEADER = "X-Remote-User"
# Each case: peer, header values (latin-1, as WSGI decodes them), and the accepted name.
CASES: dict[str, tuple[str, list[str], str | None]] = {
    "listed address": ("10.0.0.7", ["anna"], "anna"),
    "listed network": ("192.168.3.4", ["anna"], "anna"),
    "listed IPv6 network": ("2001:db8::5", ["anna"], "anna"),
    "IPv4 address mapped to IPv6": ("::ffff:10.0.0.7", ["anna"], "anna"),
    "other characters": ("10.0.0.7", ["Änne".encode().decode("latin-1")], "Änne"),
    "e-mail address": ("10.0.0.7", ["anna+x@corp.example"], "anna+x@corp.example"),
    "unlisted address": ("10.0.0.8", ["anna"], None),
    "unlisted address mapped to IPv6": ("::ffff:10.0.0.8", ["anna"], None),
    "unlisted IPv6 network": ("2001:db9::5", ["anna"], None),
    "Unix socket": ("", ["anna"], None),
    "no header": ("10.0.0.7", [], None),
    "empty header": ("10.0.0.7", [""], None),
    "two headers": ("10.0.0.7", ["anna", "ben"], None),
    "two headers that were joined": ("10.0.0.7", ["anna, ben"], None),
    "comma": ("10.0.0.7", ["anna,"], None),
    "NUL": ("10.0.0.7", ["an\0na"], None),
    "control character": ("10.0.0.7", ["anna\x1b"], None),
    "C1 control character": ("10.0.0.7", ["anna\x85".encode().decode("latin-1")], None),
    "character that changes the direction": (
        "10.0.0.7",
        ["anna\u202e".encode().decode("latin-1")],
        None,
    ),
    "bytes that are not UTF-8": ("10.0.0.7", ["ann\xe4"], None),
    "blank": ("10.0.0.7", [" "], None),
    "spaces around": ("10.0.0.7", ["anna\xa0".encode().decode("latin-1")], None),
    "200 characters": ("10.0.0.7", ["x" * 200], "x" * 200),
    "placeholder of Apache": ("10.0.0.7", ["(null)"], None),
    "placeholder of a script": ("10.0.0.7", ["None"], None),
    "placeholder of logs": ("10.0.0.7", ["-"], None),
    "2,000 characters": ("10.0.0.7", ["x" * 2_000], None),
}


# Let a proxy sign people in.
pytestmark = pytest.mark.settings(
    sign_in="proxy",
    proxy_user_header=HEADER,
    proxy_networks="10.0.0.7, 192.168.0.0/16, 2001:db8::/32",
)


def test_proxy_header_must_contain_one_valid_name_and_come_from_a_listed_network(app: Flask):
    def check(case: tuple[str, list[str], str | None]) -> None:
        peer, values, subject = case
        headers = Headers()
        environ = {"REMOTE_ADDR": peer}
        if values:
            # WSGI servers join repeated headers.
            environ[f"HTTP_{HEADER.upper().replace('-', '_')}"] = ",".join(values)
        with app.test_request_context(headers=headers, environ_overrides=environ):
            assert proxy_subject() == subject

    assert failures(check, CASES) == {}


def test_placeholder_instead_of_a_name_is_logged_once(app: Flask, caplog: pytest.LogCaptureFixture):
    _warn_about_placeholder.cache_clear()
    environ = {"REMOTE_ADDR": "10.0.0.7", "HTTP_X_REMOTE_USER": "(null)"}
    for _ in range(3):
        with app.test_request_context(environ_overrides=environ):
            proxy_subject()

    assert caplog.messages == [
        "Requests with “(null)” in X-Remote-User are refused: it names nobody."
    ]


# Cases: the value of a groups header, and the groups that it names.
GROUPS: dict[str, list[str]] = {
    "staff, Domain Users": ["Domain Users", "staff"],
    "staff|sales": ["sales", "staff"],
    "staff;sales": ["sales", "staff"],
    "/staff,/company/sales": ["company/sales", "staff"],
    '["staff", "sales"]': ["sales", "staff"],
    "[]": [],
    "(null)": [],
    "-": [],
}
# Cases: a value that cannot be read, and the reason in the log.
UNREADABLE = {
    "[staff]": "it is no list of names",
    '["CN=staff,DC=example"]': "it is no list of names",
    "staff\x1b": "a name is too long or has unusual characters",
    ",".join(map(str, range(201))): "it has more than 200 groups",
}


@pytest.mark.settings(proxy_groups_header="X-Remote-Groups")
def test_groups_are_read_in_the_formats_of_identity_providers(
    app: Flask, caplog: pytest.LogCaptureFixture
):
    assert {value: groups_of(app, value) for value in GROUPS} == GROUPS
    assert caplog.messages == []


@pytest.mark.settings(proxy_groups_header="X-Remote-Groups")
def test_groups_that_cannot_be_read_are_no_groups_and_logged_once(
    app: Flask, caplog: pytest.LogCaptureFixture
):
    for value, reason in UNREADABLE.items():
        _warn_about_groups.cache_clear()
        caplog.clear()
        assert [groups_of(app, value) for _ in range(2)] == [[], []]
        sentence = f"People have no groups: X-Remote-Groups cannot be read: {reason}."
        assert caplog.messages == [sentence]


def groups_of(app: Flask, value: str) -> list[str]:
    environ = {"REMOTE_ADDR": "10.0.0.7", "HTTP_X_REMOTE_GROUPS": value}
    with app.test_request_context(environ_overrides=environ):
        groups = proxy_groups()
    assert groups is not None
    return list(groups)


@pytest.mark.settings(sign_in="password")
def test_proxy_header_is_ignored_without_the_proxy_sign_in_mode(app: Flask):
    environ = {"REMOTE_ADDR": "10.0.0.7", "HTTP_X_REMOTE_USER": "anna"}
    with app.test_request_context(environ_overrides=environ):
        assert proxy_subject() is None
