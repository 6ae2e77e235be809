"""An event loop waits for something else than events."""

from __future__ import annotations

from collections import defaultdict

from mqdiag.facts import StacksFacts
from mqdiag.facts.stacks import BlockedLoop
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.standstill import short_frame

RULE = Rule("event-loop-blocked")


@RULE.stacks
def in_stacks(stacks: StacksFacts, limits: Limits) -> Findings:
    """One finding for each pool of loops and place."""
    places: dict[tuple[str | None, str | None, str], list[BlockedLoop]] = defaultdict(list)
    for loop in stacks.blocked_loops:
        places[loop.pool, loop.frame or loop.top, loop.doing].append(loop)
    for members in places.values():
        longest = max(members, key=lambda loop: (loop.samples, loop.seconds or 0.0))
        lasts = longest.samples >= limits["min_samples"] and (longest.seconds or 0.0) >= limits["min_seconds"]
        if longest.samples == 1:
            name, severity = "in-one-sample", Severity.INFO
        elif lasts and longest.state in ("stuck", "blocked"):
            name, severity = "event-loop-blocked", Severity.ERROR
        else:
            name, severity = "again-and-again", Severity.WARNING
        frame = longest.frame or longest.top
        yield RULE.case(
            name,
            longest,
            subject=Subject(thread=longest.thread if len(members) == 1 else longest.pool or longest.thread),
            evidence={
                "threads": tuple(loop.thread for loop in members),
                "thread_count": len(members),
                "frame": frame,
            },
            words={"frame": short_frame(frame)},
            severity=severity,
            confidence=Confidence.HIGH if severity is Severity.ERROR else Confidence.MEDIUM,
            weight=float(len(members)),
        )
