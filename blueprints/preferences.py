"""How a person likes it: kept in their session, and told to styles and scripts by <html>."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

from flask import Blueprint, Flask, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response as BaseResponse

bp = Blueprint("preferences", __name__, url_prefix="/preferences")


@dataclass(frozen=True, slots=True)
class Preferences:
    """What a person chose; a default is kept nowhere."""

    theme: str = "system"
    text: str = "normal"
    enter: str = "send"
    announce: str = "on"
    shortcuts: str = "on"

    @classmethod
    def of(cls, given: Mapping[str, object]) -> Preferences:
        """Take what can be chosen, and the default for everything else."""
        return cls(
            **{
                name: str(given[name])
                for name, question in QUESTIONS.items()
                if given.get(name) in question.answers
            }
        )

    @property
    def chosen(self) -> dict[str, str]:
        """Return what differs from the defaults."""
        defaults = {field.name: field.default for field in fields(self)}
        return {name: value for name, value in asdict(self).items() if value != defaults[name]}

    @property
    def attributes(self) -> dict[str, str]:
        """Return what <html> carries: data-theme and so on, none for a default."""
        return {f"data-{name}": value for name, value in self.chosen.items()}


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked on the page, and the possible answers with their labels."""

    legend: str
    hint: str
    answers: Mapping[str, str]


ON_OFF = {"on": "On", "off": "Off"}
QUESTIONS = {
    "theme": Question(
        "Theme",
        "System follows your device.",
        {"system": "System", "light": "Light", "dark": "Dark"},
    ),
    "text": Question(
        "Text size", "Everything grows with it.", {"normal": "Normal", "large": "Large"}
    ),
    "enter": Question(
        "Enter key",
        "In the message box. Shift+Enter starts a line either way.",
        {"send": "Sends", "newline": "Starts a line"},
    ),
    "announce": Question(
        "Read replies out",
        "A screen reader hears a reply by sentences, while it is written.",
        ON_OFF,
    ),
    "shortcuts": Question("Keyboard shortcuts", "Single keys, such as ? for help.", ON_OFF),
}


def init_app(app: Flask) -> None:
    """Let every template ask."""
    app.add_template_global(preferences)


def preferences() -> Preferences:
    """Return what the person chose. Asking begins no session."""
    kept = session.get("preferences")
    return Preferences.of(kept) if isinstance(kept, dict) else Preferences()


@bp.get("")
def show() -> str:
    """Show the form."""
    return render_template(
        "preferences/show.html",
        questions=QUESTIONS,
        chosen=asdict(preferences()),
        kept="kept" in request.args,
    )


@bp.post("")
def update() -> BaseResponse:
    """Keep what was chosen."""
    session["preferences"] = Preferences.of(request.form).chosen
    session.permanent = True
    return redirect(url_for("preferences.show", kept=1), 303)
