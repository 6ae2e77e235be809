"""The part of docs/accuracy.md on evidence from public threads."""

from __future__ import annotations

from collections import Counter, defaultdict

from tests.accuracy.page import table
from tests.accuracy.public.outcome import VERDICTS, Outcome, Verdict, first_outcome, outcome_of, verdict_of
from tests.accuracy.public.truth import Case, Search, cases, searches

Row = tuple[Case, Verdict | None, Verdict]
HEAD = (
    "topic",
    "cases",
    *(f"first run: {verdict}" for verdict in VERDICTS),
    *(f"now: {verdict}" for verdict in VERDICTS),
)


def section() -> str:
    """The whole part: by topic, what was looked for, and what each case gives."""
    rows = [_row(case) for case in cases()]
    return "\n\n".join(
        (
            _summary(rows),
            "### By topic",
            _by_topic(rows),
            "### What was looked for",
            _searched(),
            "### By case",
            _by_case(rows),
        )
    )


def _row(case: Case) -> Row:
    first = first_outcome(case)
    return (
        case,
        None if first is None else verdict_of(case.truth, first),
        verdict_of(case.truth, outcome_of(case)),
    )


def _summary(rows: list[Row]) -> str:
    decided = [row for row in rows if row[0].truth.decided]
    right = {column: sum(row[column] == "right" for row in decided) for column in (1, 2)}
    return (
        f"{len(rows)} pieces of evidence; an expert can decide {len(decided)} of them. Right in the first run:"
        f" {right[1]}, now: {right[2]}."
    )


def _by_topic(rows: list[Row]) -> str:
    topics: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        topics[row[0].truth.topic].append(row)
    lines = [_counted(topic, topics[topic]) for topic in sorted(topics)]
    return table(HEAD, [*lines, _counted("**all**", rows)])


def _counted(name: str, rows: list[Row]) -> tuple[object, ...]:
    first, now = Counter(row[1] for row in rows), Counter(row[2] for row in rows)
    return (name, len(rows), *(first[verdict] for verdict in VERDICTS), *(now[verdict] for verdict in VERDICTS))


def _searched() -> str:
    topics: dict[str, list[Search]] = defaultdict(list)
    for one in searches():
        topics[one.topic].append(one)
    rows = [
        (
            topic,
            sum(len(one.queries) for one in found),
            sum(one.threads_read for one in found),
            sum(one.used for one in found),
            "; ".join(one.not_found for one in found if one.not_found),
        )
        for topic, found in sorted(topics.items())
    ]
    return table(("topic", "queries", "threads read", "used", "not found"), rows)


def _by_case(rows: list[Row]) -> str:
    return table(
        ("case", "source", "truth", "first run", "now"),
        [(case.name, case.truth.source, _truth(case), first or "", now) for case, first, now in rows],
    )


def _truth(case: Case) -> str:
    if case.truth.healthy:
        return "healthy"
    return ", ".join(case.truth.causes) if case.truth.decided else "open"


def told(outcome: Outcome) -> str:
    """An outcome in a line."""
    findings = [f"{said.rule}/{said.cause} ({said.severity})" for said in outcome.findings]
    return "; ".join([outcome.state, *findings])
