"""What a person has selected, focused or scrolled in a reply stays while the reply grows."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Page, expect

from tests.support.page_steps import (
    open_answered_conversation,
    reply_text,
    send_while_replying,
    turn,
)
from tests.support.upstream import Upstream

WORDS = "kept words"
# Kinds of growth: the text in which the words are selected, and the text that follows. The words
# "the end" are displayed at last.
GROWTH = {
    "text": ("See kept words and", " so on to the end"),
    "strong emphasis around": ("See **kept words and", " so** the end"),
    "link around": ("See [kept words](htt", "ps://x.example/) the end"),
    "definition of a link": (
        "See kept words and [that].\n\nMore",
        " the end\n\n[that]: https://x.example/",
    ),
    "formula": ("See kept words $a +", " b$ the end"),
    "underlined heading": ("See kept words\n", "===\n\nthe end"),
    "list that becomes loose": ("- kept words\n- an", "d\n\n- the end"),
    "list in a list": ("- kept words\n-", " and\n  - the end"),
    "quotation": ("> kept words\n> and", "\n>\n> so\n\nthe end"),
    "table": ("| a | b |\n|---|---|\n| kept words | 1 |\n| x", " | *y* |\n| the end | z |\n"),
    "table after a paragraph": ("See kept words\n\n| a | b |\n", "|---|---|\n| the end | z |\n"),
    "highlighted code": ("```python\nkept = 1  # kept words\nif x", ":\n    pass\n```\n\nthe end"),
    "footnote": ("See kept words[^1] and", " so the end.\n\n[^1]: A note.\n"),
}
SELECT = """(reply, words) => {
  const nodes = [], walker = document.createTreeWalker(reply, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) nodes.push(walker.currentNode);
  const place = (index) => {
    for (const node of nodes) {
      if (index <= node.length) return [node, index];
      index -= node.length;
    }
  };
  const start = nodes.map(({ data }) => data).join("").indexOf(words);
  getSelection().setBaseAndExtent(...place(start + 1), ...place(start + words.length));
}"""


LONG_LINE = "x" * 400
LONG_FORMULA = "x + " * 100 + "y"
# Parts that are scrolled and have the focus: the text to their end, and the text that follows.
PARTS = {
    ".table": (
        f"| [a](https://x.example/) | {LONG_LINE} |\n|---|---|\n| b | c |\n| *d",
        "* | e |\n| f | g |\n\nthe end",
    ),
    ".code pre": (f"```python\nif {LONG_LINE}:\n    pa", "ss\nelse:\n    fail()\n```\n\nthe end"),
    ".formula": (f"$$\n{LONG_FORMULA}\n$$\n\nand *so", "* on to [the end].\n\n[the end]: /x\n"),
    "li a": ("1. See [this](https://x.example/)\n2. an", "d\n\n3. *so*\n\nthe end"),
}
FOCUS = """(part) => {
  part.tabIndex = 0;
  part.focus();
  part.scrollLeft = 50;
  window.focused = part;
  window.scrolled = part.scrollLeft;
}"""
IS_KEPT = "document.activeElement === focused && focused.scrollLeft === scrolled"


SELECTION = "getSelection().toString()"


def keeps(page: Page, upstream: Upstream, part: str, begins: str, goes_on: str) -> list[object]:
    """Grow and end a reply in which something is marked; return what is kept after each step."""
    send_while_replying(page, "More")
    call = upstream.next_call().start_stream()
    call.delta(begins)
    reply = reply_text(page)
    if part:
        reply.locator(part).evaluate(FOCUS)
    else:
        expect(reply).to_contain_text(WORDS)
        reply.evaluate(SELECT, WORDS)
    call.delta(goes_on)
    expect(reply).to_contain_text("the end")
    kept = IS_KEPT if part else SELECTION
    grown = page.evaluate(kept)
    call.complete()
    expect(turn(page, "streaming")).to_have_count(0)
    return [grown, page.evaluate(kept)]


def test_selected_words_focus_and_scroll_position_stay_while_a_reply_grows(
    context: BrowserContext, upstream: Upstream
):
    page = open_answered_conversation(context, upstream, "One")
    wrong = []
    for name, (begins, goes_on) in GROWTH.items():
        kept = keeps(page, upstream, "", begins, goes_on)
        if kept != [WORDS[1:]] * 2:
            wrong.append((name, kept))
    for part, (begins, goes_on) in PARTS.items():
        kept = keeps(page, upstream, part, begins, goes_on)
        if kept != [True] * 2:
            wrong.append((part, kept))

    assert wrong == []
