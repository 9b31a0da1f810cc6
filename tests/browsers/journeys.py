"""The main journeys in Firefox and WebKit: `make browsers`.

`make test` runs test_first_message.py only; everything else behaves alike in all engines as a rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.ui import Select

from tests.browsers.steps import (
    FITS,
    NARROW,
    click,
    message_box,
    open_page,
    rect_of,
    send,
    wait_for,
    wait_until,
    wait_until_settled,
)
from tests.support.engines import run_firefox
from tests.support.history import get_only_person, insert_conversation
from tests.support.passwords import PASSWORD
from tests.support.sign_in_steps import add_people
from tests.support.upstream import Upstream
from twindow.web.container import Portal

ROW_PARTS = "legend", ".hint", ".choices"
# A legend without a box has text.
TOPS = """return [...arguments].map((part) => {
  const range = document.createRange();
  range.selectNodeContents(part);
  return range.getBoundingClientRect().top;
})"""
FONT_SIZE = "return parseFloat(getComputedStyle(arguments[0]).fontSize)"
WIDE_FORMULA = "$$" + "+".join(f"x_{{{number}}}" for number in range(80)) + "$$"


@pytest.fixture
def conversation(driver: WebDriver, url: str, upstream: Upstream) -> str:
    """Open a conversation with one complete turn, and return its URL."""
    open_page(driver, url)
    send(driver, "Hello")
    upstream.next_call().start_stream().complete("Hello to you")
    wait_for(driver, ".turn[data-state=complete]", "Hello to you")
    return driver.current_url


def test_stop_keeps_the_text_and_the_next_message_is_sent(
    driver: WebDriver, conversation: str, upstream: Upstream
):
    send(driver, "Tell me more")
    call = upstream.next_call().start_stream()
    call.delta("The beginning")
    wait_for(driver, ".turn[data-state=streaming]", "The beginning")
    click(driver, ".composer__stop")
    wait_for(driver, ".turn[data-state=stopped]", "The beginning")
    send(driver, "Go on")
    upstream.next_call().start_stream().complete("The rest")
    wait_for(driver, ".turn:last-of-type[data-state=complete]", "The rest")


def test_versions_are_written_in_place_and_compared(
    driver: WebDriver, conversation: str, upstream: Upstream
):
    click(driver, ".turn__resend button")
    upstream.next_call().start_stream().complete("Second")
    wait_for(driver, ".turn:only-of-type[data-state=complete]", "Second")
    wait_for(driver, ".versions", "2 of 2")
    click(driver, "[data-edit-message]")
    box = wait_for(driver, ".edit textarea:focus")
    box.send_keys(" again")
    box.send_keys(Keys.SHIFT, Keys.ENTER)
    box.send_keys("How are you?", Keys.ENTER)
    assert upstream.next_call().body["content"] == "Hello again\nHow are you?"
    wait_for(driver, ".versions", "3 of 3")
    wait_until(driver, "return document.activeElement.id === 'message'")
    driver.get(conversation)
    click(driver, ".versions a")
    wait_for(driver, ".turn", "Second")
    wait_for(driver, ".versions", "2 of 3")
    driver.back()
    wait_for(driver, ".versions", "3 of 3")


def test_message_box_is_usable_after_back_from_the_first_message(
    driver: WebDriver, conversation: str, upstream: Upstream
):
    wait_until_settled(driver)
    driver.back()
    wait_for(driver, "h1", "What would you like to know?")
    wait_for(driver, "html.scripts:not(:has(.htmx-request))")
    wait_until(driver, "return document.getElementById('message').value === ''")
    send(driver, "Another question")
    upstream.next_call().start_stream().complete("Another reply")
    wait_for(driver, ".turn[data-state=complete]", "Another reply")
    assert driver.current_url != conversation


def test_back_and_forward_show_the_pages_again(driver: WebDriver, conversation: str):
    click(driver, "#to-conversations")
    wait_for(driver, "h1", "Conversations")
    wait_until_settled(driver)
    driver.back()
    wait_for(driver, "html.scripts .turn[data-state=complete]", "Hello to you")
    wait_until_settled(driver)
    driver.forward()
    wait_for(driver, "h1", "Conversations")


@pytest.mark.parametrize("is_running", [False, True])
def test_reading_place_is_kept_over_a_reload_and_back(
    driver: WebDriver, conversation: str, upstream: Upstream, is_running: bool
):
    send(driver, "A long one, please")
    call = upstream.next_call().start_stream()
    call.delta("A line.\n\n" * 90)
    wait_until(driver, "return document.querySelectorAll('.turn__reply p').length > 90")
    if not is_running:
        call.complete("A line.\n\n" * 90)
        wait_for(driver, ".turn:last-of-type[data-state=complete]")
    wait_until(driver, "scrollTo(0, 600); return scrollY === 600")
    # Firefox forgets the place if Selenium loads the page again.
    driver.execute_script("globalThis.isOld = true; location.reload()")
    wait_until(driver, "return !globalThis.isOld")
    wait_until(driver, "return scrollY === 600 && document.readyState === 'complete'")
    if is_running:
        call.delta("The end.")
    open_page(driver, f"{driver.current_url}/../../help")
    wait_until_settled(driver)
    driver.back()
    wait_for(driver, "html.scripts .turn p", "A line.")
    wait_until(driver, "return scrollY === 600 && document.readyState === 'complete'")


def test_layout_follows_the_window(driver: WebDriver, conversation: str):
    wide = rect_of(driver, ".composer form")["width"]
    wait_for(driver, "#sidebar")
    driver.set_window_size(NARROW, 700)
    wait_until(driver, "return !document.getElementById('sidebar').checkVisibility()")
    assert driver.execute_script(FITS)
    assert rect_of(driver, ".composer form")["width"] > driver.execute_script(
        "return innerWidth * .8"
    )
    driver.set_window_size(1280, 800)
    wait_for(driver, "#sidebar")
    assert rect_of(driver, ".composer form")["width"] == wide


def test_sidebar_opens_and_closes_in_a_narrow_window(driver: WebDriver, conversation: str):
    driver.set_window_size(NARROW, 700)
    click(driver, ".menu-button")
    wait_for(driver, "#sidebar", "Hello")
    driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    wait_until(driver, "return !document.getElementById('sidebar').checkVisibility()")


# In narrower windows, the sidebar is a drawer.
WIDE_FROM = 896
MENU_IN_VIEW = """const menu = document.querySelector("#row-menu:popover-open:has(form)");
const { top, bottom, left, right } = menu?.getBoundingClientRect() ?? { top: -1 };
return top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth
  && menu.contains(document.elementFromPoint(left + 20, bottom - 20));"""
PLACE = "return document.querySelector('.sidebar__recent').scrollTop"
CURRENT_IN_VIEW = """const rect = (place) => document.querySelector(place).getBoundingClientRect();
return rect("#recent [aria-current]").bottom <= rect(".sidebar__foot").top"""


@pytest.mark.parametrize("width", [1280, NARROW])
def test_list_of_the_sidebar_keeps_its_place_and_shows_the_open_conversation(
    driver: WebDriver, conversation: str, portal: Portal, width: int
):
    person = get_only_person(portal.database)
    for number in range(40):
        insert_conversation(portal.database, person, 1, title=f"Talk {number}")
    driver.set_window_size(width, 600)

    def open_sidebar() -> None:
        if width == NARROW:
            click(driver, ".menu-button")
        wait_for(driver, "#recent")

    open_page(driver, conversation)
    open_sidebar()
    wait_until(driver, CURRENT_IN_VIEW)
    driver.execute_script("document.querySelector('.sidebar__recent').scrollTop = 300")
    wait_until(driver, f"{PLACE} === 300")
    # Selenium would scroll before it clicks.
    driver.execute_script("arguments[0].click()", wait_for(driver, "#recent a", "Talk 30"))
    wait_for(driver, "main h1", "Talk 30")
    wait_for(driver, "html.scripts")
    open_sidebar()
    wait_until(driver, f"{PLACE} === 300")
    driver.execute_script("document.querySelector('.sidebar__recent').scrollTop = 0")
    wait_until_settled(driver)
    driver.back()
    wait_for(driver, "html.scripts main h1", "Hello")
    open_sidebar()
    wait_until(driver, CURRENT_IN_VIEW)


def test_draft_is_kept_over_pages(driver: WebDriver, conversation: str, url: str):
    message_box(driver).send_keys("Half a thought")
    open_page(driver, f"{url}/conversations")
    open_page(driver, conversation)
    wait_until(driver, "return document.getElementById('message').value === 'Half a thought'")


def test_conversation_is_renamed_in_its_menu(driver: WebDriver, conversation: str):
    click(driver, "main .menu__button")
    click(driver, "main .menu a")
    title = wait_for(driver, ".title-form [name=title]")
    # Safari on a phone zooms into a field with smaller text.
    assert driver.execute_script(FONT_SIZE, title) >= 16
    title.send_keys("Greetings", Keys.ENTER)
    wait_for(driver, "main", "Greetings")


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (NARROW, 600), (740, 400)])
def test_menu_of_a_row_in_the_sidebar_opens_in_view(
    driver: WebDriver, conversation: str, portal: Portal, width: int, height: int
):
    for _ in range(12):
        insert_conversation(portal.database, get_only_person(portal.database), 1)
    driver.set_window_size(width, height)
    open_page(driver, conversation)
    if width < WIDE_FROM:
        click(driver, ".menu-button")
    wait_for(driver, "#recent")
    driver.execute_script("document.querySelector('#recent li:nth-child(10) button').click()")
    wait_until(driver, MENU_IN_VIEW)


def test_escape_closes_a_menu_and_returns_the_focus(driver: WebDriver, conversation: str):
    click(driver, "main .menu__button")
    wait_for(driver, "main .menu a").send_keys(Keys.ESCAPE)
    wait_until(driver, "return document.activeElement.matches('.menu__button')")
    wait_until(driver, "return !document.querySelector('.menu:popover-open')")


def test_search_dialog_finds_a_conversation(driver: WebDriver, conversation: str):
    click(driver, "#to-search")
    wait_for(driver, "dialog input[type=search]").send_keys("Hello")
    click(driver, "dialog .rows a", "Hello")
    wait_for(driver, ".turn[data-state=complete]", "Hello to you")


def test_message_box_grows_with_its_text(driver: WebDriver, conversation: str):
    box = message_box(driver)
    before = rect_of(driver, "#message")["height"]
    for line in range(4):
        box.send_keys(f"line {line}", Keys.SHIFT, Keys.ENTER, Keys.NULL)
    wait_until(driver, "return arguments[0].offsetHeight >= arguments[1] * 3", box, before)


def test_wide_formula_scrolls(driver: WebDriver, conversation: str, upstream: Upstream):
    send(driver, "A formula, please")
    upstream.next_call().start_stream().complete(WIDE_FORMULA)
    wait_for(driver, ".turn:last-of-type[data-state=complete] math")
    wait_until(driver, "return document.querySelector('.formula').tabIndex === 0")
    script = "const f = document.querySelector('.formula'); f.scrollLeft = 50; return f.scrollLeft"
    assert driver.execute_script(script) == 50
    assert driver.execute_script(FITS)


def test_mark_in_a_reply_shows_its_passage_below_the_header(
    driver: WebDriver, conversation: str, upstream: Upstream
):
    send(driver, "Why does bread rise?")
    call = upstream.next_call().start_stream()
    source = {"file": "bread.md", "heading": "Bread", "passage": "Yeast makes gas.\n\n" * 60}
    message = {"content": "Because of yeast [1].", "sources": [source]}
    call.send_event(type="complete", message=message)
    call.close()
    wait_for(driver, ".sources summary", "Bread")
    click(driver, ".turn__reply a")
    wait_for(driver, ".sources blockquote", "Yeast makes gas.")
    wait_until(driver, "return document.querySelector('.sources details').open")
    wait_until(
        driver, "return document.querySelector('blockquote').getBoundingClientRect().top < 150"
    )
    header, passage = rect_of(driver, "main > header"), rect_of(driver, "blockquote")
    assert passage["y"] >= header["height"]


def test_theme_is_applied_at_once_and_its_row_is_aligned(
    driver: WebDriver, conversation: str, url: str
):
    open_page(driver, f"{url}/preferences")
    click(driver, ".preferences [value=dark]")
    wait_until(driver, "return document.documentElement.dataset.theme === 'dark'")
    for row in driver.find_elements("css selector", "fieldset.preference"):
        legend, hint, choices = (row.find_element("css selector", part) for part in ROW_PARTS)
        top, end, choices_top = driver.execute_script(TOPS, legend, hint, choices)
        assert top < end
        assert abs(top - choices_top) < 10


def test_arabic_page_is_mirrored_and_its_empty_box_shows_the_placeholder(
    driver: WebDriver, conversation: str, url: str
):
    open_page(driver, f"{url}/preferences")
    Select(wait_for(driver, "#language")).select_by_value("ar")
    click(driver, "#language + button")
    wait_until(driver, "return document.documentElement.dir === 'rtl'")
    open_page(driver, conversation)
    box = message_box(driver)
    assert driver.execute_script(
        "const [box] = arguments; return box.scrollHeight <= box.clientHeight", box
    )
    assert rect_of(driver, "#message")["height"] < 40
    assert rect_of(driver, ".composer__send")["x"] < rect_of(driver, "#message")["x"]


def test_chosen_twin_is_kept_over_a_reload(driver: WebDriver, url: str, upstream: Upstream):
    open_page(driver, url)
    Select(wait_for(driver, "select[name=twin]")).select_by_visible_text("Odd")
    message_box(driver).send_keys("Hello, ")
    driver.refresh()
    wait_until(driver, "return document.getElementById('message').value === 'Hello, '")
    wait_until(
        driver, "return document.querySelector('select[name=twin] :checked').label === 'Odd'"
    )
    send(driver, "Odd")
    upstream.next_call().start_stream().complete("Odd, hello")
    wait_for(driver, ".turn[data-state=complete]", "Odd, hello")
    wait_for(driver, "main header", "with Odd")


@pytest.fixture(scope="module")
def noscript_firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebDriver]:
    """Run Firefox without JavaScript."""
    folder: Path = tmp_path_factory.mktemp("noscript")
    with run_firefox(folder, has_javascript=False) as driver:
        yield driver


@pytest.mark.usefixtures("firefox")
def test_reply_streams_without_javascript(
    noscript_firefox: WebDriver, url: str, upstream: Upstream
):
    driver = noscript_firefox
    driver.set_page_load_timeout(5)
    driver.get(url)
    message_box(driver).send_keys("Hello")
    click(driver, ".composer__send")
    call = upstream.next_call().start_stream()
    call.delta("It **be")
    wait_for(driver, ".turn strong", "be")
    call.complete("It **begins**")
    wait_for(driver, ".turn__footer[data-state=complete]")
    wait_for(driver, ".turn strong", "begins")


@pytest.mark.settings(sign_in="password")
class TestSignIn:
    def test_person_signs_in_and_out(self, driver: WebDriver, url: str, portal: Portal):
        add_people(portal)
        open_page(driver, url)
        wait_for(driver, "#name").send_keys("Anna", Keys.TAB, PASSWORD, Keys.ENTER)
        wait_for(driver, "h1", "What would you like to know?")
        wait_until_settled(driver)
        click(driver, "#more-button", "Anna")
        click(driver, "#more button", "Sign out")
        wait_for(driver, "h1", "Sign in")
