"""Forms submitted without JavaScript."""

from playwright.sync_api import Page

from tests.journeys.steps import message_box


def submit_without_script(page: Page, content: str) -> None:
    """Submit a message as a browser without JavaScript does."""
    message_box(page).fill(content)
    page.locator(".composer form").evaluate("form => form.submit()")


def submit_rejected_message(page: Page, content: str) -> None:
    """Submit a message that the portal rejects, and wait for the full page with the error."""
    with page.expect_navigation():
        submit_without_script(page, content)
