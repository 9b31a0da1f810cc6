"""Constants of the probe stream at /healthz/stream, which detects buffering proxies."""

from __future__ import annotations

DELAYED_EVENT = "soon"
EVENT_DELAY_SECONDS = 0.5
END_DELAY_SECONDS = 3.0
