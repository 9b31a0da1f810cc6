"""Search in everything: twins, pages and the person's conversations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask import Blueprint, Response, current_app, render_template, request, url_for

from chat.search import SearchResults
from chat.text_folding import fold
from chat.twins import filter_twins
from core.languages import N_
from twinapi import Twin, TwinApiError
from web.container import portal
from web.http import render_fragment, wants_fragment
from web.i18n import translate
from web.person.current_person import person
from web.person.twin_access import list_twins, twin_access
from web.views import TURNS_PER_PAGE

bp = Blueprint("search", __name__)

MAX_QUERY_CHARACTERS = 200
MAX_TWINS = 5
PAGES = (
    ("twins.index", N_("New conversation")),
    ("conversations.index", N_("All conversations")),
    ("preferences.show", N_("Preferences")),
    ("site.show_help", N_("Help")),
    ("keys.new", N_("API keys")),
)


@dataclass(frozen=True, slots=True)
class Found:
    """What a search has found. `results` is None without a query."""

    q: str
    twins: Sequence[Twin]
    pages: Sequence[tuple[str, str]]
    results: SearchResults | None
    turns_after_hit: int = TURNS_PER_PAGE // 2

    @property
    def is_empty(self) -> bool:
        """Return whether a query has found nothing."""
        return not (self.twins or self.pages or (self.results and self.results.items))


@bp.get("/search")
def index() -> Response | str:
    """Show what contains the words in `q`; without it, the twins and pages.

    A fragment request gets the content of the dialog, or only the results if `results` is given.
    """
    found = _search(request.args.get("q", "").strip()[:MAX_QUERY_CHARACTERS])
    if not wants_fragment():
        return render_template("search/index.html", found=found)
    template = "search/_results.html" if "results" in request.args else "search/_dialog.html"
    return render_fragment(template, found=found)


def _search(q: str) -> Found:
    try:
        twins = list_twins().twins
    except TwinApiError:
        twins = ()
    has_keys = current_app.extensions["site_context"]["can_create_api_keys"]
    pages = [
        (url_for(endpoint), title)
        for endpoint, name in PAGES
        if fold(q) in fold(title := translate(name)) and (has_keys or endpoint != "keys.new")
    ]
    results = portal().search.find(person(), q, access=twin_access()) if q else None
    return Found(q, filter_twins(twins, q)[:MAX_TWINS], pages, results)
