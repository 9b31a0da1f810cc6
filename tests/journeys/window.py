"""What happens to a window: it is hidden, scrolled, announced."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Page

HIDDEN = "Object.defineProperty(document, 'hidden', {configurable: true, value: true})"
SHOWN = HIDDEN.replace("true})", "false})")
CHANGED = "document.dispatchEvent(new Event('visibilitychange'))"
# What the announcer says, from now on.
SAYINGS = """() => {
  globalThis.said = [];
  const look = () => { if (announcer.textContent) said.push(announcer.textContent); };
  new MutationObserver(look).observe(announcer, { childList: true });
}"""


def fire(page: Page, event: str) -> None:
    """Let something happen to the window."""
    page.evaluate(f"dispatchEvent(new Event('{event}'))")


def hide(page: Page) -> None:
    """Go to another tab."""
    page.evaluate(f"{HIDDEN}; {CHANGED}")


def show(page: Page) -> None:
    """Come back to this tab."""
    page.evaluate(f"{SHOWN}; {CHANGED}")


def step_up(page: Page, by: int) -> int:
    """Scroll up, let the page know, and return where that is."""
    return int(
        page.evaluate(
            "by => { scrollBy(0, -by); return new Promise((done) => requestAnimationFrame(() => "
            "requestAnimationFrame(() => done(scrollY)))) }",
            by,
        )
    )


def same_person(context: BrowserContext, other: BrowserContext) -> None:
    """Give the cookies of one browser to another."""
    other.add_cookies([{**cookie} for cookie in context.cookies()])  # type: ignore[typeddict-item]
