"""Causes across processes and what they share: a log's flow control and the stuck thread of the JVM it is of."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from mqdiag.findings import Finding
from mqdiag.rules import all_rules
from mqdiag.time_ranges import apart


def linked_across(findings: Sequence[Finding]) -> list[Finding]:
    """Fill `caused_by` between a process and what is of no process.

    Rules see one process at a time, so the engine cannot. Both sides must name the same group or the same broker, and
    only one process may have the finding: with two of them nobody knows which one the log is of.
    """
    explained_by = {rule.card.name: rule.explained_by for rule in all_rules()}
    linked = []
    for effect in findings:
        roots = explained_by.get(effect.rule, ())
        more = tuple(
            cause.fingerprint
            for cause in findings
            if (cause.rule in roots or f"{cause.rule}:{cause.cause}" in roots)
            and _one_side_shared(cause, effect)
            and _named_alike(cause, effect)
            and apart(cause, effect) is not True
        )
        linked.append(
            msgspec.structs.replace(effect, caused_by=tuple(dict.fromkeys((*effect.caused_by, *more))))
        )
    return linked


def _one_side_shared(one: Finding, other: Finding) -> bool:
    return sorted((len(one.processes), len(other.processes))) == [0, 1]


def _named_alike(one: Finding, other: Finding) -> bool:
    mine, theirs = one.subject, other.subject
    shared = any(
        getattr(mine, part) is not None and getattr(mine, part) == getattr(theirs, part)
        for part in ("group", "broker")
    )
    return shared and mine.overlaps(theirs)
