"""Evidence could not be analysed."""

from __future__ import annotations

from collections import Counter

from mqdiag.facts.fleet import FleetFacts
from mqdiag.facts.vocabulary import LossKind
from mqdiag.findings import Subject
from mqdiag.rules.rule import Findings, Limits, Rule

MOST_SHOWN = 5
"""files that the explanation names"""

RULE = Rule("input-failed")


@RULE.fleet
def in_fleet(fleet: FleetFacts, limits: Limits) -> Findings:
    """One finding for each service; of a long list of failures the facts have only the first."""
    for state in fleet.services:
        if not state.lost:
            continue
        place = (state.environment, state.service)
        failures = [one for one in fleet.failures if (one.environment, one.service) == place]
        kinds, shown = Counter(one.kind for one in failures), failures[:MOST_SHOWN]
        yield RULE.case(
            _case(kinds),
            subject=Subject(environment=state.environment or None, service=state.service),
            evidence={
                "inputs": state.lost,
                "kinds": tuple(sorted(kinds)),
                "paths": tuple(one.path or "" for one in shown),
            },
            rows={
                "failures": tuple(
                    {"path": one.path or one.host, "reason": one.reason, "kind": one.kind} for one in shown
                )
            },
        )


def _case(kinds: Counter[LossKind]) -> str:
    kind: LossKind = max(kinds, key=lambda name: kinds[name], default="unreadable")
    if kind in ("too-large", "memory", "time"):
        return "limits"
    return "infrastructure" if kind in ("killed", "lost", "no-room", "fault") else "unreadable"
