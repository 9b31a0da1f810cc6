"""Texts of the error pages: what happened, what is kept, and what to do next."""

from __future__ import annotations

from dataclasses import dataclass

from twindow.core.languages import N_


@dataclass(frozen=True, slots=True)
class ErrorPage:
    """Texts of an error page and the name of its illustration (templates/_illustration.html)."""

    illustration: str
    title: str
    sentence: str
    advice: str = ""


FOREIGN_FORM = ErrorPage(
    "closed",
    N_("Not sent"),
    N_("Your browser says that another site sent this, so nothing was sent. Send it from here."),
)
NO_COOKIES = ErrorPage(
    "wait",
    N_("Cookies are needed"),
    N_(
        "Nothing was sent, because your browser doesn't accept cookies. "
        "Allow cookies for this site, or open it in a new window."
    ),
)
DELETED = ErrorPage(
    "closed",
    N_("You deleted this conversation"),
    N_("This conversation was deleted. You can restore it within ten minutes."),
)
CONVERSATION_NOT_FOUND = ErrorPage(
    "lost",
    N_("Conversation not found"),
    N_("This conversation is someone else's, was deleted, or has a twin that you can't use."),
    N_("Only the person who started it can open it, in the same browser or after signing in."),
)
SERVICE_DOWN = ErrorPage(
    "cloud",
    N_("Twins are unavailable right now"),
    "",
    N_("Your conversations are saved and you can still read them."),
)
ERROR_PAGES = {
    400: ErrorPage(
        "lost",
        N_("Something went wrong"),
        N_("We couldn't read that request."),
        N_("Nothing was changed. Go back, reload the page and try again."),
    ),
    403: ErrorPage(
        "closed",
        N_("Access denied"),
        N_("You don't have access to this."),
        N_("Nothing was changed. If you need access, contact your administrator."),
    ),
    404: ErrorPage(
        "lost",
        N_("Page not found"),
        N_("This page doesn't exist, or you don't have access to it."),
        N_("Check the address, or go back to your conversations."),
    ),
    405: ErrorPage(
        "lost",
        N_("That didn't work"),
        N_("This page can't be opened that way."),
        N_("Nothing was changed. Start again from one of these pages."),
    ),
    413: ErrorPage(
        "large",
        N_("Too large"),
        N_("This is too large to send."),
        N_("Nothing was sent. Go back and send your text in smaller parts."),
    ),
    429: ErrorPage(
        "wait",
        N_("One moment, please"),
        N_("Too many requests. Please wait a moment."),
        N_("Your conversations are saved."),
    ),
    500: ErrorPage(
        "broken",
        N_("Something went wrong"),
        N_("Something went wrong on our side. Your conversations are safe."),
        N_("Try again. If it keeps happening, send your administrator the reference below."),
    ),
    503: ErrorPage(
        "cloud",
        N_("Saving is temporarily unavailable"),
        N_("We can't save anything right now, so nothing was sent. Please try again soon."),
        N_("Your saved conversations are safe."),
    ),
}


def page_for_status(status: int) -> ErrorPage:
    """Return the error page for a status; an unknown status gets the page for 400 or 500."""
    return ERROR_PAGES.get(status, ERROR_PAGES[400 if status < 500 else 500])
