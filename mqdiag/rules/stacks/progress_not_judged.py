"""The samples do not allow to tell progress from standstill."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, StacksFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.text import say

TEXTS = {
    "one-sample": (
        Severity.INFO,
        say("One sample shows where threads are, not whether they move: progress cannot be judged"),
    ),
    "identical-samples": (
        Severity.WARNING,
        say("The samples are the same dump given more than once: progress cannot be judged"),
    ),
    "mixed-jvms": (
        Severity.WARNING,
        say("The samples are of different JVMs: no verdict is drawn over them"),
    ),
    "too-close": (Severity.INFO, say("The samples are less than a second apart: progress cannot be judged")),
    "no-cpu-time": (
        Severity.INFO,
        say("The samples hold no CPU time, so threads that stay in the same frames cannot all be judged"),
    ),
}


def fires() -> Facts:
    """One jstack."""
    return Facts(stacks=StacksFacts(samples=1, not_judged_because="one-sample"))


def silent() -> Facts:
    """Five of one JVM."""
    return Facts(stacks=StacksFacts(samples=5, seconds=10.4, judged=True, has_cpu=True))


@rule(
    name="progress-not-judged",
    title="The samples cannot tell progress from standstill",
    why=(
        "A thread in a socket read may hang or be caught in the act. Only a series of one JVM, some seconds apart and"
        " with the threads' CPU time, tells which. What needs no series, such as a deadlock, is found all the same."
    ),
    causes=tuple(TEXTS),
    severities=(Severity.WARNING, Severity.INFO),
    remedy=(
        "Take five samples of one process, five seconds apart: for i in 1 2 3 4 5; do jstack -l -e PID > j$i.log;"
        " sleep 5; done",
        "Give the samples of one process at a time.",
    ),
    references=("jstack, JDK 11 and later: cpu= and elapsed= of each thread (JDK-8200720)",),
    needs=("stacks",),
    undecides=True,
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """At most one finding."""
    stacks = facts.stacks
    assert stacks is not None
    cause: str | None = stacks.not_judged_because
    waiting = sum(pool.unknown for pool in stacks.pools if pool.role == "consume-worker")
    if cause is None and not stacks.has_cpu and waiting:
        cause = "no-cpu-time"
    if cause is None:
        return
    severity, title = TEXTS[cause]
    lines = [
        say(
            "Samples: {samples}; JVMs: {jvms}; repeated samples left out: {repeated_samples}.",
            samples=stacks.samples,
            jvms=stacks.jvms,
            repeated_samples=stacks.repeated_samples,
        )
    ]
    if stacks.cut_samples:
        lines.append(
            say(
                "{cut:count} {cut:sample|samples} at the end of the series {cut:is|are} cut and {cut:does|do} not"
                " count.",
                cut=stacks.cut_samples,
            )
        )
    if cause == "mixed-jvms":
        for process in sorted({sample.process for sample in stacks.series}):
            own = [sample.path for sample in stacks.series if sample.process == process]
            lines.append(
                say(
                    "JVM {process}: {own}{value}",
                    process=process + 1,
                    own=", ".join(own[:8]),
                    value=" …" if len(own) > 8 else "",
                )
            )
    if cause == "no-cpu-time":
        lines.append(
            say(
                "{waiting} consume threads stay undecided: before JDK 11 jstack prints no cpu=;"
                " compare top -H -p PID twice (nid is the thread's id there), or use jstack of a"
                " later JDK's release.",
                waiting=waiting,
            )
        )
    yield Draft(
        severity=severity,
        cause=cause,
        confidence=Confidence.HIGH,
        title=title,
        evidence={
            "samples": stacks.samples,
            "jvms": stacks.jvms,
            "repeated_samples": stacks.repeated_samples,
            "seconds": stacks.seconds,
        },
        explanation=tuple(lines),
        remedy=check.card.remedy,
    )
