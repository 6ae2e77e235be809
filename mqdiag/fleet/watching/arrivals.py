"""Which listed files are complete: a dump is written for minutes, and half of it would be analysed as a cut one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from mqdiag.errors import UsageError
from mqdiag.fleet.files.listing import EvidenceFile, Identity
from mqdiag.fleet.files.storage import storage, without_options

STILL_S = 10.0
"""a file is complete when its size and time have not changed for so long, by the clock of this process"""
HEAP_DUMP_END = b"\x2c"
"""tag of the last record of an .hprof file; four bytes of time and four of its length, which is 0, follow"""
END_BYTES = 9


class Arrivals:
    """Remembers when each listed file was last seen to change.

    Clocks of hosts and stores differ, so the time of a file is only compared with itself, never with a clock.
    """

    def __init__(self) -> None:
        self._seen: dict[str, tuple[Identity, float]] = {}
        """by URI: size and time, and since when they have been seen"""

    def complete(
        self, files: Iterable[EvidenceFile], now_s: float, has_end: Callable[[EvidenceFile], bool]
    ) -> dict[str, Identity]:
        """The files that are complete, by URI.

        Args:
            files: all that are listed now; what is no longer listed is forgotten.
            now_s: of a clock that only goes forward.
            has_end: whether a file that is still new has its end record.
        """
        before, self._seen = self._seen, {}
        found = {}
        for file in files:
            identity = (file.bytes, file.modified_ns)
            seen, since_s = before.get(file.uri, (None, now_s))
            if seen != identity:
                since_s = now_s
            self._seen[file.uri] = identity, since_s
            if now_s - since_s >= STILL_S or file.error is not None or has_end(file):
                found[file.uri] = identity
        return found

    def all_complete(self, complete: Mapping[str, Identity]) -> bool:
        """Whether there is no file that still has to be waited for.

        Args:
            complete: what the last call of `complete` found.
        """
        return len(complete) == len(self._seen)


class Batches:
    """When the files that are complete and new become a batch, so that files that come one by one are not a run each.

    A batch begins at the first listing that adds nothing to it, and not before `every_s` after the batch before; where
    files keep coming, none waits for longer than `every_s`.

    Args:
        every_s: shortest time between the beginnings of two batches.
    """

    def __init__(self, every_s: float) -> None:
        self._every_s = every_s
        self._begun_s: float | None = None
        self._waiting: dict[str, Identity] = {}
        self._since_s = 0.0

    def is_due(self, new: Mapping[str, Identity], now_s: float) -> bool:
        """Whether to begin a batch with what a listing shows.

        Args:
            new: complete files that no batch has had, by URI.
            now_s: of a clock that only goes forward.
        """
        is_settled = new == self._waiting
        if not self._waiting:
            self._since_s = now_s
        self._waiting = dict(new)
        is_early = self._begun_s is not None and now_s - self._begun_s < self._every_s
        return bool(new) and not is_early and (is_settled or now_s - self._since_s >= self._every_s)

    def begin(self, now_s: float) -> None:
        """Tell that a batch begins: all that waits is in it."""
        self._begun_s = now_s
        self._waiting = {}


def has_end_record(file: EvidenceFile) -> bool:
    """Whether a heap dump that is not compressed ends as the JVM ends it; other kinds have no end to look for."""
    if not without_options(file.uri).endswith(".hprof") or file.bytes < END_BYTES:
        return False
    try:
        store, path = storage(file.uri)
        with store.open(path) as stream:
            stream.seek(file.bytes - END_BYTES)
            end = stream.read(END_BYTES + 1)
    except (OSError, UsageError):
        return False
    return len(end) == END_BYTES and end[:1] == HEAP_DUMP_END and end[5:] == bytes(4)
