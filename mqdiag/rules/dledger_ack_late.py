"""Puts of a DLedger broker wait long for the answer of its followers."""

from __future__ import annotations

from mqdiag.facts.logs import LogsFacts
from mqdiag.log_events import events
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("dledger-ack-late")


@RULE.broker_logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each broker."""
    found, put = events(logs, "quorum-ack-waited"), logs.pagecachert
    longest = max((event.values.get("longest_ms", 0) for event in found), default=0)
    if not found or longest < limits["wait_ms"]:
        return
    slow_disk = logs.count("slow-put-in-lock")
    rate = None if put is None or not put.lines else put.puts / put.lines
    idle = rate is not None and rate < limits["idle_puts_per_minute"]
    yield RULE.case(
        "slow-disk" if slow_disk else "idle-broker" if idle else "slow-follower",
        logs=logs,
        events=found,
        evidence={
            "longest_ms": longest,
            "puts_per_minute": None if rate is None else round(rate, 1),
            "slow_puts_in_lock": slow_disk,
        },
    )
