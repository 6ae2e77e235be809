"""The part of docs/accuracy.md on the holders of memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tests.accuracy.holders.outcome import VERDICTS, Verdict, first_outcomes, outcome_of, verdict_of
from tests.accuracy.holders.truth import Case, cases
from tests.accuracy.page import table


@dataclass(frozen=True)
class Result:
    """A case, and what became of it."""

    case: Case
    first: Verdict | None
    now: Verdict


def results() -> list[Result]:
    """All cases whose dump is there, run now."""
    first = first_outcomes()
    return [
        Result(
            case=case,
            first=verdict_of(case, first[case.name]) if case.name in first else None,
            now=verdict_of(case, outcome_of(case)),
        )
        for case in cases()
        if case.dump is not None
    ]


def parts(found: Sequence[Result]) -> dict[str, str]:
    """The body of each part, by its name."""
    rows: list[tuple[object, ...]] = []
    for batch in sorted({one.case.batch for one in found}):
        for name, leaking in (("one holder or more", True), ("no single holder", False)):
            chosen = [one for one in found if one.case.batch == batch and bool(one.case.leaks) is leaking]
            label = f"batch {batch}, {name}"
            rows.append((f"{label}, first run", len(chosen), *_counts(one.first for one in chosen)))
            rows.append((f"{label}, now", len(chosen), *_counts(one.now for one in chosen)))
    return {"holders": table(("programs", "dumps", *VERDICTS), rows)}


def _counts(verdicts: Iterable[Verdict | None]) -> tuple[int, ...]:
    counted = Counter(verdicts)
    return tuple(counted[verdict] for verdict in VERDICTS)
