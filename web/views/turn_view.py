"""View models of turns: the message, the reply and its HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from chat.log import Batch, Reply, build_reply
from chat.turn_rows import Turn
from rendering import render_plain
from web.container import portal
from web.message_html import message_html

# If all messages and replies on a page are larger than this, the oldest ones are shortened.
MAX_PAGE_BYTES = 2_000_000
SHORTENED_LENGTH = 2_000


@dataclass(frozen=True, slots=True)
class TurnView:
    """A turn as pages show it.

    `marked_message` is the HTML of the message with marked search hits, or None. If `is_plain_text`
    is True, the reply is shown as plain text until its HTML is in the cache. If `is_shortened` is
    True, only the beginning of the message or reply is shown.
    """

    turn: Turn
    reply: Reply
    reply_html: str
    message: str
    is_plain_text: bool = False
    is_shortened: bool = False
    marked_message: Markup | None = None


def load_turn_view(turn: Turn) -> TurnView:
    """Return the view of one turn."""
    return load_turn_views([turn])[0]


def load_turn_views(turns: Sequence[Turn]) -> list[TurnView]:
    """Return the views of several turns; ended replies are read with two queries.

    If the HTML of ended replies is missing or outdated in the cache, only the newest of them is
    rendered. The others are shown as they are in the cache, or as plain text.
    """
    logs = portal().log.read_all([turn.id for turn in turns])
    replies = {turn.id: build_reply(logs[turn.id]) for turn in turns}
    html_cache = portal().html_cache
    ended = [id_ for id_, reply in replies.items() if reply.text and not reply.is_running]
    cached = html_cache.find(ended)
    cached_html = {turn_id: entry.html for turn_id, entry in cached.items()}
    outdated = [id_ for id_ in ended if id_ not in cached or not cached[id_].is_current]
    if outdated:
        cached_html[outdated[-1]] = html_cache.add(outdated[-1], replies[outdated[-1]].text)
    return _shorten_oldest(
        [_view(turn, replies[turn.id], logs[turn.id], cached_html) for turn in turns]
    )


def _view(turn: Turn, reply: Reply, batch: Batch, cached_html: Mapping[str, str]) -> TurnView:
    if reply.is_running:
        with portal().running_replies.open(turn.id, scope=turn.id) as running:
            rendered = running.render(batch)
        # The event stream continues where this HTML ends.
        reply = replace(reply, cursor=rendered.cursor)
        return TurnView(turn, reply, rendered.html.full_html, turn.content)
    if reply.text and turn.id not in cached_html:
        return TurnView(turn, reply, render_plain(reply.text), turn.content, is_plain_text=True)
    return TurnView(turn, reply, cached_html.get(turn.id, ""), turn.content)


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
