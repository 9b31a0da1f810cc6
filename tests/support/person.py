"""A client without JavaScript: pages, forms, and the event stream of a reply."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import requests
from bs4 import BeautifulSoup, Tag

from tests.support.html import parse_html
from tests.support.turn_dom import TurnDom
from tests.support.upstream import Upstream
from twindow.core import sse

WAIT_SECONDS = 10
HTMX_HEADERS = {"HX-Request": "true"}


class Page:
    """A response, with accessors for what a person sees on the page."""

    def __init__(self, response: requests.Response) -> None:
        self.response = response
        self.status = response.status_code

    @cached_property
    def html(self) -> BeautifulSoup:
        """Return the parsed page."""
        return self.parse(self.response.text)

    @staticmethod
    def parse(html: str) -> BeautifulSoup:
        """Parse an HTML document or fragment."""
        return parse_html(html)

    @property
    def text(self) -> str:
        """Return the text of the page, with single spaces."""
        return " ".join(self.html.get_text(" ").split())

    @property
    def path(self) -> str:
        """Return the URL path of the page, after redirects."""
        return requests.utils.urlparse(self.response.url).path

    @property
    def turns(self) -> list[Tag]:
        """Return the elements of the turns on the page."""
        return self.html.select("article.turn")

    @property
    def reply_states(self) -> list[str]:
        """Return the state of each reply on the page."""
        return [str(turn["data-state"]) for turn in self.turns]

    def hidden_fields(self, action_ends_with: str) -> dict[str, str]:
        """Return the hidden fields of the first form whose action ends with this text."""
        form = next(
            form
            for form in self.html.select("form")
            if str(form.get("action", "")).endswith(action_ends_with)
        )
        return {str(i["name"]): str(i.get("value", "")) for i in form.select("input[type=hidden]")}

    def button_action(self, button: str) -> tuple[str, dict[str, str]]:
        """Return the URL and the hidden fields that a button submits."""
        element, form = next(
            (element, form)
            for element in self.html.select("form button, button[form]")
            if element.get_text().strip() == button and (form := self._form_of(element))
        )
        fields = {
            str(i["name"]): str(i.get("value", "")) for i in form.select("input[type=hidden]")
        }
        if "name" in element.attrs:
            fields[str(element["name"])] = str(element.get("value", ""))
        return str(element.get("formaction") or form["action"]), fields

    def _form_of(self, button: Tag) -> Tag | None:
        # The page has the form of the Stop button only while a reply runs.
        if name := button.get("form"):
            return self.html.select_one(f"form#{name}")
        return button.find_parent("form")


class Person:
    """A visitor: one browser session with its own cookies."""

    def __init__(self, base_url: str, timeout: float = WAIT_SECONDS) -> None:
        self.base_url = base_url
        self.timeout = timeout
        self.session = requests.Session()
        self.session.trust_env = False

    def get(self, path: str, **headers: str) -> Page:
        """Open a page."""
        return Page(self.session.get(self.base_url + path, headers=headers, timeout=self.timeout))

    def post(self, path: str, fields: Mapping[str, str | list[str]], **headers: str) -> Page:
        """Submit a form and follow the redirect."""
        return Page(
            self.session.post(
                self.base_url + path, data=fields, headers=headers, timeout=self.timeout
            )
        )

    def press(self, page: Page, button: str, **extra_fields: str) -> Page:
        """Press a button on a page and return the resulting page."""
        action, fields = page.button_action(button)
        return self.post(action, fields | extra_fields)

    def rename(self, page: Page, **fields: str) -> Page:
        """Rename the first conversation whose menu is on a page."""
        url = str(page.html.select_one("a[href$='/title']")["href"])
        form = self.get(url, **HTMX_HEADERS, **{"HX-Current-URL": page.response.url})
        return self.press(form, "Save", **fields)

    def start_conversation(self, content: str, twin: str = "ada") -> Page:
        """Send the first message to a twin and return the page of the new conversation."""
        return self.press(self.get(f"/twins/{twin}"), "Send", content=content)

    def follow(
        self,
        turn_id: str,
        *,
        after: int | str = 0,
        last_event_id: str = "",
        turn: Tag | None = None,
    ) -> Stream:
        """Open the event stream of a turn's reply.

        The frames are applied to `turn`, an element of a page; by default to a new, waiting turn.
        """
        headers = {"Last-Event-ID": last_event_id} if last_event_id else {}
        url = f"{self.base_url}/turns/{turn_id}/events?after={after}"
        response = self.session.get(url, headers=headers, stream=True, timeout=self.timeout)
        return Stream(response, TurnDom(turn_id, turn))

    def close(self) -> None:
        """Close the browser session."""
        self.session.close()


class Stream:
    """The event stream of a reply, applied to the DOM of its turn as a browser does."""

    def __init__(self, response: requests.Response, turn_dom: TurnDom) -> None:
        self.response = response
        self._turn_dom = turn_dom
        self._events = self._read_events()
        self._received = b""

    def _read_events(self) -> Iterator[sse.ServerSentEvent]:
        for event in sse.read_events(self.chunks()):
            self._turn_dom.apply_frame(parse_html(event.data))
            if event.name != "ping":
                yield event

    @property
    def turn(self) -> Tag:
        """Return the turn's element, with all frames read so far applied."""
        return self._turn_dom.turn

    @property
    def text(self) -> str:
        """Return the visible text of the reply."""
        return self._turn_dom.text

    @property
    def html(self) -> str:
        """Return the HTML of the reply."""
        return self._turn_dom.reply.decode_contents()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: Any) -> None:
        self.response.close()

    def __iter__(self) -> Iterator[sse.ServerSentEvent]:
        return self._events

    def next_frame(self) -> BeautifulSoup:
        """Return the next frame, parsed."""
        return Page.parse(next(self._events).data)

    def read_until(self, expected_text: str) -> None:
        """Read until the reply, or the text of a frame, contains this text."""
        received_text = ""
        for event in self._events:
            received_text += parse_html(event.data).get_text()
            if expected_text in received_text or expected_text.strip() in self.text:
                return
        raise AssertionError(f"{expected_text!r} never came: {self.text!r} {received_text!r}")

    def remaining_events(self) -> list[sse.ServerSentEvent]:
        """Return the remaining events, up to the end of the stream."""
        return list(self._events)

    def remaining_bytes(self) -> bytes:
        """Return the rest of the stream as bytes."""
        return b"".join(self.chunks())

    def skip_to_end(self) -> int:
        """Discard the rest of the stream; return its number of bytes, before decompression."""
        return sum(map(len, iter(lambda: self.response.raw.read1(65536), b"")))

    def chunks(self) -> Iterator[bytes]:
        """Yield decompressed chunks as they arrive."""
        while chunk := self.response.raw.read1(65536, decode_content=True):
            self._received += chunk
            yield chunk

    @property
    def last_event_id(self) -> str:
        """Return the newest id of an event."""
        return re.findall(rb"^id: (.+)$", self._received, re.MULTILINE)[-1].decode()


def complete_first_turn(
    person: Person, upstream: Upstream, content: str, reply: str, *, twin: str = "ada"
) -> Page:
    """Start a conversation, complete its first reply, and return its page."""
    page = person.start_conversation(content, twin=twin)
    upstream.next_call().start_stream().complete(reply)
    return wait_for_reply(person, page)


def wait_for_reply(person: Person, page: Page) -> Page:
    """Wait until the newest reply on a page has ended; return the reloaded page."""
    if page.reply_states[-1] in ("waiting", "streaming"):
        with person.follow(str(page.turns[-1]["data-turn"])) as stream:
            stream.remaining_events()
    return person.get(page.path)
