"""Record of a page's requests for a stream, on the page's fake clock."""

from __future__ import annotations

from itertools import pairwise

from playwright.sync_api import Page, Request, Response

from tests.support.traffic import is_stream_request, wait_on_page

STEP_MS = 500
# The last gap is compared with the shortest gap, or with this value if this value is larger.
MIN_GAP_MS = 1_000
# The page adds a random delay to its retries; a test uses the shortest delay. Playwright may report
# a failed request before the page does, so this script counts the open requests of the page.
DISABLE_JITTER = """Math.random = () => 0;
  const { fetch } = window;
  window.unsettledRequests = 0;
  window.fetch = (...options) => {
    window.unsettledRequests += 1;
    return fetch(...options).finally(() => { window.unsettledRequests -= 1; });
  };"""


class StreamRequestLog:
    """The times of a page's stream requests, in milliseconds of the page's clock."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.now_ms = 0
        self.requested_at_ms: list[int] = []
        self.pending: set[Request] = set()
        page.on("request", self._record_request)
        for end_event in ("requestfinished", "requestfailed"):
            page.on(end_event, lambda request: self.pending.discard(request))
        # A stream counts as answered when its response starts.
        page.on("response", self._record_response)

    def stop(self) -> None:
        """Record no more requests."""
        self.page.remove_listener("request", self._record_request)

    def _record_request(self, request: Request) -> None:
        if is_stream_request(request):
            self.requested_at_ms.append(self.now_ms)
            self.pending.add(request)

    def _record_response(self, answer: Response) -> None:
        if answer.headers.get("content-type", "").startswith("text/event-stream"):
            self.pending.discard(answer.request)

    def advance(self, milliseconds: int) -> None:
        """Advance the page's clock step by step; wait for pending requests after each step."""
        for _ in range(milliseconds // STEP_MS):
            self.now_ms += STEP_MS
            self.page.clock.run_for(STEP_MS)
            # On the page's clock a response takes no time, however busy this machine is.
            wait_on_page(self.page, lambda: not self.pending and self._has_settled())

    def _has_settled(self) -> bool:
        return not self.page.evaluate("window.unsettledRequests ?? 0")

    def has_growing_gaps(self, max_requests: int = 10) -> bool:
        """Return whether the page sent at most `max_requests` requests, with growing gaps."""
        gaps = [b - a for a, b in pairwise(self.requested_at_ms)]
        return (
            len(gaps) > 2
            # On a busy machine, a late error report lengthens the first gap: use the shortest gap.
            and gaps[-1] >= 4 * max(min(gaps), MIN_GAP_MS)
            and len(self.requested_at_ms) <= max_requests
        )
