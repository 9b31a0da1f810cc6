"""The path to which a person returns: always one of this portal."""

from __future__ import annotations

from flask import Flask

from twindow.web.person.return_path import current_page, return_path

OWN = ("/", "/conversations?twin=ada", "/twins/z%C3%BCrich%20west?q=%C3%BC")
# Invalid paths, and URLs of other sites, some of them disguised as paths.
FOREIGN = (
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "https://evil.example",
    "/\t/evil",
    "javascript:alert(1)",
    "/\n/evil.example",
    "//evil.example/%2f..",
    "evil.example",
    "/é",
    "///evil.example",
    "/\\/evil.example",
    "http:evil.example",
    "/" + "x" * 2_000,
)
OUTSIDE_THE_SUB_PATH = (
    "/chatevil",
    "/",
    "/chat/../evil",
    "/chat/%2e%2e/evil",
    "/chat/.%2E/evil",
    "/chat/x/../../evil",
    "/chat/..",
)


def test_target_that_is_no_path_of_the_portal_is_replaced_by_the_first_page(app: Flask):
    with app.test_request_context():
        assert [target for target in OWN if return_path(target) != target] == []
        assert [target for target in FOREIGN if return_path(target) != "/"] == []


def test_target_outside_the_sub_path_is_replaced_by_the_first_page(app: Flask):
    with app.test_request_context("/", base_url="https://example.org/chat"):
        assert return_path("/chat/help") == "/chat/help"
        assert [path for path in OUTSIDE_THE_SUB_PATH if return_path(path) != "/chat/"] == []


def test_page_of_a_malformed_or_foreign_referrer_is_unknown(app: Flask):
    for referrer in ("http://[", "http://[::1", "//[", "x" * 9, "https://evil.example/help"):
        with app.test_request_context(method="POST", headers={"Referer": referrer}):
            assert current_page() is None, referrer
