"""Translated sentences of the scripts. They are a script module, not a part of each page."""

from __future__ import annotations

import json

import flask_babel

from core.languages import N_
from web.i18n.locale import gettext

SENTENCES = {
    "offline": N_("You are offline."),
    "online": N_("You are online again."),
    "meanwhile": N_("The reply goes on without you, and is here when you are back."),
    "unreachable": N_("The portal cannot be reached."),
    "again": N_("Try again."),
    "kept": N_("Your text is still here; try again."),
    "stuck": N_("The reply cannot be followed now. This page tries again."),
    "complete": N_("The reply is complete."),
    "over": N_("You can try again now."),
    "earlier": N_("Earlier turns are above."),
    "copied": N_("Copied"),
    "cancelled": N_("You are not editing any more."),
    "draft": N_("Your draft is back in the box."),
    "table": N_("Table"),
    "code": N_("Code"),
    "formula": N_("Formula"),
    "back": N_("Back to the text"),
}


def messages_module(language: str) -> str:
    """Return a JavaScript module that fills `messages` with the sentences in a language."""
    with flask_babel.force_locale(language):
        strings = {name: gettext(sentence) for name, sentence in SENTENCES.items()}
    return (
        'import { messages } from "../js/announcements.js";\n'
        f"Object.assign(messages, {json.dumps(strings, ensure_ascii=False)});"
    )
