"""What a page weighs, from the real server: bytes, requests and nodes are counted, never time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.support import upstream_server
from tests.support.person import Person, ended
from tests.support.processes import running
from tests.support.upstream import KEY, Upstream

FIRST_BYTES, FIRST_REQUESTS = 30_000, 6
NEXT_BYTES, NEXT_REQUESTS = 5_000, 2
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
# A browser with a window fetches it by itself.
ICON = "fetch(document.querySelector('link[rel=icon]').href).then((icon) => icon.text())"
INLINE = """() => [
  ...document.querySelectorAll("script:not([src]), style, [style]"),
  ...[...document.querySelectorAll("*")].filter(
    (e) => e.getAttributeNames().some((name) => name.startsWith("on"))),
].map((element) => element.outerHTML)"""


class Scales:
    """What comes over the wire while a page is watched: by address, with heads and all."""

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
    def told(self) -> str:
        """Say what weighs how much."""
        lines = [f"{size:>7} {address}" for address, size in self.bytes.items()]
        return "\n".join(["", *lines, f"{self.total:>7} in all"])

    @property
    def total(self) -> int:
        """Return the bytes of all."""
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
def service() -> Iterator[Upstream]:
    with upstream_server.running() as upstream:
        yield upstream


@pytest.fixture(scope="module")
def server(
    processes: None, tmp_path_factory: pytest.TempPathFactory, service: Upstream
) -> Iterator[str]:
    data = tmp_path_factory.mktemp("weight")
    settings = {"API_URL": service.url, "API_KEY": KEY, "API_FAIR_SHARE": "1"}
    with running(Path(data), "app.py", **settings) as server:
        yield server.url


@pytest.fixture(scope="module")
def as_it_comes(bundled_model: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve with nothing set: with the twins that come along, and the service beside."""
    with running(Path(tmp_path_factory.mktemp("as_it_comes")), "app.py") as server:
        yield server.url


@pytest.fixture
def context(browser: Browser, server: str) -> Iterator[BrowserContext]:
    """Open a browser that has seen nothing yet."""
    context = browser.new_context(base_url=server)
    context.add_init_script(VIOLATIONS)
    yield context
    context.close()


def of_this_host(scales: Scales, server: str) -> bool:
    return all(address.startswith(f"{server}/") for address in scales.bytes)


@pytest.mark.parametrize("twin", ["ada", "coach", "marlow"])
def test_the_first_chat_page_is_light(context: BrowserContext, as_it_comes: str, twin: str):
    page = context.new_page()
    scales = Scales(page)
    page.goto(f"{as_it_comes}/twins/{twin}", wait_until="networkidle")
    page.evaluate(ICON)

    assert 4 <= len(scales.bytes) <= FIRST_REQUESTS, scales.told
    assert scales.total <= FIRST_BYTES, scales.told
    assert of_this_host(scales, as_it_comes), scales.told
    assert page.evaluate("violations") == []
    assert page.evaluate(INLINE) == []


@pytest.mark.parametrize("path", ["/", "/conversations", "/keys", "/twins/ada"])
def test_the_next_page_is_next_to_nothing(context: BrowserContext, server: str, path: str):
    page = context.new_page()
    page.goto("/twins/ada", wait_until="networkidle")
    scales = Scales(page)
    page.goto(path, wait_until="networkidle")

    assert 1 <= len(scales.bytes) <= NEXT_REQUESTS, scales.told
    assert scales.total <= NEXT_BYTES, scales.told
    assert of_this_host(scales, server), scales.told


def test_a_page_of_twenty_turns_is_small(context: BrowserContext, server: str, service: Upstream):
    person = Person(server)
    seen = person.begin("Why does a bicycle stay upright? 1")
    for number in range(2, TURNS + 2):
        service.next_call().start_stream().complete(REPLY)
        seen = ended(person, seen)
        if number <= TURNS:
            seen = person.press(seen, "Send", content=f"Why does a bicycle stay upright? {number}")
    cookie = person.session.cookies["twindow"]
    context.add_cookies([{"name": "twindow", "value": cookie, "url": server}])
    person.close()
    page = context.new_page()
    page.goto("/keys", wait_until="networkidle")
    scales = Scales(page)
    page.goto(seen.path, wait_until="networkidle")

    assert page.locator(".turn[data-state=complete]").count() == TURNS
    assert page.evaluate("document.querySelectorAll('*').length") <= NODES
    assert len(scales.bytes) <= NEXT_REQUESTS, scales.told
    assert scales.total <= NEXT_BYTES, scales.told
    assert page.evaluate("violations") == []
    assert page.evaluate(INLINE) == []
