"""Leaves out what a log says a second time, because somebody appended a copy of it to itself.

`kubectl logs POD >> FILE` does that each time. Counted twice, connections would end that are still there, and times
would go back.
"""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.read.logs.stamps import StampReader, has_clock

_PIECE = 16 << 10
"""bytes that are compared at once"""
_LONGEST_LINE = 1 << 20
_FEWEST_LINES = 10
"""a program can print fewer lines twice within a millisecond, if none of them has a later time"""
_MOST_FAILED = 8
"""first lines without a copy behind them, after which no more is looked for"""


def without_copies(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The log without what repeats its beginning, from the first line on and byte for byte.

    Bytes of a copy that goes on differently are left out as far as whole pieces are the same; nothing else is.
    """
    rest, log = b"", None
    for chunk in chunks:
        cut = chunk.rfind(b"\n") + 1  # the rest has no line end
        if not cut and len(rest) + len(chunk) > _LONGEST_LINE:
            cut = len(chunk)
        if cut:
            data, rest = b"".join((rest, memoryview(chunk)[:cut])), chunk[cut:]
        else:
            data, rest = b"", rest + chunk
        if data and log is None:
            first = data[: data.find(b"\n") + 1 or len(data)]
            if not has_clock(first):
                yield data + rest
                yield from chunks
                return
            log = _Log(first)
        if data and log is not None:
            yield from log.take(data)
    if log is not None:
        yield from log.end()
    if rest:
        yield rest


class _Log:
    """What was read so far, as hashes of its pieces; Python draws a secret for these in each process."""

    def __init__(self, first: bytes) -> None:
        self._first: bytes | None = first
        """None where its first line is no sign of a copy"""
        self._lines = self._failed = 0
        self._pieces: list[int] = []
        self._open = b""
        """the beginning of a piece"""
        self._at = -1
        """the piece that the copy has reached; -1 outside of copies"""
        self._copy = b""
        """what may be the beginning of that piece"""
        self._half = b""
        """the beginning of a line, left out with the piece before"""

    def take(self, data: bytes) -> Iterator[bytes]:
        """What is new in whole lines."""
        while data:
            if self._at >= 0:
                data, new = self._compared(self._copy + data)
            else:
                begins = self._begins(data)
                new, data = data[:begins], data[begins:]
                self._at = 0 if data else -1
            if new:
                if self._first is not None or self._at >= 0:
                    self._keep(new)
                yield new

    def end(self) -> Iterator[bytes]:
        """What was held back to be compared."""
        if self._copy and not (self._at == len(self._pieces) and self._open.startswith(self._copy)):
            yield self._half + self._copy

    def _begins(self, data: bytes) -> int:
        """Where a copy begins; the length of the data where none does."""
        at = 0 if self._lines else len(self._first or b"")
        while self._first is not None and (at := data.find(self._first, at)) >= 0:
            if self._lines + data.count(b"\n", 0, at) < _FEWEST_LINES and not self._is_back(data[:at]):
                self._first = None
            elif at == 0 or data[at - 1 : at] == b"\n":
                return at
            at += 1
        return len(data)

    def _is_back(self, before: bytes) -> bool:
        """Whether the line above the first one, where it stands again, is later than it."""
        above = (self._open + before).rstrip(b"\n").rpartition(b"\n")[2]
        begun, last = (StampReader().of_line(line) for line in (self._first or b"", above))
        return begun is not None and last is not None and begun.wall_ms < last.wall_ms

    def _compared(self, data: bytes) -> tuple[bytes, bytes]:
        """(what is still to be looked at, what is no copy after all)."""
        is_last = self._at == len(self._pieces)
        size = len(self._open) if is_last else _PIECE
        if len(data) < size:
            self._copy = data
            return b"", b""
        piece, self._copy = data[:size], b""
        if piece == self._open if is_last else hash(piece) == self._pieces[self._at]:
            self._at = -1 if is_last else self._at + 1
            self._half = b"" if is_last else piece[piece.rfind(b"\n") + 1 :]
            return data[size:], b""
        self._failed += 1
        if self._failed >= _MOST_FAILED:
            self._first = None
        end = data.find(b"\n") + 1 or len(data)
        new, self._at, self._half = self._half + data[:end], -1, b""
        return data[end:], new

    def _keep(self, new: bytes) -> None:
        if self._lines < _FEWEST_LINES:  # nobody asks for more
            self._lines += new.count(b"\n")
        begin = -len(self._open) % _PIECE
        if begin > len(new):
            self._open += new
            return
        if begin:
            self._pieces.append(hash(self._open + new[:begin]))
        end = len(new) - (len(new) - begin) % _PIECE
        self._pieces += (hash(new[at : at + _PIECE]) for at in range(begin, end, _PIECE))
        self._open = new[end:]
