"""Accessibility of all page states; every page has at least one."""

from __future__ import annotations

import shutil
from pathlib import Path
from pprint import pformat

import pytest
from flask import Flask

from tests.accessibility.environment import Site, State
from tests.accessibility.inspection import Inspector
from tests.accessibility.states import STATES

# Endpoints that show no page: files, images, data for programs, and the stream of a reply.
NO_PAGE = {
    "avatars.show",
    "site.favicon",
    "site.manifest",
    "site.robots",
    "exports.show",
    "events.show",
    "turns.index",
    "conversations.list_recent",
    "turns.text",
    # These endpoints lead to pages that have their own states.
    "session.delete",
    "oidc.callback",
    "oidc.end",
    "oidc.end_from_provider",
    "account.delete_sign_in",
    "keys.revoke",
    "adoption.create",
    "conversation_actions.delete",
    "conversation_actions.restore",
    "health.live",
    "health.ready",
    "health.stream",
    "health.show_request",
}


def test_every_page_endpoint_has_an_accessibility_state(app: Flask):
    pages = {rule.endpoint for rule in app.url_map.iter_rules()} - NO_PAGE

    assert pages - {endpoint for state in STATES for endpoint in state.endpoints} == set()


def marks(state: State) -> list[pytest.MarkDecorator]:
    return [pytest.mark.nightly] if state.is_nightly else []


@pytest.mark.parametrize(
    "state", [pytest.param(each, id=each.name, marks=marks(each)) for each in STATES]
)
def test_page_state_passes_all_accessibility_checks(
    state: State, site: Site, inspector: Inspector, sqlite_template: Path, tmp_path: Path
):
    shutil.copy(sqlite_template, tmp_path)
    with site.open_state(state, tmp_path) as env:
        findings = dict(inspector.findings(env.page))

    if env.status != state.status:
        findings["status"] = env.status
    if not env.endpoints.issuperset(state.endpoints):
        findings["endpoints"] = env.endpoints
    if refused := [text for text in env.console_messages if "Content Security Policy" in text]:
        findings["Content Security Policy"] = refused
    assert findings == {}, pformat(findings, width=100)
