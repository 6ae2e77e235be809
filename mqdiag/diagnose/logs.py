"""Logs of clients, brokers, applications and the JVM."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from pathlib import Path

import msgspec

from mqdiag.config import Settings
from mqdiag.diagnose.judge import Diagnosis, judge, unreadable
from mqdiag.errors import InputError
from mqdiag.facts import Facts, Input, LogsFacts
from mqdiag.logs.build import logs_facts
from mqdiag.logs.file_reader import WORK, FoundLog, logs_of
from mqdiag.logs.reader import ReadLog
from mqdiag.progress import Progress, Silent
from mqdiag.read.open.door import packing_name
from mqdiag.text import say
from mqdiag.workers import Died, read_in_workers

USUAL_INFLATION = 10
"""bytes of a log for each of its packed ones"""


class NamedLog(msgspec.Struct, frozen=True, kw_only=True):
    """A log to read, and what the user calls it."""

    path: str
    name: str
    is_document: bool = False
    """whether it only quotes logs, as a ticket or a runbook does that lies beside evidence"""


class LogEvidence(msgspec.Struct, kw_only=True):
    """What the logs gave."""

    inputs: list[Input] = msgspec.field(default_factory=list)
    facts: LogsFacts | None = None
    sure: LogsFacts | None = None
    """facts without lines that may be a part of what somebody wrote; None where there are no such lines"""
    repeated: LogsFacts | None = None
    """facts without those of them that stand in one place"""

    def by_field(self) -> dict[str, LogsFacts]:
        """The same by field of `Facts`, as far as there is any."""
        fields = {"logs": self.facts, "sure_logs": self.sure, "repeated_logs": self.repeated}
        return {name: facts for name, facts in fields.items() if facts is not None}


def diagnose_logs(
    paths: Iterable[str | Path],
    settings: Settings | None = None,
    *,
    utc_offset_minutes: int | None = None,
    progress: Progress | None = None,
) -> Diagnosis:
    """Diagnose logs, in any order; what cannot be read is said, the rest decides.

    Args:
        paths: files, plain or packed; "-" is standard input.
        settings: expectations and thresholds.
        utc_offset_minutes: zone of logs that do not tell theirs.
        progress: who listens.
    """
    settings = settings or Settings()
    named = [NamedLog(path=str(path), name=str(path)) for path in paths]
    evidence = read_logs(named, settings, utc_offset_minutes=utc_offset_minutes, progress=progress)
    facts = msgspec.structs.replace(
        Facts(inputs=tuple(evidence.inputs), expectations=settings.expectations), **evidence.by_field()
    )
    return judge(facts, settings)


def read_logs(
    logs: Iterable[NamedLog],
    settings: Settings,
    *,
    utc_offset_minutes: int | None = None,
    progress: Progress | None = None,
) -> LogEvidence:
    """Read all logs in constant memory, large ones beside one another.

    Args:
        logs: what to read.
        settings: how many processes read at once, and the statements of a team.
        utc_offset_minutes: zone of logs that do not tell theirs.
        progress: who listens.
    """
    statements = () if settings.team is None else settings.team.statements
    progress = progress or Silent()
    progress.phase(say("reading logs"))
    given = list(logs)
    evidence = LogEvidence()
    read: list[ReadLog] = []
    entries: list[Input] = []
    seen: dict[tuple[int, int, int], str] = {}
    sizes = [_size(log.path) or 0 for log in given]
    total = sum(sizes) or 1
    by_workers = read_in_workers(
        WORK,
        [(log.path, log.name, settings.team) for log in given],
        [_unpacked_size(log.path, size) for log, size in zip(given, sizes, strict=True)],
        settings.jobs,
        progress.advance,
    )
    done = 0
    for place, (log, size) in enumerate(zip(given, sizes, strict=True)):
        found = by_workers.get(place)
        if isinstance(found, Died):
            entries.append(unreadable(log.name, "log", InputError(log.name, found.reason)))
        else:
            step = partial(progress.advance, min(done / total, 1.0))
            known = len(read)
            entries += _entries(log, found or logs_of(log.path, log.name, statements, step), read, seen)
            for quoting in read[known:]:
                if log.is_document:
                    quoting.less.prove_nothing(quoting.tally)
                elif quoting.is_document:
                    quoting.less.prove_little(quoting.tally)
        done += size
    if read:
        evidence.facts = logs_facts(read, utc_offset_minutes, statements)
        if any(log.less.sure is not None for log in read):
            sure = [msgspec.structs.replace(log, tally=log.less.sure or log.tally) for log in read]
            repeated = [msgspec.structs.replace(log, tally=log.less.repeated or log.tally) for log in read]
            evidence.sure = logs_facts(sure, utc_offset_minutes, statements)
            evidence.repeated = logs_facts(repeated, utc_offset_minutes, statements)
        files = {file.path: file for file in evidence.facts.files}
        entries = [
            _dated(entry, files[entry.path].last, files[entry.path].utc_offset is not None)
            if entry.path in files
            else entry
            for entry in entries
        ]
    evidence.inputs = entries
    return evidence


def _entries(
    log: NamedLog, found: list[FoundLog], read: list[ReadLog], seen: dict[tuple[int, int, int], str]
) -> list[Input]:
    """Entries of one path: one for itself, or one for each member of an archive."""
    entries: list[Input] = []
    packed = packing_name(log.path) if log.path != "-" else None
    for one in found:
        if isinstance(one.read, InputError):
            entries.append(unreadable(one.name, "log", one.read))
            continue
        problem = one.problem
        if problem is None and one.read.column is not None:
            problem = say(
                "something cut its lines at {column:count} {column:character|characters}, and what stood behind is"
                " unknown",
                column=one.read.column,
            )
        entry = Input(
            path=one.name,
            kind="log",
            format=one.read.shape.form + (f", {packed}" if packed else ""),
            bytes=_size(log.path) if one.name == log.name else one.read.counts.bytes,
            complete=problem is None,
            problem=problem,
            stopped_at_byte=one.stopped_at,
            quoted=one.read.quoted.count,
            pasted=int(one.read.is_document),
        )
        if one.read.identity in seen:
            same = say("is the same log as {path}; it is counted once", path=seen[one.read.identity])
            entries.append(msgspec.structs.replace(entry, skipped=same))
            continue
        seen[one.read.identity] = one.name
        read.append(one.read)
        entries.append(entry)
    if not entries:
        entries.append(unreadable(log.name, "log", InputError(log.name, say("holds no log"))))
    return entries


def _dated(entry: Input, last: str | None, known: bool) -> Input:
    """A log is as of its last line."""
    if known:
        return msgspec.structs.replace(entry, captured_at=last)
    return msgspec.structs.replace(entry, captured_at_local=last)


def _size(path: str) -> int | None:
    try:
        return os.stat(path).st_size if path != "-" else None
    except (OSError, ValueError):
        return None


def _unpacked_size(path: str, size: int) -> int:
    """A guess of the bytes that a file unpacks to."""
    return size * USUAL_INFLATION if size and packing_name(path) else size
