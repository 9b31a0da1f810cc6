"""Styles and scripts mean the same when what only their readers need is left out."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext

from blueprints.squeeze import squeeze

STATIC = Path(__file__).parent.parent.parent / "static"
RULES = """css => { const sheet = new CSSStyleSheet(); sheet.replaceSync(css);
  return [...sheet.cssRules].map(rule => rule.cssText.replaceAll(", ", ",")) }"""


@pytest.mark.parametrize("path", sorted((STATIC / "css").glob("*.css")), ids=lambda path: path.name)
def test_a_squeezed_style_has_the_same_rules(context: BrowserContext, path: Path):
    text = path.read_text()
    page = context.new_page()
    page.goto("/help")

    rules = page.evaluate(RULES, text)
    assert rules
    assert page.evaluate(RULES, squeeze(f"css/{path.name}", text)) == rules


@pytest.mark.parametrize("path", sorted((STATIC / "js").glob("*.js")), ids=lambda path: path.name)
def test_a_squeezed_script_is_whole(path: Path):
    text = path.read_text()
    kept = squeeze(f"js/{path.name}", text).splitlines()

    lines = [line.strip() for line in text.splitlines()]
    assert kept == [line for line in lines if line and not line.startswith("//")]
