"""A kind of thread grows from sample to sample."""

from __future__ import annotations

from mqdiag.facts import StacksFacts
from mqdiag.facts.recordings import Recording
from mqdiag.findings import Severity, Subject
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.standstill import frame_shown

RULE = Rule("threads-grow")


@RULE.stacks
def in_stacks(stacks: StacksFacts, limits: Limits) -> Findings:
    """One finding for each kind."""
    for kind in stacks.growing_kinds:
        grown = kind.threads[-1] - kind.threads[0]
        # a leak that somebody takes dumps of has left threads behind before; a pool that fills up begins with few
        leaks = (
            min(grown, kind.threads[0]) >= limits["threads"]
            and kind.threads[-1] >= limits["growth"] * kind.threads[0]
        )
        yield RULE.case(
            "thread-leak" if leaks else "pool-may-fill",
            subject=Subject(thread=kind.thread),
            evidence={
                "kind": kind.thread,
                "by_sample": kind.threads,
                "first": kind.threads[0],
                "last": kind.threads[-1],
                "grown": grown,
                "samples": len(kind.threads),
                "seconds": kind.seconds,
                "runs": kind.runs,
                "made_by": kind.made_by,
            },
            words={
                # up to the first number, which is what a count of names looks for
                "prefix": kind.thread.partition("#")[0] or None,
                "runs_frame": frame_shown(kind.runs),
                "made_frame": frame_shown(kind.made_by),
            },
            severity=Severity.WARNING if leaks else Severity.INFO,
            weight=float(grown),
        )


@RULE.recordings
def in_recordings(recording: Recording, limits: Limits) -> Findings:
    """One finding for each kind of thread that is started again and again, and hardly ever ends."""
    first, last = recording.threads_first, recording.threads_last
    if first is None or last is None or last < limits["growth"] * first:
        return
    for kind in recording.thread_starts:
        left = kind.started - kind.ended
        if left >= limits["recorded_threads"] and left >= limits["left_share"] * kind.started:
            yield RULE.case(
                "recorded",
                kind,
                recording=recording,
                subject=Subject(thread=kind.thread),
                evidence={
                    "kind": kind.thread,
                    "left": left,
                    "threads_first": first,
                    "threads_last": last,
                    "made_by": kind.frame,
                },
                words={"made_frame": frame_shown(kind.frame)},
                weight=float(left),
            )
