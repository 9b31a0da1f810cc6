"""The portal with a sampler in its worker: which stage of a reply takes the CPU time.

SIGUSR1 starts a timer of CPU time, and SIGUSR2 writes the samples of each stage to `SAMPLES_FILE`.
"""

from gevent import monkey

if __name__ == "__main__":
    monkey.patch_all()

import json
import os
import signal
from collections import Counter
from pathlib import Path
from types import FrameType

import app
from twindow.application import Twindow

SAMPLE_SECONDS = 0.0025
# Parts of file names, and functions, by stage. The innermost frame that matches counts, so that a
# library counts as the stage that calls it.
STAGES = {
    "read": ("twindow/core/outbound/", "http/client.py", "urllib3/", "requests/"),
    "frame": (
        "twindow/web/streaming/htmx_frames.py",
        "twindow/core/sse.py:frame",
        "twindow/web/streaming/running_reply.py",
    ),
    "parse": ("twindow/core/sse.py", "twindow/twinapi/", "sseclient/"),
    "compress": ("twindow/web/streaming/gzip_stream.py",),
    "render": ("twindow/rendering/", "twindow/web/streaming/reply_renderer.py"),
    "store": (
        "twindow/chat/log/flusher.py",
        "twindow/chat/log/store.py",
        "twindow/core/db/",
        "sqlalchemy/",
    ),
    "log": ("twindow/chat/",),
    "send": ("gunicorn/", "twindow/core/server/client_connections.py"),
}
EVENT_LOOP = "event loop"


def stage_of(frame: FrameType | None) -> str:
    """Return the stage of a stack, given its innermost frame."""
    while frame:
        place = f"{frame.f_code.co_filename}:{frame.f_code.co_name}"
        for stage, parts in STAGES.items():
            if any(part in place for part in parts):
                return stage
        frame = frame.f_back
    return EVENT_LOOP


class SampledPortal(Twindow):
    """The portal; its worker counts samples between two signals."""

    def start(self) -> None:
        """Start the portal, and listen for the signals."""
        super().start()
        samples: Counter[str] = Counter()
        signal.signal(signal.SIGPROF, lambda _, frame: samples.update([stage_of(frame)]))
        signal.signal(
            signal.SIGUSR1,
            lambda *_: signal.setitimer(signal.ITIMER_PROF, SAMPLE_SECONDS, SAMPLE_SECONDS),
        )

        def write(*_: object) -> None:
            signal.setitimer(signal.ITIMER_PROF, 0)
            file = Path(os.environ["SAMPLES_FILE"])
            file.with_suffix(".part").write_text(json.dumps(samples))
            file.with_suffix(".part").rename(file)

        signal.signal(signal.SIGUSR2, write)


if __name__ == "__main__":
    app.Twindow = SampledPortal  # type: ignore[misc]
    app.main()
