"""Minified styles and scripts have the same meaning as their sources."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import BrowserContext

from web.assets.bundles import minify

STATIC = Path(__file__).parent.parent.parent / "static"
COMMENT = re.compile(r"(?:^|(?<=\s))//.*$", re.MULTILINE)
BLANKS = re.compile(r"\s+")
TEMPLATE_LITERAL = re.compile(r"`(?:\\.|[^`\\])*`")
RULES = r"""css => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  const plain = (text) => text.replace(/\s+/g, " ").replaceAll(", ", ",").replaceAll(": ", ":");
  return [...sheet.cssRules].map((rule) => plain(rule.cssText));
}"""


def test_minified_styles_have_the_same_css_rules(context: BrowserContext):
    page = context.new_page()
    page.goto("/help")
    wrong = []
    for path in sorted((STATIC / "css").glob("*.css")):
        text = path.read_text()
        rules = page.evaluate(RULES, text)
        if not rules or page.evaluate(RULES, minify(f"css/{path.name}", text)) != rules:
            wrong.append(path.name)

    assert wrong == []


def test_minified_scripts_differ_only_in_comments_and_white_space():
    wrong = []
    for path in sorted((STATIC / "js").glob("*.js")):
        text = path.read_text()
        without_comments = COMMENT.sub("", text)
        if BLANKS.sub("", minify(f"js/{path.name}", text)) != BLANKS.sub("", without_comments):
            wrong.append(path.name)

    assert wrong == []


def test_scripts_contain_no_nested_template_literals():
    # rjsmin would end a template literal at the first backtick of a nested one.
    wrong = [
        f"{path.name}: {literal}"
        for path in sorted((STATIC / "js").glob("*.js"))
        for literal in TEMPLATE_LITERAL.findall(path.read_text())
        if literal.count("${") != literal.count("}")
    ]

    assert wrong == []
