"""Page weight on a real server: counted in bytes, requests and nodes, never in time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.support.history import get_only_person, insert_conversation
from tests.support.page_steps import open_page
from tests.support.person import Person
from tests.support.processes import run_server
from twindow.paths import ROOT
from twindow.web.container import Portal

FIRST_BYTES, FIRST_REQUESTS = 41_000, 8
# With the sentences of the scripts, 0.4 KB, a link in each turn to ask another twin, 0.2 KB, and
# the themes in the menu and the button that hides the sidebar, 0.1 KB.
NEXT_BYTES, NEXT_REQUESTS = 6_200, 2
NODES = 1_500
TURNS = 20
REPLY = """\
A bicycle stays upright because it **steers into the fall**:

1. It leans, and the front wheel turns *by itself*.
2. The ground pushes the wheels back under the rider.

```python
def steer(lean: float, speed: float) -> float:
    return lean / speed
```

See [the papers](https://example.org/), or ask me about the trail.
"""
VIOLATIONS = """
  window.violations = [];
  addEventListener("securitypolicyviolation", (e) => window.violations.push(e.violatedDirective));
"""
# A headless browser does not request the icon by itself.
ICON = "fetch(document.querySelector('link[rel=icon]').href).then((icon) => icon.text())"
INLINE = """() => [
  ...document.querySelectorAll("script:not([src], [type$=json]), style, [style]"),
  ...[...document.querySelectorAll("*")].filter(
    (e) => e.getAttributeNames().some((name) => name.startsWith("on"))),
].map((element) => element.outerHTML)"""


class TrafficMeter:
    """Bytes received by a page: by URL, with headers, without cached responses."""

    def __init__(self, page: Page) -> None:
        self.bytes: dict[str, int] = {}
        self._addresses: dict[str, str] = {}
        self._kept: set[str] = set()
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.responseReceived", self._begin)
        session.on("Network.requestServedFromCache", self._forget)
        session.on("Network.loadingFinished", self._end)

    @property
    def summary(self) -> str:
        """Return a list of the sizes, for failure messages."""
        lines = [f"{size:>7} {address}" for address, size in self.bytes.items()]
        return "\n".join(["", *lines, f"{self.total:>7} in all"])

    @property
    def total(self) -> int:
        """Return the total number of bytes."""
        return sum(self.bytes.values())

    def _begin(self, event: dict[str, Any]) -> None:
        if not event["response"].get("fromDiskCache"):
            self._addresses[event["requestId"]] = event["response"]["url"]

    def _forget(self, event: dict[str, Any]) -> None:
        self._kept.add(event["requestId"])

    def _end(self, event: dict[str, Any]) -> None:
        address = self._addresses.get(event["requestId"])
        if address and event["requestId"] not in self._kept:
            self.bytes[address] = int(event["encodedDataLength"])


@pytest.fixture(scope="module")
def server(demo_model: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the portal with default settings: with the bundled twins and the embedded service."""
    with run_server(Path(tmp_path_factory.mktemp("weight")), "app.py") as server:
        yield server.url


@contextmanager
def new_visitor(browser: Browser, url: str) -> Iterator[Page]:
    """Open a browser with an empty cache."""
    context = browser.new_context(base_url=url)
    context.add_init_script(VIOLATIONS)
    yield context.new_page()
    context.close()


def test_readme_states_the_weight_budget():
    readme = " ".join((ROOT / "README.md").read_text().split())
    assert f"needs at most {FIRST_BYTES // 1000} KB in {FIRST_REQUESTS} requests" in readme


def of_this_host(scales: TrafficMeter, server: str) -> bool:
    return all(address.startswith(f"{server}/") for address in scales.bytes)


def test_first_and_later_pages_stay_within_the_weight_budget(browser: Browser, server: str):
    wrong = []
    for twin in ("fable", "ada"):
        with new_visitor(browser, server) as page:
            scales = TrafficMeter(page)
            open_page(page, f"/twins/{twin}", wait_until="networkidle")
            page.evaluate(ICON)
            if not (
                4 <= len(scales.bytes) <= FIRST_REQUESTS
                and scales.total <= FIRST_BYTES
                and of_this_host(scales, server)
                and page.evaluate("violations") == page.evaluate(INLINE) == []
            ):
                wrong.append((twin, scales.summary, page.evaluate("violations")))
            if twin != "ada":
                continue
            for path in ("/", "/conversations", "/keys", "/twins/ada"):
                scales = TrafficMeter(page)
                open_page(page, path, wait_until="networkidle")
                if not (
                    1 <= len(scales.bytes) <= NEXT_REQUESTS
                    and scales.total <= NEXT_BYTES
                    and of_this_host(scales, server)
                ):
                    wrong.append((path, scales.summary, []))

    assert wrong == []


def test_conversation_of_twenty_turns_stays_within_the_weight_budget(
    browser: Browser, alice: Person, portal: Portal, url: str
):
    alice.start_conversation("Hello")
    person = get_only_person(portal.database)
    conversation = insert_conversation(portal.database, person, TURNS, reply=REPLY)
    path = f"/conversations/{conversation}"
    cookie = alice.session.cookies["twindow"]
    with new_visitor(browser, url) as page:
        page.context.add_cookies([{"name": "twindow", "value": cookie, "url": url}])
        open_page(page, "/keys", wait_until="networkidle")
        scales = TrafficMeter(page)
        open_page(page, path, wait_until="networkidle")
        assert len(scales.bytes) <= FIRST_REQUESTS, scales.summary
        open_page(page, "/keys", wait_until="networkidle")
        scales = TrafficMeter(page)
        open_page(page, path, wait_until="networkidle")

        assert page.locator(".turn[data-state=complete]").count() == TURNS
        assert page.evaluate("document.querySelectorAll('*').length") <= NODES
        assert len(scales.bytes) <= NEXT_REQUESTS, scales.summary
        assert scales.total <= NEXT_BYTES, scales.summary
        assert page.evaluate("violations") == []
        assert page.evaluate(INLINE) == []
