"""The translated sentences of the scripts."""

from __future__ import annotations

import json

from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from twindow.core.languages import N_
from twindow.web.i18n.locale import gettext

SENTENCES = {
    "offline": N_("You're offline."),
    "online": N_("You're back online."),
    "replyContinues": N_("The reply continues and will be here when you reconnect."),
    "unreachable": N_("Can't reach the server."),
    "tryAgain": N_("Try again."),
    "textSaved": N_("Your text is saved. Try again."),
    "connectionLost": N_("Connection lost. Reconnecting…"),
    "complete": N_("The reply is complete."),
    "waitOver": N_("You can try again now."),
    "olderShown": N_("Older messages are shown above."),
    "copied": N_("Copied"),
    "linkCopied": N_("Link copied. Only you can open it."),
    "notCopied": N_("Nothing was copied, because your browser doesn't allow it."),
    "editCanceled": N_("Edit canceled."),
    "draft": N_("Draft restored."),
    "table": N_("Table"),
    "code": N_("Code"),
    "formula": N_("Formula"),
    "copyTable": N_("Copy table"),
    "backToReference": N_("Back to reference %(label)s"),
}


def script_messages() -> Markup:
    """Return the sentences of the scripts in the current language, as JSON for a data block."""
    messages = {name: gettext(sentence) for name, sentence in SENTENCES.items()}
    return htmlsafe_json_dumps(messages, json.dumps, ensure_ascii=False, separators=(",", ":"))
