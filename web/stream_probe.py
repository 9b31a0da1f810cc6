"""The stream that /healthz/stream sends, so that a buffering proxy shows."""

from __future__ import annotations

DELAYED_EVENT = "soon"


EVENT_DELAY_SECONDS = 0.5


END_DELAY_SECONDS = 3.0
