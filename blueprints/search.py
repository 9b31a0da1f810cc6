"""Search in everything: twins, pages and the person's conversations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter

from flask import Blueprint, Response, render_template, request, url_for

from twindow.chat.catalogue import filter_twins
from twindow.chat.conversations import Conversation
from twindow.chat.search import MAX_QUERY_LENGTH, SearchResults
from twindow.core.languages import N_
from twindow.core.text_folding import fold
from twindow.twinapi import Twin
from twindow.web.container import portal
from twindow.web.http import render_fragment, wants_fragment
from twindow.web.i18n import gettext, translate
from twindow.web.person.current_person import is_from_proxy, person, signed_in_person
from twindow.web.person.return_path import current_page
from twindow.web.person.twin_permissions import cached_twins, twin_permissions

bp = Blueprint("search", __name__)

MAX_TWINS = 5
MAX_RECENT = 5
# The title of each page, then other words that lead to it.
PAGES = {
    "twins.index": [N_("New conversation")],
    "conversations.index": [
        N_("All conversations"),
        N_("Archived conversations"),
        N_("Deleted in the last ten minutes"),
    ],
    "preferences.show": [
        N_("Preferences"),
        N_("Settings"),
        N_("Language"),
        N_("Theme"),
        N_("Dark mode"),
        N_("Text size"),
    ],
    "site.show_help": [N_("Help"), N_("Keyboard shortcuts")],
    "keys.new": [N_("API keys")],
    "account.show": [
        N_("Your account"),
        N_("Sign out"),
        N_("Log out"),
        N_("Change your password"),
        N_("Profile"),
    ],
    "session.new": [N_("Sign in"), N_("Log in"), N_("Password")],
}


@dataclass(frozen=True, slots=True)
class SearchView:
    """What a search has found; without a query, the person's newest conversations."""

    q: str
    recent: Sequence[Conversation]
    twins: Sequence[Twin]
    pages: Sequence[tuple[str, str]]
    results: SearchResults | None

    @property
    def count(self) -> int:
        """Return the number of twins, pages and conversations that a query has found."""
        return len([*self.twins, *self.pages, *(self.results.items if self.results else ())])


@bp.get("/search")
def index() -> Response | str:
    """Show what contains the words in `q`; without it, what the person used last.

    A fragment request gets the content of the dialog, or only the results if `results` is given.
    """
    view = _search(request.args.get("q", "").strip()[:MAX_QUERY_LENGTH])
    if not wants_fragment():
        return render_template("search/index.html", view=view)
    if "results" not in request.args:
        return render_fragment("search/_dialog.html", view=view)
    # On the page of the search, reloading or going back searches again.
    is_on_page = (current_page() or "").partition("?")[0] == url_for("search.index")
    url = url_for("search.index", q=view.q or None) if is_on_page else None
    return render_fragment("search/_results.html", replace_url=url, view=view, is_update=True)


def _search(q: str) -> SearchView:
    # Only the cached list: a search must not wait for the service.
    twins = sorted(cached_twins().values(), key=lambda twin: fold(twin.name))
    pages = list(_find_pages(q))
    if q:
        results = portal().search.find(person(), q, permissions=twin_permissions())
        return SearchView(q, [], filter_twins(twins, q)[:MAX_TWINS], pages, results)
    recent = portal().conversations.list_recent(person(), twin_permissions())
    recent = sorted(recent, key=attrgetter("updated_at"), reverse=True)[:MAX_RECENT]
    return SearchView(q, recent, twins[:MAX_TWINS], pages, None)


def _find_pages(q: str) -> Iterator[tuple[str, str]]:
    """Yield the endpoints and titles of the pages that these words lead to, for this person.

    The title has the word that was found, if it is another one, such as "Preferences: Theme".
    """
    settings = portal().settings
    is_signed_in = signed_in_person() is not None
    are_shown = {
        "keys.new": settings.is_embedded,
        "account.show": is_signed_in and not is_from_proxy(),
        "session.new": settings.sign_in.has_sign_ins and not is_signed_in,
    }
    for endpoint, names in PAGES.items():
        title, *words = map(translate, names)
        found = next((word for word in (title, *words) if fold(q) in fold(word)), None)
        if found and are_shown.get(endpoint, True):
            is_title = found == title
            yield (
                endpoint,
                title if is_title else gettext("%(page)s: %(word)s", page=title, word=found),
            )
