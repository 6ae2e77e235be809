"""What failed in a run: faults of ours (rows of `failures` of kind fault, `failed` of the report), stores and disks."""

from __future__ import annotations

from collections.abc import Iterable

from mqdiag.errors import MqdiagError, first_line
from mqdiag.facts.fleet import FleetFailure
from mqdiag.facts.vocabulary import LossKind
from mqdiag.findings import Failed
from mqdiag.language import english
from mqdiag.text import Text, say

FAULT: LossKind = "fault"
"""the kind of such a failure"""
INCIDENT_ANALYSIS = "incident-analysis"
"""stands in `failed` for the rule's name where no single rule failed"""
_RULE_FAILED = say("rule {rule} failed: {error}")


def rule_reason(failed: Failed) -> Text:
    """What the row of a crashed rule says."""
    return _RULE_FAILED.filled({"rule": failed.rule, "error": failed.error})


def faults_of(failures: Iterable[FleetFailure]) -> tuple[Failed, ...]:
    """Each different fault once, with the first host that has it: a bug tends to be in a thousand incidents at once."""
    hosts: dict[tuple[str, str], list[str]] = {}
    for failure in failures:
        if failure.kind == FAULT:
            fault = (INCIDENT_ANALYSIS, english()(failure.reason))
            if failure.reason.template == _RULE_FAILED.template:
                told = failure.reason.values
                fault = (str(told["rule"]), str(told["error"]))
            hosts.setdefault(fault, []).append(f"{failure.service}/{failure.host}")
    return tuple(
        Failed(rule=rule, error=f"{where[0]}{f' and {len(where) - 1:,} more' if where[1:] else ''}: {error}")
        for (rule, error), where in hosts.items()
    )


def unreadable(error: OSError) -> MqdiagError:
    """What a user is told where a store or a disk ends a run."""
    return MqdiagError(
        say("evidence or tables could not be read or written: {reason}", reason=first_line(error))
    )
