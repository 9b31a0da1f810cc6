"""Forms that are sent without a script."""

from playwright.sync_api import Page

from tests.journeys.steps import message_box

# Longer than `message_limit=40` allows.
MESSAGE_OVER_40_CHARACTERS = "These words are too many to be sent to anybody."


def submit_without_script(page: Page, content: str) -> None:
    """Send a message as a browser does that runs no script."""
    message_box(page).fill(content)
    page.locator(".composer form").evaluate("form => form.submit()")


def submit_rejected_message(page: Page, content: str) -> None:
    """Send words that the portal refuses, and wait for the whole page that says so."""
    with page.expect_navigation():
        submit_without_script(page, content)
