"""When a page asks for a reply, on the page's own clock."""

from __future__ import annotations

from itertools import pairwise

from playwright.sync_api import Page, Request, Response

from tests.journeys.traffic import is_stream, until

STEP_MS = 250
# The shortest of the first gaps that are compared with later ones.
FIRST_GAP_MS = 1_000
# The page spreads its own delays; the shortest of them is enough for a test.
NO_SPREAD = "Math.random = () => 0"


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
            until(self.page, lambda: not self.open)
            self.page.evaluate("0")

    def ever_more_rarely(self, most: int = 10) -> bool:
        """Tell whether the gaps grow."""
        gaps = [b - a for a, b in pairwise(self.at)]
        return len(gaps) > 2 and gaps[-1] >= 4 * max(gaps[0], FIRST_GAP_MS) and len(self.at) <= most
