"""Page interactions and locators shared by journeys and page states."""

from __future__ import annotations

from typing import Literal

from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.support.chromium import WAIT_FOR_PAINT
from tests.support.html import parse_html
from tests.support.upstream import Call, Upstream
from tests.support.waiting import wait_until

# Selects a turn that waits for its reply, on a page that streams without JavaScript.
WAITING_SELECTOR = (
    ":not(:has(.turn__footer)):has(.noscript-snapshot:not(:has(~ *)) .turn__progress)"
)
NOSCRIPT_SELECTORS = {
    "waiting": WAITING_SELECTOR,
    "streaming": f":not(:has(.turn__footer)):not({WAITING_SELECTOR})",
}
LONG_REPLY = "\n\n".join(f"Paragraph {number}." for number in range(60))
# This message is longer than the portal accepts.
TOO_LONG_MESSAGE = "too long " * 4_000


def open_page(
    page: Page, path: str, status: int = 200, wait_until: Literal["load", "networkidle"] = "load"
) -> None:
    """Open a page, and check the status of its response."""
    response = page.goto(path, wait_until=wait_until)
    assert response
    assert response.status == status, path


def message_box(page: Page) -> Locator:
    """Return the message box of the composer."""
    return page.get_by_role("textbox", name="Message")


def send_message(page: Page, content: str) -> None:
    """Type a message and click Send."""
    message_box(page).fill(content)
    page.get_by_role("button", name="Send").click()


def send_while_replying(page: Page, content: str) -> None:
    """Type a message while a reply runs, and try to send it with Enter."""
    page.wait_for_load_state()
    message_box(page).fill(content)
    message_box(page).press("Enter")


def double_click_send(page: Page) -> None:
    """Double-click Send, as some people do with every button."""
    page.get_by_role("button", name="Send").dblclick()


def press_enter_twice(page: Page) -> None:
    """Press Enter twice in the message box."""
    message_box(page).press("Enter")
    page.keyboard.press("Enter")


def turn(page: Page, state: str, number: int = 0) -> Locator:
    """Return a turn in a state: waiting, streaming, complete, stopped, interrupted or failed.

    `number` counts the turns in this state from 0.
    """
    noscript_selector = NOSCRIPT_SELECTORS.get(state, f":has(.turn__footer[data-state={state}])")
    return page.locator(
        f".turn[data-state={state}], .turn[data-noscript-stream]{noscript_selector}"
    ).nth(number)


def reply_text(page: Page, state: str = "streaming", number: int = 0) -> Locator:
    """Return the text of a reply."""
    return turn(page, state, number).locator(".turn__reply")


def progress(page: Page) -> Locator:
    """Return the progress line of a running reply."""
    return page.locator(".turn__progress")


def lost_connection(page: Page) -> Locator:
    """Return the line that says that the connection of a running reply is lost."""
    return page.locator(".turn__lost", has_text="Connection lost. Reconnecting…")


def wait_until_settled(page: Page) -> None:
    """Wait until a page has loaded, and until its scripts have run and the page is painted."""
    if page.locator("[data-noscript-stream]").count():
        # This page loads until the end of the reply. Browsers paint it when its styles have loaded.
        expect(page.locator(".stop-form")).to_have_css("order", "1")
        return
    page.wait_for_load_state()
    if page.locator("html.scripts").count():
        page.evaluate(WAIT_FOR_PAINT)


def start_conversation(context: BrowserContext, content: str = "Hello") -> str:
    """Send the first message to Ada over HTTP, which is faster than on the page; return the URL."""
    form = parse_html(context.request.get("/twins/ada").text()).select_one("#composer form")
    assert form
    fields = {str(i["name"]): str(i["value"]) for i in form.select("input[type=hidden]")}
    return context.request.post(str(form["action"]), form=fields | {"content": content}).url


def open_conversation(context: BrowserContext, upstream: Upstream) -> Page:
    """Open a conversation with one complete turn."""
    url = start_conversation(context)
    upstream.next_call().start_stream().complete("Hello to you")
    # If the reply ended while the page loads, the focus could move.
    wait_until(lambda: 'data-state="complete"' in context.request.get(url).text())
    page = context.new_page()
    page.goto(url)
    expect(turn(page, "complete")).to_be_visible()
    wait_until_settled(page)
    return page


def open_streaming_conversation(
    context: BrowserContext, upstream: Upstream, reply: str = "One"
) -> tuple[Page, Call]:
    """Open a conversation whose first reply is streaming."""
    url = start_conversation(context)
    call = upstream.next_call().start_stream()
    page = context.new_page()
    page.goto(url)
    call.delta(reply)
    expect(reply_text(page)).to_have_text(reply, use_inner_text=True)
    wait_until_settled(page)
    return page, call


def open_answered_conversation(context: BrowserContext, upstream: Upstream, reply: str) -> Page:
    """Open a conversation whose first reply has been streamed."""
    page, call = open_streaming_conversation(context, upstream, reply.split()[0])
    call.complete(reply)
    expect(turn(page, "complete")).to_be_visible()
    return page


def open_long_reply(context: BrowserContext, upstream: Upstream) -> tuple[Page, Call]:
    """Open a conversation whose streaming reply is longer than the window."""
    page, call = open_streaming_conversation(context, upstream, "One")
    call.delta(f"\n\n{LONG_REPLY}")
    expect(reply_text(page).get_by_text("Paragraph 59.")).to_be_in_viewport()
    return page, call


def open_menu(page: Page, title: str) -> None:
    """Open the menu of the conversation on this page, or of the one in a list with this title."""
    names = f"[title='Conversation menu'], [title='More options for {title}']"
    page.locator(f"main :is({names})").click()


def rename(page: Page, title: str) -> None:
    """Choose "Rename" in the open menu of a conversation, and enter a title."""
    page.get_by_role("link", name="Rename").click()
    page.get_by_role("textbox", name="Title").fill(title)
    page.get_by_role("textbox", name="Title").press("Enter")


def choose_preference(page: Page, question: str, option: str) -> None:
    """Choose an option on the preferences page, and wait until it is saved."""
    group = page.get_by_role("group", name=question)
    group.get_by_role("radio", name=option).check()
    expect(group.get_by_role("status")).to_have_text("Saved.")
