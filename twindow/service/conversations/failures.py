"""Final events of replies that failed or were stopped, with sentences for people."""

from twindow.core.languages import N_
from twindow.service.conversations.reply import Failed

INTERNAL_ERROR = Failed(N_("Something went wrong in the service."), "internal_error")
EMPTY_REPLY = Failed(N_("The model returned an empty reply."))
INTERRUPTED = Failed(N_("The reply was interrupted. Send the message again."))
STOPPED = Failed(N_("The reply was stopped."), "stopped")
RESTARTING = Failed(
    N_("The service is restarting. Try again in a few seconds."), "restarting", retry_after=5
)
RESTARTING_TEXT_SAVED = Failed(
    N_("The service is restarting. The text so far has been saved."), "restarting", retry_after=5
)
DATABASE_UNAVAILABLE = Failed(
    N_("The service is temporarily unavailable. Try again soon."), "unavailable"
)
STORE_FAILED = Failed(N_("The reply couldn't be saved."), "unavailable")
