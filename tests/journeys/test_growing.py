"""What a bit of a long reply makes a browser look through: elements are counted, never time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.journeys.steps import talking, text
from tests.support.upstream import Upstream

LONG = "\n\n".join(f"Paragraph *{number}*." for number in range(300))
CODE = "\n\n```python\n" + "".join(f"print({number})  # {number}\n" for number in range(200))
# What surrounds a reply, and what is new itself.
FEW = 80
CATEGORY = "devtools.timeline"
COUNT = """() => {
  window.processed = 0;
  document.addEventListener("htmx:before:process", () => { processed += 1; });
}"""


def styled(trace: Path) -> int:
    """Return how many elements were given a style at once, at most."""
    events = json.loads(trace.read_text())["traceEvents"]
    return max(
        event["args"]["elementCount"]
        for event in events
        if event["name"] == "UpdateLayoutTree" and event["ph"] == "X"
    )


@pytest.mark.parametrize(
    ("begins", "goes_on", "becomes"),
    [
        ("| a | b |\n", "|---|---|\n| 1 | 2 |\n", "table"),
        ("a\n", "===\n\nb", "h3"),
        ("``", "`python\nprint(1)\n", "code"),
    ],
)
def test_what_its_end_becomes_has_nothing_before_it_styled_anew(
    context: BrowserContext,
    upstream: Upstream,
    tmp_path: Path,
    begins: str,
    goes_on: str,
    becomes: str,
):
    page, call = talking(context, upstream, "One")
    call.delta(f"\n\n{LONG}\n\n{begins}")
    expect(text(page).locator("> *")).to_have_count(302)
    browser, trace = context.browser, tmp_path / "trace.json"
    assert browser
    browser.start_tracing(page=page, path=trace, categories=[CATEGORY])
    call.delta(goes_on)
    expect(text(page).locator(becomes).last).to_be_attached()
    browser.stop_tracing()

    assert 1 <= styled(trace) <= FEW
    call.complete()


def test_the_end_of_long_code_is_put_in_as_one(context: BrowserContext, upstream: Upstream):
    page, call = talking(context, upstream, "One")
    call.delta(CODE)
    expect(text(page).locator("code")).to_contain_text("199")
    page.evaluate(COUNT)
    call.delta("```\n\nSo it is.")
    expect(text(page).get_by_text("So it is.")).to_be_visible()

    assert text(page).locator("code i").count() > 400
    assert page.evaluate("processed") <= FEW
    call.complete()
