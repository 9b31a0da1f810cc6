"""Forms that are sent without a script."""

from playwright.sync_api import Page

from tests.journeys.steps import box

# Longer than `message_limit=40` allows.
MORE_THAN_40 = "These words are too many to be sent to anybody."


def say_plainly(page: Page, words: str) -> None:
    """Send a message as a browser does that runs no script."""
    box(page).fill(words)
    page.locator(".composer form").evaluate("form => form.submit()")


def refuse(page: Page, words: str) -> None:
    """Send words that the portal refuses, and wait for the whole page that says so."""
    with page.expect_navigation():
        say_plainly(page, words)
