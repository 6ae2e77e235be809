"""A stream of chunks of which the beginning is looked at before it is read."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from mqdiag.errors import InputError


class Chunks:
    """Chunks that can be read by number of bytes, or all of them; their errors come where they stand.

    Args:
        source: none of them empty.
    """

    def __init__(self, source: Iterator[bytes]) -> None:
        self._source = source
        self._ahead: deque[bytes] = deque()
        self._at = 0
        """bytes of the first chunk ahead that were read"""
        self._error: InputError | None = None

    def head(self, size: int) -> bytes:
        """The first bytes, which are read again afterwards; fewer where an error or the end comes before them.

        Raises:
            InputError: there is none.
        """
        have = sum(map(len, self._ahead))
        while have < size and self._error is None:
            try:
                chunk = next(self._source, b"")
            except InputError as error:
                if not have:
                    raise
                self._error = error
                break
            if not chunk:
                break
            self._ahead.append(chunk)
            have += len(chunk)
        return b"".join(self._ahead)[:size]

    def all(self) -> Iterator[bytes]:
        """All chunks that nobody has read."""
        while chunk := self._next():
            yield chunk

    def read(self, size: int) -> bytes:
        """So many bytes, or fewer; none at the end."""
        if not self._ahead:
            chunk = self._next()
            if len(chunk) <= size:
                return chunk
            self._ahead.append(chunk)
        first, at = self._ahead[0], self._at
        self._at += size
        if self._at >= len(first):
            self._ahead.popleft()
            self._at = 0
        return first[at : at + size]

    def _next(self) -> bytes:
        if self._ahead:
            chunk, at, self._at = self._ahead.popleft(), self._at, 0
            return chunk[at:]
        if self._error is not None:
            error, self._error = self._error, None
            raise error
        return next(self._source, b"")
