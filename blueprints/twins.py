"""The first page, the page of one twin, and the start of a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask import Blueprint, Response, make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from twindow.chat.catalogue import TwinList, filter_twins
from twindow.chat.conversations import Conversation
from twindow.chat.limits import Sender, SendingBlocked
from twindow.chat.search import MAX_QUERY_LENGTH
from twindow.chat.submissions import AddedTurn
from twindow.chat.turns import Turn
from twindow.twinapi import Twin, TwinApiError
from twindow.web import message_form
from twindow.web.composer import ComposerView, first_composer, with_rejection
from twindow.web.container import portal
from twindow.web.http import redirect_page, render_fragment, render_notice, wants_fragment
from twindow.web.i18n import join_sentences
from twindow.web.message_form import RejectedMessage
from twindow.web.person.client_address import visitor_address
from twindow.web.person.current_person import person, person_of_form, remember_person
from twindow.web.person.ownership import find_turn
from twindow.web.person.twin_permissions import (
    cached_twins,
    find_twin,
    list_twins,
    twin_permissions,
)
from twindow.web.views import TurnView, load_turn_views

bp = Blueprint("twins", __name__)
bp.add_app_template_global(cached_twins)

TWINS_PER_PAGE = 60
# Limit for full page loads, which contain all previous gallery pages, too. The search finds the
# other twins of a long list (MAX_TWINS in twindow/chat/catalogue/catalogue.py).
MAX_PAGES = 10
MAX_RECENT_TWINS = 3
# With at most this many twins, the gallery does not list recent ones separately.
MAX_UNGROUPED_TWINS = 6
MAX_RECENT_CONVERSATIONS = 5
# Answers to one message that are compared.
MAX_ANSWERS = 4
# Twins in the select element of the first page. From nine twins on, the page has a search.
MAX_CHOICES = 20
MIN_SEARCHED_TWINS = 9


@dataclass(frozen=True, slots=True)
class GalleryView:
    """The twins that a response shows. `choices` are those that the form offers.

    `recent_twins` come first and are on the first page only; `twins` are the others. `total` is the
    number of all matching twins, `visible_count` the number of twins on the page after this
    response. In a full page load, the requested page begins at `first_new_index` in `twins`; the
    index is None on the first page.
    """

    twin_list: TwinList
    q: str
    page: int
    total: int
    recent_twins: Sequence[Twin]
    twins: Sequence[Twin]
    visible_count: int
    has_more: bool
    first_new_index: int | None
    choices: Sequence[Twin]
    # A message of which the form has a copy, for another twin.
    copied: Turn | None

    @property
    def chosen_twin(self) -> Twin | None:
        """Return the twin with the id in the query parameter `twin`, or else the first choice."""
        twin_id = request.args.get("twin")
        by_id = {twin.id: twin for twin in self.twin_list.twins}
        asked_id = self.copied.twin_id if self.copied else ""
        others = (twin for twin in self.choices if twin.id != asked_id)
        return by_id.get(twin_id or "") or next(others, None) or next(iter(self.choices), None)

    @property
    def has_search(self) -> bool:
        """Return whether there are so many twins that people may want to search them."""
        return len(self.twin_list.twins) >= MIN_SEARCHED_TWINS or bool(self.q)


@bp.get("/")
def index() -> Response | str:
    """Show the form that starts a conversation, and the twins.

    The twins are those whose name or description contains the words in `q`. The form is for the
    twin with the id `twin`; a fragment request for it gets the starters of this twin. With `turn`,
    the form has the message of this turn.

    A full page load of page N also contains the pages before it, so that its URL can be opened
    directly.
    """
    gallery = _gallery_view()
    if not wants_fragment():
        twin = gallery.chosen_twin
        composer = first_composer(twin, gallery.choices, gallery.copied) if twin else None
        return _render_index(gallery, twin, composer)
    if request.args.get("twin"):
        return render_fragment("twins/_choice.html", twin=gallery.chosen_twin)
    is_next_page = gallery.page > 1
    template = "twins/_next_page.html" if is_next_page else "twins/_search_results.html"
    # Reloading or going back shows the same twins again, up to the limit of full page loads.
    page = gallery.page if is_next_page else None
    turn_id = gallery.copied.id if gallery.copied else None
    url = url_for("twins.index", q=gallery.q or None, page=page, turn=turn_id)
    return render_fragment(template, replace_url=url, gallery=gallery)


def _gallery_view() -> GalleryView:
    q = request.args.get("q", "").strip()[:MAX_QUERY_LENGTH]
    try:
        twin_list = list_twins()
    except TwinApiError as error:
        twin_list = TwinList((), error=error)
    matches = filter_twins(twin_list.twins, q)
    used_ids = portal().conversations.list_twin_ids(person()) if person() else ()
    recent, others = ((), matches) if q else _split_recent(matches, used_ids)
    page = _requested_page(len(others))
    start, end = (page - 1) * TWINS_PER_PAGE, page * TWINS_PER_PAGE
    return GalleryView(
        twin_list=twin_list,
        q=q,
        page=page,
        total=len(matches),
        recent_twins=recent,
        # htmx appends the next page to those before it.
        twins=others[start if wants_fragment() else 0 : end],
        visible_count=len(recent) + len(others[:end]),
        has_more=len(others) > end,
        first_new_index=start or None,
        choices=_choices(twin_list.twins, used_ids),
        copied=find_turn(request.args.get("turn", "")),
    )


def _choices(twins: Sequence[Twin], used_ids: Sequence[str]) -> Sequence[Twin]:
    """Return the twins that the form offers: those used last, then the others."""
    by_id = {twin.id: twin for twin in twins}
    ordered = [by_id[id_] for id_ in dict.fromkeys((*used_ids, *by_id)) if id_ in by_id]
    return ordered[:MAX_CHOICES]


@bp.get("/twins/<twin:twin_id>")
def show(twin_id: str) -> str:
    """Show one twin, and the form that starts a conversation."""
    twin = find_twin(twin_id)
    return _render_twin(twin, first_composer(twin))


@bp.post("/conversations")
def start_conversation() -> BaseResponse:
    """Start a conversation with the twin that the form names, and its first turn."""
    twin = find_twin(request.form.get("twin", ""))
    try:
        added = _start_conversation(twin)
    except RejectedMessage as rejection:
        return message_form.add_retry_after(_rejection_response(twin, rejection), rejection)
    if added.is_new:
        portal().reply_worker.start_reply(added)
    location = url_for("conversations.show", conversation_id=added.conversation.id)
    if wants_fragment():
        return redirect_page(location)
    return redirect(location, 303)


def _start_conversation(twin: Twin) -> AddedTurn:
    """Start a conversation with the submitted message. Raises RejectedMessage."""
    message = message_form.read_message()
    person_id = person_of_form(message.idempotency_key)
    sender = Sender(person_id, twin.id, visitor_address())
    try:
        added = portal().submissions.start_conversation(sender, twin.name, message)
    except SendingBlocked as error:
        sentence = join_sentences(error.sentence, message_form.NOT_SENT)
        raise RejectedMessage(sentence, 429, message.content, error.retry_at) from error
    remember_person(person_id, message.idempotency_key)
    return added


def _rejection_response(twin: Twin, rejection: RejectedMessage) -> Response:
    """Show the form again, with the submitted text and the reason why it was not sent.

    If a button outside the composer sent the message, show only a notice: the button is still on
    the page, and the text in the composer must not be replaced.
    """
    if wants_fragment() and not message_form.is_from_composer():
        return render_notice(rejection.sentence, rejection.status, retry_at=rejection.retry_at)
    gallery = _gallery_view() if "choices" in request.form else None
    choices = gallery.choices if gallery else ()
    composer = with_rejection(first_composer(twin, choices), rejection)
    if wants_fragment():
        return render_fragment("turns/_composer.html", rejection.status, composer=composer)
    html = _render_index(gallery, twin, composer) if gallery else _render_twin(twin, composer)
    return make_response(html, rejection.status)


def _render_index(gallery: GalleryView, twin: Twin | None, composer: ComposerView | None) -> str:
    answers = _answers(gallery.copied) if gallery.copied else ()
    return render_template(
        "twins/index.html", gallery=gallery, twin=twin, composer=composer, answers=answers
    )


def _answers(turn: Turn) -> Sequence[TurnView]:
    """Return the newest answers to the message of a turn: versions, and those of other twins."""
    answered = portal().turns.list_answered(person(), turn, limit=MAX_ANSWERS)
    permissions = twin_permissions()
    views = load_turn_views([each for each in answered if permissions.allows(each.turn.twin_id)])
    return [view for view in views if view.reply.text]


def _render_twin(twin: Twin, composer: ComposerView) -> str:
    """Render the page of a twin with the person's latest conversations."""
    items: Sequence[Conversation] = ()
    total = 0
    if person():
        page = portal().conversations.list_for_person(person(), twin_id=twin.id)
        items, total = page.items[:MAX_RECENT_CONVERSATIONS], page.total
    return render_template(
        "twins/show.html",
        twin=twin,
        composer=composer,
        conversations=items,
        conversation_count=total,
    )


def _split_recent(
    twins: Sequence[Twin], used_ids: Sequence[str]
) -> tuple[Sequence[Twin], Sequence[Twin]]:
    """Return the twins that the person used last, and all others. Short lists are not split."""
    by_id = {twin.id: twin for twin in twins}
    recent = [by_id[twin_id] for twin_id in used_ids if twin_id in by_id][:MAX_RECENT_TWINS]
    recent_ids = {twin.id for twin in recent}
    others = [twin for twin in twins if twin.id not in recent_ids]
    return (recent, others) if len(twins) > MAX_UNGROUPED_TWINS else ((), recent + others)


def _requested_page(count: int) -> int:
    """Return the requested page number, limited to the last page."""
    last_page = max(1, -(-count // TWINS_PER_PAGE))
    if not wants_fragment():
        last_page = min(last_page, MAX_PAGES)
    return min(max(1, request.args.get("page", 1, int)), last_page)
