"""Texts of the error pages: what happened, what is kept, and what to do next."""

from __future__ import annotations

from dataclasses import dataclass

from core.languages import N_


@dataclass(frozen=True, slots=True)
class ErrorPage:
    """Texts of an error page and the name of its illustration (templates/_illustration.html)."""

    illustration: str
    title: str
    sentence: str
    advice: str = ""


STALE_FORM = ErrorPage(
    "wait",
    N_("This page was open for too long"),
    N_(
        "This page was open for so long, or the cookies changed so much, that the form is no "
        "longer valid. Nothing was sent; go back, reload, and send it again."
    ),
)
DELETED = ErrorPage(
    "closed",
    N_("You deleted this conversation"),
    N_("This conversation was deleted. It can be brought back within ten minutes."),
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
        N_("That was not understood"),
        N_("The browser sent something that cannot be understood."),
        N_("Nothing was changed. Go back, reload the page, and try once more."),
    ),
    401: ErrorPage(
        "closed",
        N_("You are signed out"),
        N_("Your session in this browser is over."),
        N_("Your conversations are kept. Sign in again to see them."),
    ),
    403: ErrorPage(
        "closed",
        N_("Not allowed"),
        N_("This is not allowed."),
        N_("Nothing was changed. If you think you should be let in, ask whoever runs this portal."),
    ),
    404: ErrorPage(
        "lost",
        N_("Not found"),
        N_("There is nothing here, or it is not yours to see."),
        N_("An address may have been mistyped, or what was here was deleted."),
    ),
    405: ErrorPage(
        "lost",
        N_("Not this way"),
        N_("This address does not take that kind of request."),
        N_("Nothing was changed. Begin again from one of these pages."),
    ),
    413: ErrorPage(
        "large",
        N_("Too large"),
        N_("That is too large to be sent."),
        N_("Nothing was sent. Go back: your text is still in its box. Send it in parts."),
    ),
    429: ErrorPage(
        "wait",
        N_("One moment, please"),
        N_("That was a lot at once. Wait a moment, then try again."),
        N_("Nothing is lost: everything that was said before is kept."),
    ),
    500: ErrorPage(
        "broken",
        N_("This did not work"),
        N_("Something went wrong here. Nothing that was saved is lost."),
        N_(
            "Try again. If it happens again, tell whoever runs this portal, with the reference "
            "below."
        ),
    ),
    503: ErrorPage(
        "cloud",
        N_("Nothing can be saved just now"),
        N_("The portal cannot save anything at the moment. Nothing was sent; try again soon."),
        N_("What was kept before is safe."),
    ),
}


def page_for_status(status: int) -> ErrorPage:
    """Return the error page for a status; unknown ones get that of 400 or 500."""
    return ERROR_PAGES.get(status, ERROR_PAGES[400 if status < 500 else 500])
