"""A process does not come up: its main thread waits in one place."""

from __future__ import annotations

from mqdiag.facts import StacksFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.standstill import short_frame
from mqdiag.text import NOTHING

SHOWN_BY_ONE_SAMPLE = ("entropy", "class-initialisation")
"""causes whose stack no other wait has"""
NO_USUAL_WORK = (*SHOWN_BY_ONE_SAMPLE, "file-lock")
"""causes that are no usual work of a main thread, unlike a call of another machine ("unreachable")"""

RULE = Rule("start-hangs")


@RULE.stacks
def in_stacks(stacks: StacksFacts, limits: Limits) -> Findings:
    """At most one finding."""
    wait = stacks.start_wait
    if wait is None:
        return
    main = next((thread for thread in stacks.threads if thread.name == wait.thread), None)
    if main is not None and main.state == "progressing":
        return
    lasts = wait.samples >= limits["min_samples"] and (wait.seconds or 0.0) >= limits["min_seconds"]
    if wait.cause not in SHOWN_BY_ONE_SAMPLE and not lasts:
        return  # a main thread that just asks another machine
    stuck = main is not None and main.state in ("stuck", "blocked")
    yield RULE.case(
        wait.cause,
        wait,
        subject=Subject(thread=wait.thread),
        evidence={"frame": wait.frame},
        words={"frame": short_frame(wait.frame), "lasts": lasts},
        severity=Severity.WARNING if stuck or wait.cause in NO_USUAL_WORK else Severity.INFO,
        confidence=Confidence.HIGH if stuck and lasts else Confidence.MEDIUM,
        because=NOTHING if stuck and lasts else None,
        weight=1.0,
    )
