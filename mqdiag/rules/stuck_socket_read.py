"""Threads hang in a socket read, write or connect that has no timeout."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import StacksFacts
from mqdiag.rules.rule import Rule
from mqdiag.rules.said import Limits, Said
from mqdiag.rules.shared import standstill

RULE = Rule("stuck-socket-read")


@RULE.stacks
def in_stacks(stacks: StacksFacts, limits: Limits) -> Iterator[Said]:
    """One finding for each pool and cause."""
    for still in stacks.standstills:
        if still.kind == "socket-read" and standstill.is_of_consumers(still):
            used_cpu = (still.cpu_growth_ms or 0.0) >= standstill.NO_CPU_MS
            words = {"library": still.library, "used_cpu": used_cpu}
            yield standstill.case(RULE, "network-call", still, limits, words=words)
    for still in stacks.same_calls:
        if still.kind == "socket-read" and standstill.is_of_consumers(still):
            yield standstill.undecided_case(
                RULE, "hangs-or-slow", still, limits, words={"library": still.library}
            )
