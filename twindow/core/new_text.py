"""What is new in each piece of a streamed text: some servers repeat the text so far in it."""

from __future__ import annotations

from itertools import pairwise

# A piece that begins with a text of this length repeats it, and not by chance.
MIN_LENGTH = 32
# As many equal pieces are a text like "ha ha ha ha".
MAX_EQUAL = 4


class NewText:
    """Filter of the pieces of one text.

    The server repeats the text so far if each piece begins with the one before. As long as this may
    be chance, as in "1" and "10", all pieces but the first are held back. Otherwise, a piece that
    begins with the whole text so far repeats it, as at the end of some streams.
    """

    def __init__(self) -> None:
        # The pieces so far; only the newest one if they repeat each other.
        self._pieces: list[str] = []
        # The length of what was returned.
        self._length = 0
        self._is_repeated: bool | None = None  # None if it is not known yet

    def feed(self, piece: str) -> str:
        """Return what is new in the next piece."""
        if not piece:
            return ""
        if self._is_repeated is False:
            return self._append(piece)
        if not self._pieces:
            return self._replace(piece)
        if not piece.startswith(self._pieces[-1]):
            self._is_repeated = False
            return self._replace("".join(self._pieces)) + self._append(piece)
        if self._is_repeated or len(piece) > len(self._pieces[-1]) >= MIN_LENGTH:
            self._is_repeated = True
            return self._replace(piece)
        self._pieces.append(piece)
        if self._pieces[-MAX_EQUAL:] != [piece] * MAX_EQUAL:
            return ""
        self._is_repeated = False
        return self._replace("".join(self._pieces))

    def close(self) -> str:
        """Return what is held back, at the end of the text."""
        if self._is_repeated is not None or not self._pieces:
            return ""
        # One longer piece may be chance, two are not.
        growth = sum(len(after) > len(before) for before, after in pairwise(self._pieces))
        return self._replace(self._pieces[-1] if growth > 1 else "".join(self._pieces))

    def _replace(self, text: str) -> str:
        """Replace the pieces by one, and return what is new in it."""
        new, self._length, self._pieces = text[self._length :], len(text), [text]
        return new

    def _append(self, piece: str) -> str:
        if len(piece) >= self._length >= MIN_LENGTH:
            piece = piece.removeprefix("".join(self._pieces))
        self._pieces.append(piece)
        self._length += len(piece)
        return piece
