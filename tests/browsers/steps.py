"""What a person does and sees in a browser that Selenium drives."""

from __future__ import annotations

from typing import Any

from selenium.common.exceptions import (
    ElementNotInteractableException,
    StaleElementReferenceException,
)
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

WAIT_SECONDS = 20
# Below this width, in CSS pixels, the sidebar is a popover.
NARROW = 480
# The element was replaced, or something covers it.
NOT_YET = StaleElementReferenceException, ElementNotInteractableException
# Selenium's own `is_displayed` does not know popovers.
FIND = """const [selector, text] = arguments;
return [...document.querySelectorAll(selector)]
  .find((each) => each.checkVisibility() && each.textContent.includes(text));"""
SETTLED = """return document.readyState === "complete"
  && !document.documentElement.matches(":is(:active-view-transition)")"""
RECTS = """return [...document.querySelectorAll(arguments[0])]
  .map((each) => each.getBoundingClientRect().toJSON());"""
FITS = "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"


def wait_for(driver: WebDriver, selector: str, text: str = "") -> WebElement:
    """Wait until an element is displayed that contains this text, and return it."""
    return _wait(driver).until(
        lambda driver: driver.execute_script(FIND, selector, text), f"no {selector} with {text!r}"
    )


def click(driver: WebDriver, selector: str, text: str = "") -> None:
    """Click an element as soon as nothing covers it, such as a view transition."""

    def try_to_click(driver: WebDriver) -> bool:
        wait_for(driver, selector, text).click()
        return True

    _wait(driver).until(try_to_click)


def wait_until(driver: WebDriver, script: str, *arguments: Any) -> None:
    """Wait until this function body returns true on the page."""
    _wait(driver).until(lambda driver: driver.execute_script(script, *arguments), script)


def _wait(driver: WebDriver) -> WebDriverWait[WebDriver]:
    return WebDriverWait(driver, WAIT_SECONDS, 0.05, ignored_exceptions=NOT_YET)


def wait_until_settled(driver: WebDriver) -> None:
    """Wait until the page has loaded and its transition has ended.

    Before, WebKit ignores Back and Forward.
    """
    wait_until(driver, SETTLED)


def open_page(driver: WebDriver, url: str) -> None:
    """Open a page and wait until its scripts run."""
    driver.get(url)
    wait_for(driver, "html.scripts")


def message_box(driver: WebDriver) -> WebElement:
    """Return the message box."""
    return wait_for(driver, "#message")


def send(driver: WebDriver, text: str) -> None:
    """Type a message and send it with Enter."""
    message_box(driver).send_keys(text, Keys.ENTER)


def rects_of(driver: WebDriver, selector: str) -> list[dict[str, float]]:
    """Return the places of all elements, in CSS pixels. WebKit refuses Selenium's `rect`."""
    wait_for(driver, selector)
    rects: list[dict[str, float]] = driver.execute_script(RECTS, selector)
    return rects


def rect_of(driver: WebDriver, selector: str) -> dict[str, float]:
    """Return the place of the first element, in CSS pixels."""
    return rects_of(driver, selector)[0]
