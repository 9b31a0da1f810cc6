"""What people do on a page: the helpers that every journey uses."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.support.upstream import Call, Upstream

AFTER_PAINT = """() => new Promise((done) => requestAnimationFrame(() =>
  requestAnimationFrame(() => setTimeout(() => setTimeout(done)))))"""
# What a page that is sent while its reply is written shows of its state.
WAITS = ":not(:has(.turn__footer)):has(.noscript-snapshot:not(:has(~ *)) .turn__progress)"
FOLLOWED = {"waiting": WAITS, "streaming": f":not(:has(.turn__footer)):not({WAITS})"}
LONG = "\n\n".join(f"Paragraph {number}." for number in range(60))
# What the portal refuses.
TOO_LONG = "too long " * 4_000


def box(page: Page) -> Locator:
    """Return the box that one writes in."""
    return page.get_by_role("textbox", name="Message")


def say(page: Page, words: str) -> None:
    """Write something and send it."""
    box(page).fill(words)
    page.get_by_role("button", name="Send").click()


def say_too_early(page: Page, words: str) -> None:
    """Write something while a reply runs, and try to send it by the keyboard."""
    page.wait_for_load_state()
    box(page).fill(words)
    box(page).press("Enter")


def double_click(page: Page) -> None:
    """Click Send as if it were an icon."""
    page.get_by_role("button", name="Send").dblclick()


def enter_twice(page: Page) -> None:
    """Press Enter twice in the box."""
    box(page).press("Enter")
    page.keyboard.press("Enter")


def turn(page: Page, state: str, number: int = 0) -> Locator:
    """Return a turn in a state: waiting, streaming, complete, stopped, interrupted or failed."""
    followed = FOLLOWED.get(state, f":has(.turn__footer[data-state={state}])")
    return page.locator(f".turn[data-state={state}], .turn[data-noscript-stream]{followed}").nth(
        number
    )


def text(page: Page, state: str = "streaming", number: int = 0) -> Locator:
    """Return the text of a reply."""
    return turn(page, state, number).locator(".turn__reply")


def progress(page: Page) -> Locator:
    """Return the line that says how a running reply stands."""
    return page.locator(".turn__progress")


def rest(page: Page) -> None:
    """Wait until a page has done what it does when it is first seen."""
    if page.locator("[data-noscript-stream]").count():  # still loads while its reply is written
        return
    page.wait_for_load_state()
    if page.locator("html.scripts").count():
        page.evaluate(AFTER_PAINT)


def begun(context: BrowserContext, upstream: Upstream) -> Page:
    """Open a conversation with one whole turn."""
    page = context.new_page()
    page.goto("/twins/ada")
    page.get_by_role("textbox", name="Message").fill("Hello")
    page.get_by_role("button", name="Send").click()
    upstream.next_call().start_stream().complete("Hello to you")
    expect(turn(page, "complete")).to_be_visible()
    rest(page)
    return page


def talking(context: BrowserContext, upstream: Upstream, said: str = "One") -> tuple[Page, Call]:
    """Open a conversation whose first reply has begun."""
    page = context.new_page()
    page.goto("/twins/ada")
    say(page, "Hello")
    call = upstream.next_call().start_stream()
    call.delta(said)
    expect(text(page)).to_have_text(said, use_inner_text=True)
    rest(page)
    return page, call


def long_reply(context: BrowserContext, upstream: Upstream) -> tuple[Page, Call]:
    """Have a reply that is longer than the window, and go on."""
    page, call = talking(context, upstream, "One")
    call.delta(f"\n\n{LONG}")
    expect(text(page).get_by_text("Paragraph 59.")).to_be_in_viewport()
    return page, call


def menu(page: Page, title: str) -> None:
    """Open the menu of a conversation in a list."""
    page.locator(f"summary[title='Options of {title}']").click()


def refuse(page: Page) -> None:
    """Have words refused by a whole page, as where no script runs, or one is late."""
    box(page).fill(TOO_LONG)
    with page.expect_navigation():
        page.evaluate("document.querySelector('.composer form').submit()")
