"""Statements of a team's own that reached the limit which the team's file gives them: `statements` below `[detect]`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqdiag.facts import Facts
from mqdiag.facts.log_lines import TeamStatement
from mqdiag.facts.logs import LogsFacts
from mqdiag.findings import Confidence, Severity, Subject, TimeRange
from mqdiag.knowledge.library import said_by
from mqdiag.rules.draft import Findings, Limits, Result

if TYPE_CHECKING:
    from mqdiag.rules.rule import Rule

MEASURED_IN = {"count": "lines", "rate": "lines", "gap": "seconds", "sequence": "lines"}


def in_statements(rule: Rule, facts: Facts, limits: Limits) -> Findings:
    """One finding for each statement, of the program that is furthest beyond the limit."""
    logs = facts.logs
    if logs is None:
        return
    beyond: dict[str, list[TeamStatement]] = {}
    for row in logs.team:
        if row.measured is None:
            yield rule.skip("not-measured", statement=row.name, file=row.by)
        elif row.measured >= row.limit:
            beyond.setdefault(row.name, []).append(row)
    for rows in beyond.values():
        yield _finding(rule, logs, max(rows, key=lambda row: (row.measured or 0.0) / row.limit), rows)


def _finding(rule: Rule, logs: LogsFacts, row: TeamStatement, rows: list[TeamStatement]) -> Result:
    sure = "medium" if row.sampled and row.confidence == "high" else row.confidence
    number = MEASURED_IN[row.kind]
    return rule.case(
        row.kind,
        subject=Subject(),
        logs=logs,
        evidence={
            "by": row.by,
            "text": row.text,
            "lines": row.lines,
            f"measured_{number}": row.measured,
            f"limit_{number}": row.limit,
            "within_seconds": row.within_seconds,
            "since": row.since,
            "undated_lines": row.undated,
            "programs": len(rows),
        },
        words={"title": row.title},
        given={
            "explanation": tuple(said_by(words, row.by) for words in row.explanation),
            "actions": tuple(said_by(words, row.by) for words in row.actions),
        },
        severity=Severity(row.severity),
        confidence=Confidence(sure),
        cause=row.name,
        rests_on=tuple(dict.fromkeys(path for one in rows for path in one.files)),
        when=_when(row),
    )


def _when(row: TeamStatement) -> tuple[TimeRange, ...]:
    first = row.since or row.first
    last = first if row.kind == "rate" else row.last
    return () if first is None or last is None else (TimeRange(first=first, last=max(first, last)),)
