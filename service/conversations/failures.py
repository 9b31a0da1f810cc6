"""Final events of replies that failed or were stopped, with sentences for people."""

from service.conversations.reply import Failed

INTERNAL_ERROR = Failed("Something went wrong in the service.", "internal_error")
EMPTY_REPLY = Failed("The model returned an empty reply.")
INTERRUPTED = Failed("The reply was interrupted. Send the message again.")
STOPPED = Failed("The reply was stopped.", "stopped")
RESTARTING = Failed(
    "The service is restarting. Try again in a few seconds.", "restarting", retry_after=5
)
RESTARTING_TEXT_SAVED = Failed(
    "The service is restarting. The text so far has been saved.", "restarting", retry_after=5
)
DATABASE_UNAVAILABLE = Failed(
    "The service is temporarily unavailable. Try again soon.", "unavailable"
)
STORE_FAILED = Failed("The reply couldn't be saved.", "unavailable")
