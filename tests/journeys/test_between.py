"""What stands between the browser and the portal answers in its place: nothing here is replaced."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.journeys.steps import begun, box, say, talking, text, turn
from tests.journeys.window import show
from tests.support.upstream import Upstream

pytestmark = pytest.mark.usefixtures("bad_network")

HTML = "text/html; charset=utf-8"
ANSWERS = {
    "an error": {"status": 502, "body": "<h1>Bad Gateway</h1>", "content_type": HTML},
    "a login": {"status": 200, "body": "<form><input name=user></form>", "content_type": HTML},
}
UNREACHABLE = "The portal cannot be reached."

instead = pytest.mark.parametrize("instead", ANSWERS.values(), ids=ANSWERS)


def stand_between(page: Page, answer: dict[str, object]) -> None:
    """Answer every request from now on."""
    page.route("**/*", lambda route: route.fulfill(**answer))  # type: ignore[arg-type]


@instead
@pytest.mark.fault("F68")
def test_what_was_written_stays_in_its_box(
    context: BrowserContext, upstream: Upstream, instead: dict[str, object]
):
    page = begun(context, upstream)
    stand_between(page, instead)
    say(page, "My words")
    expect(page.locator("#notices")).to_contain_text(f"{UNREACHABLE} Your text is still here")
    expect(box(page)).to_have_value("My words")
    page.unroute_all()
    page.get_by_role("button", name="Send").click()
    upstream.next_call().start_stream().complete("Two")
    expect(text(page, "complete", 1)).to_have_text("Two")
    expect(page.locator("#notices")).to_be_empty()


@instead
@pytest.mark.fault("F68")
def test_a_reply_that_could_not_be_stopped_stays(
    context: BrowserContext, upstream: Upstream, instead: dict[str, object]
):
    page, call = talking(context, upstream, "One")
    stand_between(page, instead)
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#notices")).to_contain_text(UNREACHABLE)
    expect(text(page)).to_have_text("One")
    call.complete("One two")
    expect(text(page, "complete")).to_have_text("One two")


@instead
@pytest.mark.fault("F68")
def test_what_was_found_stays(
    context: BrowserContext, upstream: Upstream, instead: dict[str, object]
):
    page = begun(context, upstream)
    page.goto("/conversations")
    stand_between(page, instead)
    page.get_by_role("searchbox").fill("you")
    expect(page.locator("#notices")).to_contain_text(f"{UNREACHABLE} Try again.")
    expect(page.locator("#found").get_by_role("link", name="Hello")).to_be_visible()
    page.unroute_all()
    page.get_by_role("searchbox").fill("hello")
    expect(page.locator("#count")).to_have_text("1 conversation found")


@instead
@pytest.mark.fault("F68")
def test_a_look_for_what_is_new_changes_nothing(
    context: BrowserContext, upstream: Upstream, instead: dict[str, object]
):
    page = begun(context, upstream)
    stand_between(page, instead)
    with page.expect_response("**/turns?seen=*"):
        show(page)
    page.evaluate("new Promise((done) => setTimeout(done))")
    expect(page.locator("#notices")).to_be_empty()
    expect(turn(page, "complete")).to_have_count(1)
    expect(page.locator("#log form[action]")).to_have_count(0)
    expect(page.get_by_role("button", name="Ask again")).to_be_visible()
