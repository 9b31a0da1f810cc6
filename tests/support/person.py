"""Somebody with a browser that runs no script: pages, forms, and the stream of a reply."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import requests
from bs4 import BeautifulSoup, Tag

from core import sse
from tests.support.html import parse_html
from tests.support.turn_dom import TurnDom
from tests.support.upstream import Upstream

WAIT_SECONDS = 10
HTMX_HEADERS = {"HX-Request": "true"}


class Page:
    """An answer, read as a person would."""

    def __init__(self, response: requests.Response) -> None:
        self.response = response
        self.status = response.status_code
        self.html = self.parse(response.text)

    @staticmethod
    def parse(html: str) -> BeautifulSoup:
        """Read a piece of HTML."""
        return parse_html(html)

    @property
    def text(self) -> str:
        """Return the words on the page."""
        return " ".join(self.html.get_text(" ").split())

    @property
    def path(self) -> str:
        """Return where the page is."""
        return requests.utils.urlparse(self.response.url).path

    @property
    def turns(self) -> list[Tag]:
        """Return the turns on the page."""
        return self.html.select("article.turn")

    @property
    def reply_states(self) -> list[str]:
        """Return how the replies stand."""
        return [str(turn["data-state"]) for turn in self.turns]

    def hidden_fields(self, action_ends_with: str) -> dict[str, str]:
        """Return the hidden fields of a form."""
        form = next(
            form
            for form in self.html.select("form")
            if str(form.get("action", "")).endswith(action_ends_with)
        )
        return {str(i["name"]): str(i.get("value", "")) for i in form.select("input[type=hidden]")}

    def button_action(self, button: str) -> tuple[str, dict[str, str]]:
        """Return where a button sends its form, and the hidden fields it sends."""
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
        return str(element.get("formaction", form["action"])), fields

    def _form_of(self, button: Tag) -> Tag | None:
        # A button to stop is there when no reply runs, too, and does nothing.
        if name := button.get("form"):
            return self.html.select_one(f"form#{name}")
        return button.find_parent("form")


class Person:
    """One browser."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url
        self.session = requests.Session()
        self.session.trust_env = False

    def get(self, path: str, **headers: str) -> Page:
        """Open a page."""
        return Page(self.session.get(self.base_url + path, headers=headers, timeout=WAIT_SECONDS))

    def post(self, path: str, fields: dict[str, str], **headers: str) -> Page:
        """Send a form and follow where it leads."""
        return Page(
            self.session.post(
                self.base_url + path, data=fields, headers=headers, timeout=WAIT_SECONDS
            )
        )

    def press(self, page: Page, button: str, **extra_fields: str) -> Page:
        """Press a button on a page."""
        action, fields = page.button_action(button)
        return self.post(action, fields | extra_fields)

    def start_conversation(self, content: str, twin: str = "ada") -> Page:
        """Say something to a twin for the first time."""
        return self.press(self.get(f"/twins/{twin}"), "Send", content=content)

    def follow(
        self,
        turn_id: str,
        *,
        after: int | str = 0,
        last_event_id: str = "",
        turn: Tag | None = None,
    ) -> Stream:
        """Follow the reply to a turn, which the page shows like this."""
        headers = {"Last-Event-ID": last_event_id} if last_event_id else {}
        url = f"{self.base_url}/turns/{turn_id}/events?after={after}"
        response = self.session.get(url, headers=headers, stream=True, timeout=WAIT_SECONDS)
        return Stream(response, TurnDom(turn_id, turn))

    def close(self) -> None:
        """Close the browser."""
        self.session.close()


class Stream:
    """The frames of a reply, as a browser gets them."""

    def __init__(self, response: requests.Response, turn_dom: TurnDom) -> None:
        self.response = response
        self._turn_dom = turn_dom
        self._events = self._read_events()

    def _read_events(self) -> Iterator[sse.ServerSentEvent]:
        for event in sse.read_events(self.chunks()):
            self._turn_dom.apply_frame(parse_html(event.data))
            if event.name != "here":
                yield event

    @property
    def turn(self) -> Tag:
        """Return the turn as the page shows it."""
        return self._turn_dom.turn

    @property
    def text(self) -> str:
        """Return the words that the page shows of the reply."""
        return self._turn_dom.text

    @property
    def html(self) -> str:
        """Return the HTML that the page shows of the reply."""
        return self._turn_dom.reply.decode_contents()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: Any) -> None:
        self.response.close()

    def __iter__(self) -> Iterator[sse.ServerSentEvent]:
        return self._events

    def next_frame(self) -> BeautifulSoup:
        """Return the next frame."""
        return Page.parse(next(self._events).data)

    def read_until(self, expected_text: str) -> None:
        """Read until the page shows these words, in the reply or beside it."""
        received_text = ""
        for event in self._events:
            received_text += parse_html(event.data).get_text()
            if expected_text in received_text or expected_text.strip() in self.text:
                return
        raise AssertionError(f"{expected_text!r} never came: {self.text!r} {received_text!r}")

    def remaining_events(self) -> list[sse.ServerSentEvent]:
        """Return the frames that are left, until the stream ends."""
        return list(self._events)

    def remaining_bytes(self) -> bytes:
        """Return what is left of the stream."""
        return b"".join(self.chunks())

    def chunks(self) -> Iterator[bytes]:
        """Yield what comes, unpacked, as it comes."""
        while chunk := self.response.raw.read1(65536, decode_content=True):
            yield chunk


def complete_first_turn(
    person: Person, upstream: Upstream, content: str, reply: str, *, twin: str = "ada"
) -> Page:
    """Begin a conversation and get its first reply."""
    page = person.start_conversation(content, twin=twin)
    upstream.next_call().start_stream().complete(reply)
    return wait_for_reply(person, page)


def wait_for_reply(person: Person, page: Page) -> Page:
    """Return the page as it is when the newest reply of its conversation has ended."""
    page = person.get(page.path)
    if page.reply_states[-1] in ("waiting", "streaming"):
        with person.follow(str(page.turns[-1]["data-turn"])) as stream:
            stream.remaining_events()
        page = person.get(page.path)
    return page
