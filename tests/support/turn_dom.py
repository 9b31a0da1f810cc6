"""The DOM of a turn, updated as htmx and the portal's script do.

All targets are looked up before the first swap.
"""

from __future__ import annotations

from bs4 import BeautifulSoup, Tag

from tests.support.html import parse_html

TURN_TEMPLATE = """<article class="turn" id="turn-{id}" data-state="waiting">
<div class="turn__reply" id="r1"></div>
<div class="turn__footer" id="turn-{id}-foot"><p id="turn-{id}-progress"></p></div>
</article>"""


class TurnDom:
    """The DOM of a turn as a page shows it."""

    def __init__(self, turn_id: str, turn: Tag | None = None) -> None:
        self.page = parse_html(str(turn) if turn else TURN_TEMPLATE.format(id=turn_id))

    @property
    def turn(self) -> Tag:
        """Return the turn's element, with the `data-state` of its footer, if there is one."""
        turn = self.page.select_one("article.turn")
        assert turn is not None
        if state := turn.select_one(".turn__footer").get("data-state"):  # type: ignore[union-attr]
            turn["data-state"] = state
        return turn

    @property
    def reply(self) -> Tag:
        """Return the element of the reply."""
        reply = self.page.select_one(".turn__reply")
        assert reply is not None
        return reply

    @property
    def text(self) -> str:
        """Return the visible text of the reply."""
        return self.reply.get_text().strip()

    def apply_frame(self, frame: BeautifulSoup) -> None:
        """Apply the partials of a frame."""
        partials = [
            (part, target)
            for part in frame.select("hx-partial")
            for target in self.page.select(str(part["hx-target"]))
        ]
        for part, target in partials:
            new = list(part.contents)
            match part["hx-swap"]:
                case "beforeend":
                    target.extend(new)
                case "updateInner":
                    target.clear()
                    target.extend(new)
                case "updateRest":
                    for rest in list(target.next_siblings):
                        rest.extract()
                    target.replace_with(*new)
                case "outerHTML":
                    target.replace_with(*new) if new else target.extract()
        self.reply.smooth()
