"""The gallery of twins, and one twin."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from blueprints import words
from blueprints.current import become_person, portal
from blueprints.fragments import fragment, wants_fragment
from chat.allowance import NotNow
from chat.directory import Listing
from twinapi import Twin, TwinApiError

bp = Blueprint("twins", __name__)

TWINS_ON_A_PAGE = 200


@bp.get("/")
def index() -> Response | str:
    """Show the twins, or those whose name or description holds the words in `q`."""
    q = request.args.get("q", "").strip()
    try:
        listing = portal().directory.list()
    except TwinApiError as error:
        listing = Listing((), sentence=error.sentence)
    found = [twin for twin in listing.twins if _matches(twin, q)]
    shown: dict[str, Any] = {
        "twins": found[:TWINS_ON_A_PAGE],
        "total": len(found),
        "q": q,
        "listing": listing,
    }
    if wants_fragment():
        return fragment("twins/_list.html", **shown)
    return render_template("twins/index.html", **shown)


@bp.get("/twins/<twin:twin_id>")
def show(twin_id: str) -> str:
    """Show one twin, and the form that begins a conversation."""
    # Somebody before the first press: two presses at once must be the same person's.
    become_person()
    twin = portal().directory.find(twin_id)
    return render_template("twins/show.html", twin=twin, **_composer(twin))


@bp.post("/twins/<twin:twin_id>/conversations")
def converse(twin_id: str) -> BaseResponse | tuple[str, int]:
    """Begin a conversation with its first turn."""
    twin = portal().directory.find(twin_id)
    try:
        said = words.said()
    except words.Refused as error:
        return _again(twin, error.content, error.sentence), error.status
    try:
        added = portal().turns.begin(become_person(), twin.id, twin.name, said.content, said.key)
    except NotNow as error:
        sentence = f"{error.sentence} {words.NOT_SENT}"
        return _again(twin, said.content, sentence, error.until), 429
    if added.new:
        portal().producer.reply_later(added.conversation, added.turn, None)
    to = url_for("conversations.show", conversation_id=added.conversation.id)
    return redirect(to, 303)


def _again(twin: Twin, content: str, notice: str, until: float | None = None) -> str:
    """Show the form again, with what was written and why it was not sent."""
    return render_template(
        "twins/show.html",
        twin=twin,
        **_composer(twin) | ({"until": until} if until else {}) | {"content": content},
        notice=notice,
    )


def _composer(twin: Twin) -> dict[str, Any]:
    return {
        "content": "",
        "until": portal().allowance.refused_until(),
        "key": words.first_key(twin.id),
    }


def _matches(twin: Twin, q: str) -> bool:
    text = f"{twin.name} {twin.description}".casefold()
    return all(word in text for word in q.casefold().split())
