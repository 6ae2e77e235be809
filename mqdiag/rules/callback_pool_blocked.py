"""The threads that run pull and send callbacks all hang in user code."""

from __future__ import annotations

from msgspec import structs

from mqdiag.facts import StacksFacts
from mqdiag.findings import Subject
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared import standstill
from mqdiag.rules.shared.pulling import blocked_callback_pools

GRPC_POOLS = ("RocketmqClientCallbackWorker", "RocketmqClientAsyncWorker")
"""pools of the gRPC client, which has no setting for their size"""

RULE = Rule("callback-pool-blocked")


@RULE.stacks
def in_stacks(stacks: StacksFacts, limits: Limits) -> Findings:
    """One finding for the pool when none of its threads is free."""
    for members in blocked_callback_pools(stacks):
        names = tuple(name for still in members for name in still.threads)
        largest = max(members, key=lambda still: len(still.threads))
        of_grpc = (largest.pool or "").startswith(GRPC_POOLS)
        found = standstill.case(
            RULE,
            "callback-pool-blocked",
            largest,
            limits,
            words={
                "consequence": RULE.word("not_handled" if of_grpc else "not_pulled"),
                "has_setting": not of_grpc,
            },
            cause="callback-pool-blocked",
        )
        # every group of the JVM is hit, so no group is named
        yield structs.replace(
            found, subject=Subject(), evidence={**found.evidence, "threads": names}, weight=float(len(names))
        )
