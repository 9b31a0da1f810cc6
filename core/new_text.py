"""What is new in each piece of a streamed text: some servers repeat the text so far in it."""

from __future__ import annotations

# A piece that continues a text of this length does not begin with all of it by chance.
MIN_LENGTH = 32


class NewText:
    """Filter of the pieces of one text.

    The server repeats the text so far if each piece begins with the one before. As long as this may
    be chance, as in "1" and "10", all pieces but the first are held back.
    """

    def __init__(self) -> None:
        self._pieces = [""]
        self._length = 0
        self._is_repeated: bool | None = None  # None if it is not known yet

    def feed(self, piece: str) -> str:
        """Return what is new in the next piece."""
        if piece and self._is_repeated and not piece.startswith(self._pieces[-1]):
            self._is_repeated = False
        if not piece or self._is_repeated is False:
            return piece
        *earlier, newest = self._pieces
        self._pieces.append(piece)
        if newest and not self._is_repeated:
            if not piece.startswith(newest) or (piece == newest and not earlier):
                held, self._pieces = self._pieces[1:], [""]
                self._is_repeated = False
                return "".join(held)
            if not len(piece) > len(newest) >= MIN_LENGTH:
                return ""
            self._is_repeated = True
        return self.close()

    def close(self) -> str:
        """Return what is held back, at the end of the text."""
        self._pieces = [text := self._pieces[-1]]
        new, self._length = text[self._length :], max(self._length, len(text))
        return new
