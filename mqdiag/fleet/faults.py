"""Faults of ours in the analysis of incidents: rows of `failures` of kind fault, and `failed` of the fleet's report."""

from __future__ import annotations

import re
from collections.abc import Iterable

from mqdiag.facts.fleet import FleetFailure
from mqdiag.findings import Failed

FAULT = "fault"
"""the kind of such a failure"""
INCIDENT_ANALYSIS = "incident-analysis"
"""stands in `failed` for the rule's name where no single rule failed"""
_RULE_REASON = re.compile(r"rule (?P<rule>[a-z0-9-]+) failed: (?P<error>.*)", re.DOTALL)


def rule_reason(failed: Failed) -> str:
    """What the row of a crashed rule says."""
    return f"rule {failed.rule} failed: {failed.error}"


def faults_of(failures: Iterable[FleetFailure]) -> tuple[Failed, ...]:
    """Each different fault once, with the first host that has it: a bug tends to be in a thousand incidents at once."""
    hosts: dict[tuple[str, str], list[str]] = {}
    for failure in failures:
        if failure.kind == FAULT:
            told = _RULE_REASON.fullmatch(failure.reason)
            fault = (INCIDENT_ANALYSIS, failure.reason) if told is None else (told["rule"], told["error"])
            hosts.setdefault(fault, []).append(f"{failure.service}/{failure.host}")
    return tuple(
        Failed(rule=rule, error=f"{where[0]}{f' and {len(where) - 1:,} more' if where[1:] else ''}: {error}")
        for (rule, error), where in hosts.items()
    )
