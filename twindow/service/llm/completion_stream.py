"""A streamed chat completion: pieces of text from the model server."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace

import requests

from twindow.core import sse
from twindow.core.languages import N_
from twindow.core.new_text import NewText
from twindow.core.outbound.fair_response import FULL_READ_BYTES
from twindow.core.outbound.responses import (
    NETWORK_ERRORS,
    ResponseTooLarge,
    describe_response,
    read_bounded,
)
from twindow.service.llm.chunks import Chunk, End, error_sentence, parse_chunk
from twindow.service.llm.dialect import Dialect
from twindow.service.llm.refusals import FILTERED, READ_BYTES, ModelFailed
from twindow.service.llm.thinking import ThinkingFilter
from twindow.service.llm.usage import Usage, parse_usage

logger = logging.getLogger(__name__)

# More than any model writes: an endless reply must not fill memory and database.
MAX_REPLY_CHARACTERS = 1_048_576
MAX_REPLY_BYTES = 10 * 1024 * 1024
# After the reason of the end, some servers send the usage, and some keep the connection open.
FINAL_SECONDS = 2.0
DONE = "[DONE]"
REPORTED_ERROR = N_("The model reported an error.")
ONLY_THINKING = N_("The model stopped before it wrote a reply. Try again.")


class _RequestChanged(Exception):
    """Raised before the first piece when what was learnt changes the request."""


class CompletionStream:
    """A streaming reply: iterate to get its pieces; `stop` may be called from any thread.

    `send` sends the request, as the dialect makes it. It is sent again if the server refuses it in
    its stream, and `learn` returns that this changes the next one, or if a model that was not known
    to think has spent all its tokens on reasoning, which is not part of the reply. After each read
    since the first text, the stream waits for the result of `pause_seconds`.
    """

    def __init__(
        self,
        send: Callable[[], requests.Response],
        learn: Callable[[requests.Response, str], bool],
        dialect: Dialect,
        timeout: float,
        model: str,
        *,
        pause_seconds: Callable[[], float],
    ) -> None:
        self._send = send
        self._learn = learn
        self._dialect = dialect
        self._timeout = timeout
        self._model = model
        self._pause_seconds = pause_seconds
        self._stop_event = threading.Event()
        self._final_timer: threading.Timer | None = None
        # Whether the token limit cut off the reply; set at the end of the iteration.
        self.is_cut_off = False
        # Changes the pieces on their way to the reader.
        self.edit: Callable[[Iterator[str]], Iterator[str]] = iter
        # Set during the iteration if the model server reports the token usage.
        self.usage: Usage | None = None
        self._begin()

    def _begin(self) -> None:
        self._thinking = ThinkingFilter(begins_thinking=self._dialect.begins_thinking)
        self._new_text = NewText()
        self._finish_reason, self._start = "", b""
        self._has_text = self._has_delta = self._has_reasoning = False
        self._response = self._send()
        self._last_event_at = time.monotonic()

    def __iter__(self) -> Iterator[str]:
        """Yield pieces of text without lone surrogates and NUL.

        Raises ModelFailed, and PromptTooLong before the first piece.
        """
        yield from self.edit(self._all_pieces())

    def _all_pieces(self) -> Iterator[str]:
        while True:
            try:
                yield from self._pieces()
            except _RequestChanged:
                self._begin()
            else:
                return

    def _pieces(self) -> Iterator[str]:
        incomplete_character, length, cause = "", 0, "no end"
        with self._response:
            try:
                for chunk in self._parsed_chunks():
                    self._has_reasoning |= chunk.has_reasoning
                    text = self._thinking.feed(self._new_text.feed(chunk.text))
                    text, incomplete_character = _split_storable(incomplete_character + text)
                    length += len(text)
                    if length > MAX_REPLY_CHARACTERS:
                        raise ModelFailed(N_("The reply was too long and was cut off."))
                    if text:
                        yield text
            except (*NETWORK_ERRORS, sse.EventTooLarge, ResponseTooLarge) as error:
                cause = type(error).__name__
            finally:
                if self._final_timer:
                    self._final_timer.cancel()
        if self._stop_event.is_set():
            return
        rest = self._thinking.feed(self._new_text.close()) + self._thinking.close()
        if rest := _split_storable(incomplete_character + rest)[0]:
            length += len(rest)
            yield rest
        has_thought = self._has_reasoning or self._thinking.has_thought
        is_new = self._dialect.note_thinking(has_thought, self._thinking.begins_thinking)
        end = Chunk(finish_reason=self._finish_reason).end
        if is_new and not length and end is End.CUT_OFF:
            raise _RequestChanged
        self._check_end(cause, has_text=length > 0, has_thought=has_thought)

    def _check_end(self, cause: str, *, has_text: bool, has_thought: bool) -> None:
        """Check why the reply has ended; `cause` is that of an interruption. Raises ModelFailed."""
        end = Chunk(finish_reason=self._finish_reason).end
        if not has_text or end is End.FAILED or (end is None and self._finish_reason != DONE):
            kind = "text" if has_text else "only reasoning" if has_thought else "no text"
            start = self._start if kind == "no text" else b""
            facts = self._finish_reason or cause, describe_response(self._response, start)
            logger.warning("The model wrote %s (%.100s): %s", kind, *facts)
        if not self._finish_reason:
            raise ModelFailed(N_("The model's reply was interrupted."))
        if end is End.FILTERED:
            raise ModelFailed(FILTERED)
        if end is End.FAILED:
            raise ModelFailed(REPORTED_ERROR)
        if has_thought and not has_text:
            raise ModelFailed(ONLY_THINKING)
        self.is_cut_off = end is End.CUT_OFF

    def _parsed_chunks(self) -> Iterator[Chunk]:
        """Yield the chunks until the final one. Raises ModelFailed for a reported error."""
        for name, data in self._events():
            self._last_event_at = time.monotonic()
            if data == DONE:
                self._finish_reason = self._finish_reason or DONE
                return
            chunk = parse_chunk(data)
            if chunk.error is not None or name == "error":
                sentence = chunk.error or error_sentence(data)
                logger.warning("The model server reported an error: %s", sentence)
                if not self._has_text and self._learn(self._response, data):
                    raise _RequestChanged
                raise ModelFailed(REPORTED_ERROR)
            if chunk.is_message and self._has_delta:
                chunk = replace(chunk, text="")  # some servers repeat the reply at its end
            self._has_text |= bool(chunk.text)
            self._has_delta |= bool(chunk.text) and not chunk.is_message
            self.usage = parse_usage(chunk.usage, chunk.model, self._model) or self.usage
            yield chunk
            if chunk.finish_reason and not self._finish_reason:
                self._finish_reason = chunk.finish_reason
                self._final_timer = threading.Timer(FINAL_SECONDS, self._shut_down)
                self._final_timer.daemon = True
                self._final_timer.start()
            if self._finish_reason and self.usage:
                return

    def _events(self) -> Iterator[tuple[str, str]]:
        """Yield the name and data of each event; the data may also be a whole completion."""
        if "json" in self._response.headers.get("Content-Type", ""):
            self._start = read_bounded(self._response, MAX_REPLY_BYTES, self._timeout)
            yield "", self._start.decode()
            self._finish_reason = self._finish_reason or DONE
            return
        for event in sse.read_events(_separate_lines(self._chunks())):
            yield event.name, event.data.strip()

    def stop(self) -> None:
        """Stop the reply by closing the connection: a model server then stops generating."""
        self._stop_event.set()
        self._shut_down()

    def _shut_down(self) -> None:
        with suppress(*NETWORK_ERRORS, ValueError, RuntimeError):
            self._response.raw.shutdown()

    def _chunks(self) -> Iterator[bytes]:
        while not self._stop_event.is_set():
            chunk = self._response.raw.read1(READ_BYTES, decode_content=True)
            if not chunk:
                return
            # SSE comments reset the socket timeout, but only events count as progress.
            if time.monotonic() - self._last_event_at > self._timeout:
                raise requests.ReadTimeout
            self._start = self._start or chunk
            yield chunk
            has_begun = self._has_text or self._has_reasoning
            may_pause = has_begun and len(chunk) < FULL_READ_BYTES
            if may_pause and (seconds := self._pause_seconds()):
                time.sleep(seconds)


def _separate_lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines, each with a blank line after it, except the name of an event.

    Some servers separate events by single newlines, or end without a blank line. llama.cpp has
    reported errors in a line `error: …`.
    """
    for lines in sse.read_lines(chunks):
        yield b"".join(map(_as_event, lines))


def _as_event(line: bytes) -> bytes:
    if line.startswith(b"event:"):
        return line + b"\n"
    if line.startswith(b"error:"):
        line = b"event: error\ndata:" + line.removeprefix(b"error:")
    return line + b"\n\n"


def _split_storable(text: str) -> tuple[str, str]:
    """Return the storable text, and a trailing high surrogate to prepend to the next piece.

    JSON strings may contain lone surrogates and NUL, which UTF-8 or PostgreSQL cannot store; both
    are replaced with U+FFFD.
    """
    high_surrogate = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
    storable_text = (
        text.removesuffix(high_surrogate)
        .encode("utf-16-le", "surrogatepass")
        .decode("utf-16-le", "replace")
    )
    return storable_text.replace("\0", "\ufffd"), high_surrogate
