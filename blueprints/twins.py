"""The gallery of twins, and one twin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flask import Blueprint, Response, make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from chat.quota import NotNow
from chat.twins.catalogue import Listing
from chat.twins.recent_twins import Use, matching
from twinapi import NotFound, Twin, TwinApiError
from web import idempotency_keys, message_form, rejected_messages
from web.container import become_person, person, portal
from web.http.htmx import fragment, notice, wants_fragment
from web.i18n.sentences import together
from web.views.conversation_view import outlook

bp = Blueprint("twins", __name__)

TWINS_ON_A_PAGE = 60
# One that is opened shows those before it, too: so many are enough.
PAGES = 10
MAX_Q = 200
LATELY = 4
# So few are seen at a glance: they need no headings.
FEW = 6
RECENT = 5
FORM = "/conversations"


@bp.get("/")
def index() -> Response | str:
    """Show the twins, or those whose name or description holds the words in `q`.

    A page is shown with those before it, so that its address works by itself.
    """
    q = request.args.get("q", "").strip()[:MAX_Q]
    try:
        listing = portal().directory.list()
    except TwinApiError as error:
        listing = Listing((), sentence=error.sentence)
    found = matching(listing.twins, q)
    uses = portal().gallery.used_by(person()) if person() else {}
    lately, others = ((), found) if q else _lately_first(found, uses)
    page = _page(len(others))
    start, end = (page - 1) * TWINS_ON_A_PAGE, page * TWINS_ON_A_PAGE
    values: dict[str, Any] = {
        "listing": listing,
        "q": q,
        "uses": uses,
        "page": page,
        "total": len(found),
        "shown": len(lately) + len(others[:end]),
        "more": len(others) > end,
    }
    if not wants_fragment():
        return render_template(
            "twins/index.html", **values, lately=lately, twins=others[:end], start=start or None
        )
    if page > 1:
        response = fragment("twins/_more.html", **values, twins=others[start:end])
    else:
        response = fragment("twins/_search.html", **values, lately=lately, twins=others[:end])
    # Reloading, or coming back, shows the same again, as far as a gallery is opened at once.
    address = url_for("twins.index", q=q or None, page=page if page > 1 else None)
    response.headers["HX-Replace-Url"] = address
    return response


@bp.get("/twins/<twin:twin_id>")
def show(twin_id: str) -> BaseResponse | str:
    """Show one twin, and the form that begins a conversation."""
    try:
        twin = portal().directory.find(twin_id)
    except NotFound:
        # It may be the address of the form, where one is after a refusal.
        if twin_id.endswith(FORM):
            return redirect(url_for("twins.show", twin_id=twin_id.removesuffix(FORM)), 303)
        raise
    talks = _talks(twin)
    # Somebody before the first press: two presses at once must be the same person's.
    become_person()
    return render_template("twins/show.html", twin=twin, **_composer(twin), **talks)


@bp.post("/twins/<twin:twin_id>/conversations")
def converse(twin_id: str) -> BaseResponse:
    """Begin a conversation with its first turn."""
    twin = portal().directory.find(twin_id)
    try:
        said = message_form.said()
    except rejected_messages.Refused as refused:
        return _again(twin, refused)
    try:
        added = portal().turns.begin(become_person(), twin.id, twin.name, said.content, said.key)
    except NotNow as error:
        sentence = together(error.sentence, rejected_messages.NOT_SENT)
        return _again(twin, rejected_messages.Refused(sentence, 429, said.content, error.until))
    rejected_messages.sent(rejected_messages.first_words(twin.id), said.content)
    if added.new:
        portal().producer.reply_later(added.conversation, added.turn, None)
    to = url_for("conversations.show", conversation_id=added.conversation.id)
    if wants_fragment():
        return Response(headers={"HX-Redirect": to})
    return redirect(to, 303)


@bp.post("/twins/<twin:twin_id>/words/deletion")
def discard(twin_id: str) -> BaseResponse:
    """Let go of first words that were refused."""
    rejected_messages.forget(rejected_messages.first_words(twin_id))
    return redirect(url_for("twins.show", twin_id=twin_id), 303)


def _again(twin: Twin, refused: rejected_messages.Refused) -> Response:
    """Show the form again, with what was written and why it was not sent.

    A way to begin that was refused is still there; what was written meanwhile stays.
    """
    if wants_fragment() and "composer" not in request.form:
        return notice(refused.sentence, refused.status, until=refused.until)
    values = {"twin": twin} | _composer(twin) | rejected_messages.given_back(refused)
    if wants_fragment():
        return fragment("turns/_composer.html", refused.status, **values)
    rejected_messages.keep(rejected_messages.first_words(twin.id), refused.content)
    page = render_template("twins/show.html", **values, **_talks(twin))
    return make_response(page, refused.status)


def _composer(twin: Twin) -> dict[str, Any]:
    kept = rejected_messages.kept(rejected_messages.first_words(twin.id))
    return outlook() | {
        "action": url_for("twins.converse", twin_id=twin.id),
        "content": kept,
        "kept": bool(kept),
        "key": idempotency_keys.first_key(twin.id),
    }


def _talks(twin: Twin) -> dict[str, Any]:
    """Return the person's last conversations with a twin."""
    if not person():
        return {"talks": (), "talks_total": 0}
    page = portal().conversations.of_person(person(), twin_id=twin.id)
    return {"talks": page.items[:RECENT], "talks_total": page.total}


def _lately_first(
    twins: Sequence[Twin], uses: Mapping[str, Use]
) -> tuple[Sequence[Twin], Sequence[Twin]]:
    """Divide the twins: those that the person talked to last, and all others."""
    by_id = {twin.id: twin for twin in twins}
    lately = [by_id[twin_id] for twin_id in uses if twin_id in by_id][:LATELY]
    seen = {twin.id for twin in lately}
    others = [twin for twin in twins if twin.id not in seen]
    return (lately, others) if len(twins) > FEW else ((), lately + others)


def _page(count: int) -> int:
    """Return the number of the page that is asked for; a page too far is the last."""
    pages = max(1, -(-count // TWINS_ON_A_PAGE))
    if not wants_fragment():
        pages = min(pages, PAGES)
    return min(max(1, request.args.get("page", 1, int)), pages)
