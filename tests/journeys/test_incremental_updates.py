"""Browser work per delta of a long reply, measured in elements, never in time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.support.chromium import WAIT_FOR_PAINT
from tests.support.page_steps import open_streaming_conversation, reply_text
from tests.support.upstream import Upstream

LONG = "\n\n".join(f"Paragraph *{number}*." for number in range(300))
CODE = "\n\n```python\n" + "".join(f"print({number})  # {number}\n" for number in range(200))
# A delta may restyle or process at most this many elements, far fewer than the reply has.
FEW = 80
# Each case: the start of a Markdown block, its continuation, and the resulting HTML element.
CHANGES = [
    ("| a | b |\n|---|---|\n| 1", " | *2* |\n", "em"),
    ("a\n", "===\n", "h3"),
    ("``", "`python\nprint(1)\n", "code"),
]
CATEGORY = "devtools.timeline"
COUNT = """() => {
  window.processed = 0;
  document.addEventListener("htmx:before:process", () => { processed += 1; });
}"""


def max_restyled_elements(trace: Path) -> int:
    """Return the largest number of elements that were restyled at once."""
    events = json.loads(trace.read_text())["traceEvents"]
    counts = [
        event["args"]["elementCount"]
        for event in events
        if event["name"] == "UpdateLayoutTree" and event["ph"] == "X"
    ]
    return max(counts)


@pytest.mark.parametrize(("begins", "goes_on", "becomes"), CHANGES)
def test_delta_does_not_restyle_the_earlier_part_of_a_long_reply(
    begins: str,
    goes_on: str,
    becomes: str,
    context: BrowserContext,
    upstream: Upstream,
    tmp_path: Path,
):
    page, call = open_streaming_conversation(context, upstream, "One")
    # The first heading and the first code load their fonts, which restyles the page.
    call.delta(f"\n\n### Two\n\n`three`\n\n{LONG}")
    blocks = reply_text(page).locator("> *")
    expect(blocks).to_have_count(303)
    browser, trace = context.browser, tmp_path / "trace.json"
    assert browser
    call.delta(f"\n\n{begins}")
    expect(blocks).to_have_count(304)
    page.evaluate(WAIT_FOR_PAINT)
    browser.start_tracing(page=page, path=trace, categories=[CATEGORY])
    call.delta(goes_on)
    expect(blocks.last.locator(f"xpath=descendant-or-self::{becomes}")).to_be_attached()
    page.evaluate(WAIT_FOR_PAINT)
    browser.stop_tracing()

    assert 1 <= max_restyled_elements(trace) <= FEW
    call.complete()


def test_end_of_a_long_code_block_is_inserted_in_one_step(
    context: BrowserContext, upstream: Upstream
):
    page, call = open_streaming_conversation(context, upstream, "One")
    call.delta(CODE)
    expect(reply_text(page).locator("code")).to_contain_text("199")
    page.evaluate(COUNT)
    call.delta("```\n\nSo it is.")
    expect(reply_text(page).get_by_text("So it is.")).to_be_visible()

    assert reply_text(page).locator("code i").count() > 400
    assert page.evaluate("processed") <= FEW
    call.complete()
