"""A queue of mapped files: a folder whose files carry the position of their first byte as twenty-digit names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

import msgspec

MOST_FILES = 200_000
NAME = re.compile(r"\d{20}")


class Segment(msgspec.Struct, frozen=True, kw_only=True):
    """One file."""

    start: int
    """position of its first byte in the whole"""
    size: int

    @property
    def end(self) -> int:
        """Position behind its last byte."""
        return self.start + self.size


def segments_of(files: Iterable[tuple[str, int]]) -> tuple[Segment, ...]:
    """Files by name and size, in their order; the last ones that join without a gap.

    To a broker a gap is damage: what lies before one cannot be reached from behind it.
    """
    found = sorted(
        (Segment(start=int(name), size=size) for name, size in files if NAME.fullmatch(name) and size > 0),
        key=lambda segment: segment.start,
    )
    for index in range(len(found) - 1, 0, -1):
        if found[index - 1].end != found[index].start:
            return tuple(found[index:])
    return tuple(found)


class SegmentFolder:
    """Reads single pieces of a folder of mapped files; keeps one file open.

    Args:
        path: the folder; one that is not there has no files.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._open: tuple[int, int] | None = None
        self.segments = segments_of(_listed(path))

    @property
    def start(self) -> int:
        """Position of the first byte that is kept; 0 for a folder without files."""
        return self.segments[0].start if self.segments else 0

    @property
    def end(self) -> int:
        """Position behind the last file."""
        return self.segments[-1].end if self.segments else 0

    def read(self, position: int, count: int) -> bytes:
        """So many bytes, fewer at the end of a file; none where there is no file."""
        segment = self.segment_at(position)
        if segment is None:
            return b""
        return os.pread(self._file(segment), min(count, segment.end - position), position - segment.start)

    def segment_at(self, position: int) -> Segment | None:
        """The file that holds a position."""
        if not self.start <= position < self.end:
            return None
        size = self.segments[0].size
        guess = min((position - self.start) // size, len(self.segments) - 1)
        if self.segments[guess].start <= position < self.segments[guess].end:
            return self.segments[guess]
        return next(segment for segment in self.segments if segment.start <= position < segment.end)

    def close(self) -> None:
        """Close what is open."""
        if self._open is not None:
            os.close(self._open[1])
            self._open = None

    def _file(self, segment: Segment) -> int:
        if self._open is None or self._open[0] != segment.start:
            self.close()
            name = os.path.join(self._path, f"{segment.start:020d}")
            self._open = (segment.start, os.open(name, os.O_RDONLY | os.O_NONBLOCK))
        return self._open[1]


def _listed(path: str) -> list[tuple[str, int]]:
    try:
        with os.scandir(path) as entries:
            return [
                (entry.name, entry.stat().st_size)
                for entry, _ in zip(entries, range(MOST_FILES), strict=False)
                if NAME.fullmatch(entry.name) and entry.is_file()
            ]
    except FileNotFoundError:
        return []
