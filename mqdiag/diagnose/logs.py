"""Logs of clients, brokers, applications and the JVM."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import msgspec

from mqdiag.config import Settings
from mqdiag.diagnose.judge import Diagnosis, judge, unreadable
from mqdiag.errors import InputError
from mqdiag.facts import Facts, Input, LogsFacts
from mqdiag.logs.build import logs_facts
from mqdiag.logs.reader import LogsReader, ReadLog
from mqdiag.progress import Progress, Silent
from mqdiag.read.logs.source import compression_of, open_log
from mqdiag.text import Text, say


class NamedLog(msgspec.Struct, frozen=True, kw_only=True):
    """A log to read, and what the user calls it."""

    path: str
    name: str


class LogEvidence(msgspec.Struct, kw_only=True):
    """What the logs gave."""

    inputs: list[Input] = msgspec.field(default_factory=list)
    facts: LogsFacts | None = None


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
    evidence = read_logs(named, utc_offset_minutes=utc_offset_minutes, progress=progress)
    facts = Facts(inputs=tuple(evidence.inputs), logs=evidence.facts, expectations=settings.expectations)
    return judge(facts, settings)


def read_logs(
    logs: Iterable[NamedLog],
    *,
    utc_offset_minutes: int | None = None,
    progress: Progress | None = None,
) -> LogEvidence:
    """Read all logs, one after the other and in constant memory.

    Args:
        logs: what to read.
        utc_offset_minutes: zone of logs that do not tell theirs.
        progress: who listens.
    """
    progress = progress or Silent()
    progress.phase(say("reading logs"))
    given = list(logs)
    reader = LogsReader()
    evidence = LogEvidence()
    read: list[ReadLog] = []
    entries: list[Input | ReadLog] = []
    seen: dict[tuple[int, int, int], str] = {}
    total = sum(_size(log.path) or 0 for log in given) or 1
    done = 0
    for log in given:
        entries += _read_one(reader, log, read, seen, partial(progress.advance, min(done / total, 1.0)))
        done += _size(log.path) or 0
    if read:
        evidence.facts = logs_facts(read, utc_offset_minutes)
        files = {file.path: file for file in evidence.facts.files}
        entries = [
            _dated(entry, files[entry.path].last, files[entry.path].utc_offset is not None)
            if isinstance(entry, Input) and entry.path in files
            else entry
            for entry in entries
        ]
    evidence.inputs = [entry for entry in entries if isinstance(entry, Input)]
    return evidence


def _as_far_as_allowed(
    chunks: Iterable[bytes], step: Callable[[], None], note: Callable[[Text, int], None]
) -> Iterator[bytes]:
    """The chunks until a step is refused, which is noted with the byte.

    Raises:
        InputError: the first is refused.
    """
    done = 0
    for chunk in chunks:
        try:
            step()
        except InputError as error:
            if not done:
                raise
            note(error.without_path, done)
            return
        yield chunk
        done += len(chunk)


def _read_one(
    reader: LogsReader,
    log: NamedLog,
    read: list[ReadLog],
    seen: dict[tuple[int, int, int], str],
    step: Callable[[], None],
) -> list[Input]:
    """Entries of one path: one for itself, or one for each member of an archive."""
    entries: list[Input] = []
    damage: list[tuple[Text, int]] = []

    def note(problem: Text, at: int) -> None:
        damage.append((problem, at))

    members = open_log(log.path, note)
    packed = compression_of(log.path) if log.path != "-" else None
    while True:
        label = log.name
        try:
            label, chunks = next(members)
            label = log.name + label.removeprefix(log.path)
            one = reader.read(label, _as_far_as_allowed(chunks, step, note))
        except StopIteration:
            break
        except InputError as error:
            entries.append(unreadable(label, "log", error))
            continue
        problem, at = damage.pop() if damage else (None, None)
        entry = Input(
            path=label,
            kind="log",
            format=one.shape.form + (f", {packed}" if packed else ""),
            bytes=_size(log.path) if label == log.name else one.counts.bytes,
            complete=problem is None,
            problem=problem,
            stopped_at_byte=at,
        )
        if one.identity in seen:
            entries.append(
                msgspec.structs.replace(
                    entry, skipped=say("is the same log as {path}; it is counted once", path=seen[one.identity])
                )
            )
            continue
        seen[one.identity] = label
        read.append(one)
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
