"""One finding for each fault: what has one fingerprint is the same fault, whatever showed it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from mqdiag.causes.link import link, order
from mqdiag.findings import Confidence, Finding
from mqdiag.rules.catalogue import cards_of
from mqdiag.time_ranges import joined


def merged(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """In the report's order; the same fault in several processes or kinds of evidence once, as the worst of them."""
    by_fingerprint: dict[str, list[Finding]] = {}
    for finding in findings:
        by_fingerprint.setdefault(finding.fingerprint, []).append(finding)
    told = []
    for same in by_fingerprint.values():
        worst = min(same, key=lambda one: (one.severity.rank, -one.weight))
        told.append(
            msgspec.structs.replace(
                _agreed(worst, same),
                explanation=tuple(dict.fromkeys(line for one in (worst, *same) for line in one.explanation)),
                seen_in=tuple(dict.fromkeys(kind for one in same for kind in one.seen_in)),
                when=joined([period for one in same for period in one.when]),
                rests_on=tuple(dict.fromkeys(path for one in same for path in one.rests_on)),
                processes=tuple(dict.fromkeys(name for one in same for name in one.processes)),
                felt_in=tuple(dict.fromkeys(name for one in same for name in one.felt_in)),
                caused_by=tuple(dict.fromkeys(root for one in same for root in one.caused_by)),
            )
        )
    return order(link(told, cards_of({finding.rule for finding in told})))


def _agreed(worst: Finding, same: Sequence[Finding]) -> Finding:
    """As sure as the surest of them: what a recording and thread dumps show, each in its own way, is no accident."""
    if not any("recordings" in one.seen_in for one in same):
        return worst
    levels = list(Confidence)
    surest = min(same, key=lambda one: levels.index(one.confidence))
    return msgspec.structs.replace(
        worst, confidence=surest.confidence, confidence_reason=surest.confidence_reason
    )
