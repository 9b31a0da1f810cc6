"""Window helpers: visibility, events, scrolling, announcements and cookies."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Page

SET_HIDDEN = "Object.defineProperty(document, 'hidden', {configurable: true, value: true})"
SET_VISIBLE = SET_HIDDEN.replace("true})", "false})")
DISPATCH_VISIBILITY_CHANGE = "document.dispatchEvent(new Event('visibilitychange'))"
# From now on, the global list `announcements` collects the announcements.
RECORD_ANNOUNCEMENTS = """() => {
  globalThis.announcements = [];
  const look = () => { if (announcer.textContent) announcements.push(announcer.textContent); };
  new MutationObserver(look).observe(announcer, { childList: true });
}"""


def dispatch_window_event(page: Page, event: str) -> None:
    """Dispatch an event on the window."""
    page.evaluate(f"dispatchEvent(new Event('{event}'))")


def hide_tab(page: Page) -> None:
    """Make the tab report that it is hidden."""
    page.evaluate(f"{SET_HIDDEN}; {DISPATCH_VISIBILITY_CHANGE}")


def show_tab(page: Page) -> None:
    """Make the tab report that it is visible."""
    page.evaluate(f"{SET_VISIBLE}; {DISPATCH_VISIBILITY_CHANGE}")


def scroll_up(page: Page, pixels: int) -> int:
    """Scroll up, wait until the page has reacted, and return the new position."""
    return int(
        page.evaluate(
            "by => { scrollBy(0, -by); return new Promise((done) => requestAnimationFrame(() => "
            "requestAnimationFrame(() => done(scrollY)))) }",
            pixels,
        )
    )


def copy_cookies(context: BrowserContext, other: BrowserContext) -> None:
    """Copy the cookies of one browser context to another."""
    other.add_cookies([{**cookie} for cookie in context.cookies()])  # type: ignore[typeddict-item]
