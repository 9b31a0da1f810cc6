"""What people do on a page, and what a test sees of its requests."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from itertools import pairwise

from playwright.sync_api import BrowserContext, Locator, Page, Request, Response, Route, expect

from tests.journeys.conftest import WAIT_MS, rest, turn
from tests.support.upstream import Call, Upstream

STREAMS = re.compile(r"/turns/[\w-]+/events")
CONVERSATION = re.compile(r"/conversations/[\w-]{22}(?:[?#].*)?$")
FORMS = re.compile(r"/(turns|conversations)$")
STEP_MS = 250
# The shortest of the first gaps that are compared with later ones.
FIRST_GAP_MS = 1_000
# The page spreads its own delays; the shortest of them is enough for a test.
NO_SPREAD = "Math.random = () => 0"
HIDDEN = "Object.defineProperty(document, 'hidden', {configurable: true, value: true})"
SHOWN = HIDDEN.replace("true})", "false})")
CHANGED = "document.dispatchEvent(new Event('visibilitychange'))"
# What the announcer says, from now on.
SAYINGS = """() => {
  globalThis.said = [];
  const look = () => { if (announcer.textContent) said.push(announcer.textContent); };
  new MutationObserver(look).observe(announcer, { childList: true });
}"""
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


def text(page: Page, state: str = "streaming", number: int = 0) -> Locator:
    """Return the text of a reply."""
    return turn(page, state, number).locator(".turn__reply")


def progress(page: Page) -> Locator:
    """Return the line that says how a running reply stands."""
    return page.locator(".turn__progress")


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


class Held:
    """The next such request, kept until the test lets it go on."""

    def __init__(self, page: Page, what: str | re.Pattern[str]) -> None:
        self._page = page
        self._routes: list[Route] = []
        page.route(what, lambda route: self._routes.append(route), times=1)

    def release(self) -> None:
        """Let it go on, as soon as it is there."""
        until(self._page, lambda: self._routes)
        self._routes[0].continue_()


def until(page: Page, there: Callable[[], object]) -> None:
    """Take in what happens to a page until something is there."""
    give_up = time.monotonic() + WAIT_MS / 1000
    while not there():
        assert time.monotonic() < give_up
        page.wait_for_timeout(1)


def requests_of(page: Page, wanted: Callable[[Request], object]) -> list[Request]:
    """Return a list that grows with every request that is wanted."""
    seen: list[Request] = []
    page.on("request", lambda request: wanted(request) and seen.append(request))
    return seen


def is_stream(request: Request) -> bool:
    """Tell whether a request follows a reply."""
    return bool(STREAMS.search(request.url))


def is_post(request: Request) -> bool:
    """Tell whether a request sends a form."""
    return request.method == "POST"


class Asked:
    """When the page asked for the reply, on its own clock."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.now = 0
        self.at: list[int] = []
        self.open: set[Request] = set()
        page.on("request", self._note)
        for over in ("requestfinished", "requestfailed"):
            page.on(over, lambda request: self.open.discard(request))
        # One that is a stream is answered when it has begun.
        page.on("response", self._begun)

    def _note(self, request: Request) -> None:
        if is_stream(request):
            self.at.append(self.now)
            self.open.add(request)

    def _begun(self, answer: Response) -> None:
        if answer.headers.get("content-type", "").startswith("text/event-stream"):
            self.open.discard(answer.request)

    def spend(self, milliseconds: int) -> None:
        """Let time pass on the page."""
        for _ in range(milliseconds // STEP_MS):
            self.now += STEP_MS
            self.page.clock.run_for(STEP_MS)
            # On the page's clock an answer takes no time, however busy this machine is.
            while self.open:
                self.page.wait_for_timeout(1)
            self.page.evaluate("0")

    def ever_more_rarely(self, most: int = 10) -> bool:
        """Tell whether the gaps grow."""
        gaps = [b - a for a, b in pairwise(self.at)]
        return len(gaps) > 2 and gaps[-1] >= 4 * max(gaps[0], FIRST_GAP_MS) and len(self.at) <= most


def post_answers(page: Page) -> list[Response]:
    """Return a list that grows with every answer to a form."""
    seen: list[Response] = []
    page.on("response", lambda answer: answer.request.method == "POST" and seen.append(answer))
    return seen


def lose_the_next_answer(page: Page) -> None:
    """Let the next form reach the portal, and its answer nobody."""

    def lose(route: Route) -> None:
        route.fetch(max_redirects=0)
        route.abort()

    page.route(FORMS, lose, times=1)


def fire(page: Page, event: str) -> None:
    """Let something happen to the window."""
    page.evaluate(f"dispatchEvent(new Event('{event}'))")


def hide(page: Page) -> None:
    """Go to another tab."""
    page.evaluate(f"{HIDDEN}; {CHANGED}")


def show(page: Page) -> None:
    """Come back to this tab."""
    page.evaluate(f"{SHOWN}; {CHANGED}")


def same_person(context: BrowserContext, other: BrowserContext) -> None:
    """Give the cookies of one browser to another."""
    other.add_cookies([{**cookie} for cookie in context.cookies()])  # type: ignore[typeddict-item]


def menu(page: Page, title: str) -> None:
    page.locator(f"summary[title='Options of {title}']").click()


def long_reply(context: BrowserContext, upstream: Upstream) -> tuple[Page, Call]:
    """Have a reply that is longer than the window, and go on."""
    page, call = talking(context, upstream, "One")
    call.delta(f"\n\n{LONG}")
    expect(text(page).get_by_text("Paragraph 59.")).to_be_in_viewport()
    return page, call


def step_up(page: Page, by: int) -> int:
    """Scroll up, let the page know, and return where that is."""
    return int(
        page.evaluate(
            "by => { scrollBy(0, -by); return new Promise((done) => requestAnimationFrame(() => "
            "requestAnimationFrame(() => done(scrollY)))) }",
            by,
        )
    )


def refuse(page: Page) -> None:
    """Have words refused by a whole page, as where no script runs, or one is late."""
    box(page).fill(TOO_LONG)
    with page.expect_navigation():
        page.evaluate("document.querySelector('.composer form').submit()")
