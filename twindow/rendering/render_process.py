"""Rendering of long texts in a child process, so that it does not delay other people.

A thread is not enough: the parser holds the interpreter lock. 500 KB of quotations take it half a
second, and 500 KB of "<http://" 16 seconds, in which no reply would move.
"""

from __future__ import annotations

import json
import logging
import socket
import subprocess
import sys
import threading
from contextlib import ExitStack, suppress

from twindow.paths import ROOT
from twindow.rendering.render import MAX_MARKDOWN_CHARACTERS, render, render_plain

logger = logging.getLogger(__name__)

# Number of characters that are usually rendered in a few milliseconds.
LONG_TEXT_LENGTH = 16_000
TIMEOUT_SECONDS = 10.0
# The child process ends after this time without work, and returns its memory.
IDLE_SECONDS = 20.0


class RendererClosed(Exception):
    """Raised when a text is not rendered, because the server stops."""


class RenderProcess:
    """Renderer of whole replies: short texts in this process, long texts in a child process.

    The child process starts on demand and renders one text at a time. If the child crashes or takes
    longer than `timeout` seconds, it is replaced, and the text is shown as plain text.
    """

    def __init__(
        self, *, timeout: float = TIMEOUT_SECONDS, idle_seconds: float = IDLE_SECONDS
    ) -> None:
        self._timeout = timeout
        self._idle_seconds = idle_seconds
        self._child: _Child | None = None
        self._is_closed = False
        self._lock = threading.Lock()

    def render(self, text: str, scope: str) -> str:
        """Render Markdown as `twindow.rendering.render` does.

        Raises RendererClosed for a long text after `close`.
        """
        if not LONG_TEXT_LENGTH < len(text) <= MAX_MARKDOWN_CHARACTERS:
            return render(text, scope)
        with self._lock:
            for is_last_attempt in (self._child is None, True):
                if self._is_closed:
                    raise RendererClosed
                try:
                    self._child = self._child or _Child(self._timeout, self._idle_seconds)
                    if not self._is_closed:  # `close` may have run while this child started
                        return self._child.render(text, scope)
                except (OSError, ValueError) as error:
                    is_last_attempt |= isinstance(error, TimeoutError)
                self._stop_child()
                if is_last_attempt:
                    break
                # The child may have ended just now, because it was idle: try again with a new one.
            if self._is_closed:
                raise RendererClosed
        logger.warning("A reply of %d characters was not rendered.", len(text))
        return render_plain(text)

    def close(self) -> None:
        """End the child process, even while it renders."""
        self._is_closed = True
        if child := self._child:
            child.process.kill()  # so that `render` fails
        with self._lock:
            self._stop_child()

    def _stop_child(self) -> None:
        if self._child:
            self._child.stop()
        self._child = None


class _Child:
    """A child process, and the socket that connects to it. Closing the socket ends the process."""

    def __init__(self, timeout: float, idle_seconds: float) -> None:
        self._socket, child_socket = socket.socketpair()
        with ExitStack() as on_error, child_socket:
            on_error.callback(self._socket.close)
            self.process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-m", "twindow.rendering", str(idle_seconds)],
                stdin=child_socket.fileno(),
                stdout=child_socket.fileno(),
                cwd=ROOT,
                start_new_session=True,  # Ctrl+C in a terminal is for the server alone
            )
            on_error.pop_all()
        self._socket.settimeout(timeout)
        self._file = self._socket.makefile("rw", encoding="ascii")

    def render(self, text: str, scope: str) -> str:
        """Render a text. Raises OSError (such as TimeoutError) or ValueError on failure."""
        self._file.write(json.dumps([text, scope]) + "\n")
        self._file.flush()
        html: str = json.loads(self._file.readline())
        return html

    def stop(self) -> None:
        """Kill the process, and close the socket."""
        self.process.kill()
        self.process.wait()
        with suppress(OSError):  # a part of the last text may still be unsent
            self._file.close()
        self._socket.close()
