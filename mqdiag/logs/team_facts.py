"""Tallies of a team's statements to facts: one row for each statement and program, rotated files put together."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from mqdiag.facts.log_lines import TeamStatement
from mqdiag.knowledge.team.statement import Statement
from mqdiag.logs.reader import ReadLog
from mqdiag.logs.tally import Minutes, Span
from mqdiag.logs.team_lines import StatementTally
from mqdiag.logs.zones import Zone, shown_time

MOST_ROWS = 1000
"""rows of a report; the first that come"""


class _Part(msgspec.Struct):
    """One log of a program, with what shifts its clock to that of the others."""

    path: str
    tally: StatementTally
    span: Span
    """times of the whole log"""
    shift: int


class _Measured(msgspec.Struct):
    value: float | None
    since: int | None = None


def team_rows(
    logs: Sequence[ReadLog],
    zones: Sequence[Zone],
    statements: Sequence[Statement],
    program_of: Callable[[str], tuple[str, str]],
) -> tuple[TeamStatement, ...]:
    """All statements that any log has.

    Args:
        logs: what was read.
        zones: of each.
        statements: in the order of the logs' tallies.
        program_of: what the paths of one program's logs share.
    """
    rows: list[TeamStatement] = []
    for number, statement in enumerate(statements):
        programs: dict[tuple[tuple[str, str], bool], list[_Part]] = {}
        shown_in: dict[tuple[tuple[str, str], bool], int | None] = {}
        for log, zone in zip(logs, zones, strict=True):
            shift = zone.shift_ms
            key = program_of(log.path), zone.minutes is not None
            part = _Part(log.path, log.team[number], log.tally.span.shifted(shift), shift)
            programs.setdefault(key, []).append(part)
            shown_in.setdefault(key, zone.minutes)
        rows += [
            _row(statement, parts, shown_in[key])
            for key, parts in programs.items()
            if any(part.tally.lines for part in parts)
        ]
    return tuple(rows[:MOST_ROWS])


def _row(statement: Statement, parts: list[_Part], zone: int | None) -> TeamStatement:
    parts.sort(key=lambda part: (part.span.first is None, part.span.first or 0, part.path))
    with_lines = [part for part in parts if part.tally.lines]
    span = Span()
    for part in parts:
        span.take(part.tally.span.shifted(part.shift))
    measured = _MEASURES[statement.kind](statement, parts)
    return TeamStatement(
        name=statement.name,
        by=statement.by,
        text=statement.text,
        kind=statement.kind,
        limit=float(statement.limit),
        within_seconds=statement.seconds,
        lines=sum(part.tally.lines for part in parts),
        measured=measured.value,
        since=shown_time(measured.since, zone),
        first=shown_time(span.first, zone),
        last=shown_time(span.last, zone),
        undated=sum(part.tally.undated for part in parts),
        sampled=any(part.tally.sampled for part in parts),
        example=with_lines[0].tally.example,
        files=tuple(part.path for part in with_lines),
        severity=statement.severity,
        confidence=statement.confidence,
        title=statement.title,
        explanation=statement.explanation,
        actions=statement.actions,
    )


def _count(_: Statement, parts: list[_Part]) -> _Measured:
    return _Measured(float(sum(part.tally.lines for part in parts)))


def _rate(_: Statement, parts: list[_Part]) -> _Measured:
    """The minute with the most lines, over the joint between two logs as well."""
    minutes = Minutes()
    for part in parts:
        minutes.take(part.tally.minutes, part.shift)
    return _Measured(float(minutes.peak) if minutes.peak else None, minutes.peak_at)


def _gap(_: Statement, parts: list[_Part]) -> _Measured:
    """The longest time without a line, from the first line to the end of the last log."""
    longest, since, before = -1, None, None
    for part in parts:
        own = part.tally.span.shifted(part.shift)
        if own.first is None or own.last is None:
            continue
        if before is not None and own.first - before > longest:
            longest, since = own.first - before, before
        if part.tally.largest_gap_ms > longest and part.tally.gap_from is not None:
            longest, since = part.tally.largest_gap_ms, part.tally.gap_from + part.shift
        before = own.last if before is None else max(before, own.last)
    ends = [part.span.last for part in parts if part.span.last is not None]
    if before is None:
        return _Measured(None)
    if ends and max(ends) - before > longest:
        longest, since = max(ends) - before, before
    return _Measured(max(longest, 0) / 1000, since)


def _sequence(statement: Statement, parts: list[_Part]) -> _Measured:
    """Lines that no other line followed in time; those at the end of the last log still had time, and do not count."""
    within_ms = (statement.seconds or 0) * 1000
    if any(part.tally.sampled or part.tally.given_up for part in parts):
        return _Measured(None)
    dated = any(part.tally.span.first is not None for part in parts)
    joined, missing = StatementTally(), sum(part.tally.missing for part in parts)
    since = Span()
    for part in parts:
        since.take(part.tally.missing_span.shifted(part.shift))
        lines = [(at + part.shift, False, key) for at, key in part.tally.still_open()]
        lines += [(at + part.shift, True, key) for at, key in part.tally.others]
        for at, follows, key in sorted(lines):
            (joined.follow if follows else joined.wait)(at, key, within_ms)
        if part.span.last is not None:
            joined.expire(part.span.last, within_ms)
    since.take(joined.missing_span)
    missing += joined.missing
    return _Measured(float(missing) if dated else None, since.first)


_MEASURES: dict[str, Callable[[Statement, list[_Part]], _Measured]] = {
    "count": _count,
    "rate": _rate,
    "gap": _gap,
    "sequence": _sequence,
}
