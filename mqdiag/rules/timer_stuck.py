"""The timer wheel of a broker tries the same message again and again."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.logs import LogsFacts
from mqdiag.rules.rule import Rule
from mqdiag.rules.said import Limits, Said
from mqdiag.rules.shared.excerpts import enough
from mqdiag.rules.shared.log_events import events, lines_of, when

RULE = Rule("timer-stuck")


@RULE.broker_logs
def in_logs(logs: LogsFacts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker."""
    found = events(logs, "timer-enqueue-failed", "timer-dequeue-failed")
    not_read = logs.count("timer-message-not-read")
    if enough(logs, lines_of(found), limits["lines"]):
        yield RULE.case(
            "message-too-large" if not_read else "store-damaged",
            logs=logs,
            events=found,
            evidence={"lines": lines_of(found), "lines_of_reading": not_read},
            words={"on_the_way_out": any(one.kind == "timer-dequeue-failed" for one in found)},
            rows={
                "steps": tuple(
                    {"step": RULE.word(one.kind), "lines": one.count, "when": when(one)} for one in found
                )
            },
        )
