"""What happens to a window: it is hidden, scrolled, announced."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Page

SET_HIDDEN = "Object.defineProperty(document, 'hidden', {configurable: true, value: true})"
SET_VISIBLE = SET_HIDDEN.replace("true})", "false})")
DISPATCH_VISIBILITY_CHANGE = "document.dispatchEvent(new Event('visibilitychange'))"
# What the announcer says, from now on.
RECORD_ANNOUNCEMENTS = """() => {
  globalThis.said = [];
  const look = () => { if (announcer.textContent) said.push(announcer.textContent); };
  new MutationObserver(look).observe(announcer, { childList: true });
}"""


def dispatch_window_event(page: Page, event: str) -> None:
    """Let something happen to the window."""
    page.evaluate(f"dispatchEvent(new Event('{event}'))")


def hide_tab(page: Page) -> None:
    """Go to another tab."""
    page.evaluate(f"{SET_HIDDEN}; {DISPATCH_VISIBILITY_CHANGE}")


def show_tab(page: Page) -> None:
    """Come back to this tab."""
    page.evaluate(f"{SET_VISIBLE}; {DISPATCH_VISIBILITY_CHANGE}")


def scroll_up(page: Page, pixels: int) -> int:
    """Scroll up, let the page know, and return where that is."""
    return int(
        page.evaluate(
            "by => { scrollBy(0, -by); return new Promise((done) => requestAnimationFrame(() => "
            "requestAnimationFrame(() => done(scrollY)))) }",
            pixels,
        )
    )


def copy_cookies(context: BrowserContext, other: BrowserContext) -> None:
    """Give the cookies of one browser to another."""
    other.add_cookies([{**cookie} for cookie in context.cookies()])  # type: ignore[typeddict-item]
