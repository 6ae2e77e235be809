"""Several heap dumps of one process: what grows from each to the next, and when the heap is full."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap_classes import Suspect
from mqdiag.facts.processes import ProcessFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.text import Text
from mqdiag.time_ranges import between

LEAST_SHARED = 3
"""threads with equal names and addresses that show two dumps to be of one process"""

RULE = Rule("heap-grows")


class _Dump(NamedTuple):
    """A heap dump and when it was written."""

    at: datetime
    heap: HeapFacts
    path: str


class _Growing(NamedTuple):
    """A holder in all dumps of a process, by time."""

    label: str
    rows: tuple[Suspect, ...]

    @property
    def grown_bytes(self) -> int:
        """Bytes from the first dump to the last."""
        return self.rows[-1].retained_bytes - self.rows[0].retained_bytes


@RULE.sees("processes")
def in_dumps(facts: Facts, limits: Limits) -> Findings:
    """One finding for each process with two dumps or more, of the holder that grows most."""
    for dumps in _by_process(facts.processes or ()):
        seconds = (dumps[-1].at - dumps[0].at).total_seconds()
        if seconds < limits["seconds"]:
            continue
        found = max(_growing(dumps), key=lambda one: one.grown_bytes, default=None)
        heap_grown = (dumps[-1].heap.shallow_bytes or 0) - (dumps[0].heap.shallow_bytes or 0)
        if found is None or not _matters(found, heap_grown, limits):
            grown = 0.0 if found is None else found.grown_bytes / max(found.rows[0].retained_bytes, 1)
            yield RULE.margin("growth", min(grown, limits["growth"]), limits["growth"])
        else:
            yield _said(found, dumps, seconds, limits)


def _roughly(ms: float) -> int:
    """An outlook to the minute where it is longer than ten: more digits would promise what nobody knows."""
    return round(ms / 60_000) * 60_000 if ms > 600_000 else round(ms)


def _matters(found: _Growing, heap_grown: int, limits: Limits) -> bool:
    """Whether it grew much, and most of what the heap grew by is in it."""
    return (
        found.grown_bytes >= limits["growth"] * found.rows[0].retained_bytes
        and found.grown_bytes >= limits["grown_bytes"]
        and found.grown_bytes >= limits["share"] * heap_grown
    )


def _said(found: _Growing, dumps: Sequence[_Dump], seconds: float, limits: Limits) -> Draft:
    first, last = found.rows[0], found.rows[-1]
    entries = tuple(_entries(row) for row in found.rows)
    known = tuple(number for number in entries if number is not None)
    per_second = (known[-1] - known[0]) / seconds if len(known) == len(entries) else None
    rate = found.grown_bytes / seconds
    heap = dumps[-1].heap
    room = (
        None
        if heap.limit_bytes is None or heap.shallow_bytes is None
        else heap.limit_bytes - heap.shallow_bytes
    )
    full_in_ms = None if room is None else _roughly(1000 * max(room, 0) / rate)
    without_limit = any(name in step for step in last.path for name in RULE.names("without_limit"))
    soon = full_in_ms is not None and full_in_ms <= limits["soon_ms"]
    return RULE.case(
        "unbounded-cache" if last.known_as else "growing-holder",
        subject=Subject(object_class=found.label),
        evidence={
            "holder": found.label,
            "dumps": len(dumps),
            "seconds": seconds,
            "retained_bytes": tuple(row.retained_bytes for row in found.rows),
            "first_bytes": first.retained_bytes,
            "last_bytes": last.retained_bytes,
            "bytes_per_second": rate,
            "entry_class": _entry_class(last),
            "entries": known if len(known) == len(entries) else None,
            "entries_per_second": None if per_second is None else round(per_second, 1),
            "full_in_ms": full_in_ms,
        },
        words={
            "short": ".".join(found.label.split(".")[-2:]),
            "what": last.known_as or Text(last.class_name),
            "entry": (_entry_class(last) or "").rpartition(".")[2] or None,
        },
        confidence=Confidence.HIGH if without_limit else None,
        because=RULE.word("without_limit") if without_limit else None,
        given={"remedy": tuple(last.remedy)},
        severity=Severity.ERROR if soon and len(dumps) > 2 else None,
        rests_on=tuple(dump.path for dump in dumps),
        when=between(dumps[0].heap.captured_at, dumps[-1].heap.captured_at),
        weight=1.0,
    )


def _growing(dumps: Sequence[_Dump]) -> Iterator[_Growing]:
    """The holders that are in each dump, and larger in each than in the one before."""
    tables = [{_label(one): one for one in dump.heap.suspects if one.owner != "rocketmq"} for dump in dumps]
    for label in tables[0]:
        if all(label in table for table in tables):
            rows = tuple(table[label] for table in tables)
            if all(later.retained_bytes > earlier.retained_bytes for earlier, later in pairwise(rows)):
                yield _Growing(label, rows)


def _label(suspect: Suspect) -> str:
    return suspect.label or suspect.class_name


def _entry_class(suspect: Suspect) -> str | None:
    """The application's most frequent class inside it."""
    return suspect.own_inside[0].rpartition(": ")[0] if suspect.own_inside else None


def _entries(suspect: Suspect) -> int | None:
    if suspect.entries is not None:
        return suspect.entries
    number = suspect.own_inside[0].rpartition(": ")[2].replace(",", "") if suspect.own_inside else ""
    return int(number) if number.isdecimal() else None


def _by_process(processes: Sequence[ProcessFacts]) -> Iterator[list[_Dump]]:
    """Dumps of one process, by time."""
    groups: list[list[_Dump]] = []
    for one in processes:
        if one.heap is None or one.heap.captured_at is None:
            continue
        try:
            at = datetime.fromisoformat(one.heap.captured_at)
        except ValueError:
            continue
        path = one.inputs[0] if one.inputs else one.name
        dump = _Dump(at, one.heap, path)
        own = next((group for group in groups if _same(group[0].heap, dump.heap)), None)
        if own is None:
            groups.append([dump])
        elif at.tzinfo is not None and own[0].at.tzinfo is not None:
            own.append(dump)
    for group in groups:
        if len(group) > 1:
            yield sorted(group, key=lambda dump: dump.at)


def _same(heap: HeapFacts, other: HeapFacts) -> bool:
    """Whether threads have the same names and addresses: equal pids are not enough, as containers all have pid 1."""
    mine = {(thread.name, thread.tid) for thread in heap.threads if thread.tid is not None}
    theirs = {(thread.name, thread.tid) for thread in other.threads if thread.tid is not None}
    shared = len(mine & theirs)
    return shared >= LEAST_SHARED and 2 * shared >= min(len(mine), len(theirs))
