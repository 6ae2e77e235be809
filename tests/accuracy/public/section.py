"""The parts of docs/accuracy.md and docs/measurements/public-threads.md on evidence from public threads."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tests.accuracy.page import table
from tests.accuracy.public.outcome import VERDICTS, Outcome, Verdict, first_outcome, outcome_of, verdict_of
from tests.accuracy.public.truth import Case, Search, cases, searches


@dataclass(frozen=True)
class Result:
    """A case, and what became of it."""

    case: Case
    first: Verdict | None
    """in the first run; None for a case that was never run"""
    now: Verdict

    @property
    def decided(self) -> bool:
        """Whether an expert can name the cause from this evidence."""
        return self.case.truth.decided


def results() -> list[Result]:
    """All cases, run now."""
    return [_result(case) for case in cases()]


def _result(case: Case) -> Result:
    first = first_outcome(case)
    return Result(
        case=case,
        first=None if first is None else verdict_of(case.truth, first),
        now=verdict_of(case.truth, outcome_of(case)),
    )


def parts(found: Sequence[Result]) -> dict[str, str]:
    """The body of each part, by its name."""
    return {
        "public": _summary(found),
        "public-topics": _by_topic(found),
        "public-searched": _searched(),
        "public-cases": _by_case(found),
    }


def _summary(found: Sequence[Result]) -> str:
    rows: list[tuple[object, ...]] = []
    for batch in sorted({one.case.truth.batch for one in found}):
        for name, decided in (("an expert decides", True), ("open", False)):
            chosen = [one for one in found if one.case.truth.batch == batch and one.decided is decided]
            rows.append(
                (f"batch {batch}, {name}, first run", len(chosen), *_counts(one.first for one in chosen))
            )
            rows.append((f"batch {batch}, {name}, now", len(chosen), *_counts(one.now for one in chosen)))
    return table(("evidence", "cases", *VERDICTS), rows)


def _by_topic(found: Sequence[Result]) -> str:
    topics: dict[str, list[Result]] = defaultdict(list)
    for one in found:
        topics[one.case.truth.topic].append(one)
    head = (
        "topic",
        "cases",
        *(f"first: {verdict}" for verdict in VERDICTS),
        *(f"now: {verdict}" for verdict in VERDICTS),
    )
    rows = [(topic, topics[topic]) for topic in sorted(topics)]
    return table(
        head,
        [
            (
                name,
                len(chosen),
                *_counts(one.first for one in chosen),
                *_counts(one.now for one in chosen),
            )
            for name, chosen in (*rows, ("all", list(found)))
        ],
    )


def _counts(verdicts: Iterable[Verdict | None]) -> tuple[int, ...]:
    counted = Counter(verdicts)
    return tuple(counted[verdict] for verdict in VERDICTS)


def _searched() -> str:
    topics: dict[str, list[Search]] = defaultdict(list)
    for one in searches():
        topics[one.topic].append(one)
    return table(
        ("topic", "queries", "threads read", "used", "not found"),
        [
            (
                topic,
                sum(len(one.queries) for one in found),
                sum(one.threads_read for one in found),
                sum(one.used for one in found),
                "; ".join(one.not_found for one in found if one.not_found),
            )
            for topic, found in sorted(topics.items())
        ],
    )


def _by_case(found: Sequence[Result]) -> str:
    return table(
        ("case", "source", "truth", "first run", "now"),
        [(one.case.name, one.case.truth.source, _truth(one.case), one.first or "", one.now) for one in found],
    )


def _truth(case: Case) -> str:
    if case.truth.healthy:
        return "healthy"
    return ", ".join(case.truth.causes) if case.truth.decided else "open"


def told(outcome: Outcome) -> str:
    """An outcome in a line."""
    findings = [f"{said.rule}/{said.cause} ({said.severity})" for said in outcome.findings]
    return "; ".join([outcome.state, *findings])
