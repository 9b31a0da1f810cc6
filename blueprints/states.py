"""What a page says when it cannot be what was asked for: what happened, and what is kept."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class State:
    """A state with its words and the name of its drawing (templates/_drawing.html)."""

    drawing: str
    title: str
    sentence: str
    kept: str = ""


STALE_FORM = State(
    "wait",
    "This page was open for too long",
    "This page was open for so long, or the cookies changed so much, that the form is no longer "
    "valid. Nothing was sent; go back, reload, and send it again.",
)
SERVICE_DOWN = State(
    "cloud",
    "The twins are away",
    "",
    "Your conversations are kept here and can be read as ever.",
)
STATES = {
    400: State(
        "lost",
        "That was not understood",
        "The browser sent something that cannot be understood.",
        "Nothing was changed. Go back, reload the page, and try once more.",
    ),
    401: State(
        "closed",
        "You are signed out",
        "Your session in this browser is over.",
        "Your conversations are kept. Sign in again to see them.",
    ),
    403: State(
        "closed",
        "Not allowed",
        "This is not allowed.",
        "Nothing was changed. If you think you should be let in, ask whoever runs this portal.",
    ),
    404: State(
        "lost",
        "Not found",
        "There is nothing here, or it is not yours to see.",
        "An address may have been mistyped, or what was here was deleted.",
    ),
    405: State(
        "lost",
        "Not this way",
        "This address does not take that kind of request.",
        "Nothing was changed. Begin again from one of these pages.",
    ),
    413: State(
        "large",
        "Too large",
        "That is too large to be sent.",
        "Nothing was sent. Go back: your text is still in its box. Send it in parts.",
    ),
    429: State(
        "wait",
        "One moment, please",
        "That was a lot at once. Wait a moment, then try again.",
        "Nothing is lost: everything that was said before is kept.",
    ),
    500: State(
        "broken",
        "This did not work",
        "Something went wrong here. Nothing that was saved is lost.",
        "Try again. If it happens again, tell whoever runs this portal, with the reference below.",
    ),
    503: State(
        "cloud",
        "Nothing can be saved just now",
        "The portal cannot save anything at the moment. Nothing was sent; try again soon.",
        "What was kept before is safe.",
    ),
}


def state(status: int) -> State:
    """Return what to say about a status."""
    return STATES.get(status, STATES[400 if status < 500 else 500])
