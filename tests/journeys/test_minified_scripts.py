"""Minified styles and scripts have the same meaning as their sources."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import BrowserContext

from core.branding.palette import Palette
from core.settings import load_settings
from web.assets.bundles import BUNDLES, build_asset, script_names
from web.assets.minifier import squeeze

STATIC = Path(__file__).parent.parent.parent / "static"
COMMENT = re.compile(r"(?:^|(?<=\s))//.*$", re.MULTILINE)
BLANKS = re.compile(r"\s+")
# Replacements by shorter syntax.
SHORTER = (
    (r"\bconst\b", "let"),
    (r"(?<![\w$.])(?<!async )\((\w+)\) =>", r"\1 =>"),
    (r";\s*}", "}"),
)
QUOTED = re.compile(r"\"[^\"\n]*\"")
DECLARED = re.compile(r"[{;\s](--[\w-]+):")
USED = re.compile(r"var\((--[\w-]+)")
COLOURS = Palette.from_accent(load_settings().accent.colour).css_values()
RULES = """css => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  const plain = (words) => words.replaceAll(", ", ",").replaceAll(": ", ":");
  return [...sheet.cssRules].map((rule) => plain(rule.cssText));
}"""


def test_minified_styles_have_the_same_css_rules(context: BrowserContext):
    page = context.new_page()
    page.goto("/help")
    wrong = []
    for path in sorted((STATIC / "css").glob("*.css")):
        text = path.read_text()
        rules = page.evaluate(RULES, text)
        if not rules or page.evaluate(RULES, squeeze(f"css/{path.name}", text)) != rules:
            wrong.append(path.name)

    assert wrong == []


def test_minified_scripts_differ_only_in_comments_and_white_space():
    wrong = []
    for path in sorted((STATIC / "js").glob("*.js")):
        text = path.read_text()
        same = COMMENT.sub("", text)
        for long, short in SHORTER:
            same = re.sub(long, short, same)
        if BLANKS.sub("", squeeze(f"js/{path.name}", text)) != BLANKS.sub("", same):
            wrong.append(path.name)

    assert wrong == []


def test_each_css_property_has_a_unique_short_name_in_all_styles():
    def declared(*, for_developers: bool) -> set[str]:
        styles = [name for name in BUNDLES if name.endswith(".css")]
        made = [
            build_asset(name, BUNDLES[name], COLOURS, is_debug=for_developers) for name in styles
        ]
        whole = "".join(asset.body.decode() for asset in made)
        names = set(DECLARED.findall(whole))
        assert names >= set(USED.findall(whole))
        return names

    assert len(declared(for_developers=False)) == len(declared(for_developers=True))
    assert max(map(len, declared(for_developers=False))) == len("--00")


def test_short_names_of_script_identifiers_clash_with_no_other_word():
    names = script_names()
    scripts = "".join(path.read_text() for path in (STATIC / "js").glob("*.js"))
    quoted = set(re.findall(r"\w+", " ".join(QUOTED.findall(scripts))))

    assert "newestTurn" in names
    assert "ariaLabel" not in names
    assert not quoted & set(names)
    assert len(set(names.values())) == len(names)
    assert not set(re.findall(r"[\w$]+", scripts)) & set(names.values())
    assert max(map(len, names.values())) <= len("aa0")
