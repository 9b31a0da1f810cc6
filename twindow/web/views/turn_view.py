"""View models of turns: the message, the reply and its HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from twindow.chat.log import Batch, Reply, build_reply
from twindow.chat.turns import StoredTurn, Turn
from twindow.rendering import RENDERER_VERSION, render_plain
from twindow.web.container import portal
from twindow.web.message_html import message_html, with_citations
from twindow.web.streaming.reply_renderer import PageCursor

# If all messages and replies on a page are larger than this, the oldest ones are shortened.
MAX_PAGE_BYTES = 2_000_000
SHORTENED_LENGTH = 2_000


@dataclass(frozen=True, slots=True)
class TurnView:
    """A turn as pages show it.

    `marked_message` is the HTML of the message with marked search hits, or None. If `is_plain_text`
    is True, the reply is shown as plain text until its HTML is in the cache. If `is_shortened` is
    True, only the beginning of the message or reply is shown. The event stream of a running reply
    continues at `cursor`.
    """

    turn: Turn
    reply: Reply
    reply_html: str
    message: str
    is_plain_text: bool = False
    is_shortened: bool = False
    marked_message: Markup | None = None
    cursor: PageCursor | None = None

    @classmethod
    def waiting(cls, turn: Turn) -> TurnView:
        """Return the view of a turn that was just added."""
        return cls(turn, build_reply(Batch(0, 0, ())), "", turn.content, cursor=PageCursor())


def load_turn_view(turn: Turn) -> TurnView:
    """Return the view of one turn."""
    batch = portal().log.read_all([turn.id])[turn.id]
    reply = build_reply(batch)
    html = "" if reply.is_running else portal().html_cache.get(turn.id, reply.text)
    return _view(turn, reply, batch, html)


def load_turn_views(stored_turns: Sequence[StoredTurn]) -> list[TurnView]:
    """Return the views of several turns.

    If the stored HTML of ended replies is missing or outdated, only the newest of them is rendered.
    The others are shown as they are stored, or as plain text.
    """
    running_ids = [stored.turn.id for stored in stored_turns if not stored.batch]
    batches = portal().log.read_all(running_ids)
    is_newest_outdated = True
    views: list[TurnView] = []
    for stored in reversed(stored_turns):
        turn = stored.turn
        batch = stored.batch or batches[turn.id]
        reply = build_reply(batch)
        html = stored.html
        is_outdated = html is None or stored.html_version != RENDERER_VERSION
        if reply.text and not reply.is_running and is_outdated and is_newest_outdated:
            html = portal().html_cache.add(turn.id, reply.text)
            is_newest_outdated = False
        views.insert(0, _view(turn, reply, batch, html))
    return _shorten_oldest(views)


def _view(turn: Turn, reply: Reply, batch: Batch, html: str | None) -> TurnView:
    """Return the view of a turn; `html` is that of an ended reply, if known."""
    if reply.is_running:
        with portal().reply_renderers.open(turn.id, scope=turn.id) as renderer:
            rendered = renderer.render(batch)
        html, cursor = rendered.html.full_html, rendered.page_cursor
        return TurnView(turn, reply, html, turn.content, cursor=cursor)
    if reply.text and html is None:
        return TurnView(turn, reply, render_plain(reply.text), turn.content, is_plain_text=True)
    return TurnView(turn, reply, with_citations(html or "", turn.id, reply), turn.content)


def _shorten_oldest(views: Sequence[TurnView]) -> list[TurnView]:
    """Shorten messages and ended replies that would make the page too large, the oldest first."""
    remaining = MAX_PAGE_BYTES
    shortened: list[TurnView] = []
    for view in reversed(views):
        message_size = len(message_html(view.message).encode())
        if message_size > max(remaining, SHORTENED_LENGTH):
            view = replace(view, message=view.message[:SHORTENED_LENGTH], is_shortened=True)
        else:
            remaining -= message_size
        reply_size = len(view.reply_html.encode())
        if reply_size > max(remaining, SHORTENED_LENGTH) and not view.reply.is_running:
            html = render_plain(view.reply.text[:SHORTENED_LENGTH])
            view = replace(view, reply_html=html, is_plain_text=False, is_shortened=True)
        else:
            remaining -= reply_size
        shortened.insert(0, view)
    return shortened
