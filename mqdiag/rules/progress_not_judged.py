"""The samples cannot tell progress from standstill."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.heap import MessageInHand
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.rules.shared.standstill import short_frame
from mqdiag.text import Text, say

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
        say("The samples are of different JVMs: they cannot be compared"),
    ),
    "too-close": (Severity.INFO, say("The samples are less than a second apart: progress cannot be judged")),
    "short-series": (
        Severity.INFO,
        say(
            "The samples span only {seconds:seconds}: {undecided:count} consume {undecided:thread|threads} may be stuck"
            " or in a slow call"
        ),
    ),
    "no-cpu-time": (
        Severity.INFO,
        say("The samples hold no CPU time, so threads that stay in the same frames cannot all be judged"),
    ),
}
MOST_PATHS = 8
NOT_NOTED = "start-not-noted"
MOST_THREADS = 20

RULE = Rule(
    name="progress-not-judged",
    title="The samples cannot tell progress from standstill",
    why=(
        "A thread in a socket read may hang, or the sample just met it there. Only a series of one JVM, some"
        " seconds apart and with the threads' CPU time, tells which. mqdiag finds what needs no series, such as a"
        " deadlock, in one sample too. A heap dump of the gRPC client has the same gap: its client does not note when a"
        " listener began with a message, so a thread may hang or may have just begun."
    ),
    causes=(*TEXTS, NOT_NOTED),
    severities=(Severity.WARNING, Severity.INFO),
    remedy=(
        "Take five samples of one process, three seconds apart: for i in 1 2 3 4 5; do jstack -l PID > j$i.log;"
        " sleep 3; done",
        "Give the samples of several JVMs to mqdiag diagnose, which judges each JVM apart.",
    ),
    references=("jstack, JDK 11 and later: cpu= and elapsed= of each thread (JDK-8200720)",),
    limits={"received_ms": 60_000, "series_seconds": 5.0},
    undecides=True,
)


def fires() -> Facts:
    """One jstack."""
    return Facts(stacks=StacksFacts(samples=1, not_judged_because="one-sample"))


def silent() -> Facts:
    """Five of one JVM."""
    return Facts(stacks=StacksFacts(samples=5, seconds=10.4, judged=True, has_cpu=True))


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Iterator[Said]:
    """At most one finding."""
    stacks = facts.stacks
    assert stacks is not None
    cause: str | None = stacks.not_judged_because
    waiting = sum(pool.unknown for pool in stacks.pools if pool.role == "consume-worker")
    if cause is None and waiting and stacks.seconds is not None and stacks.seconds < limits["series_seconds"]:
        cause = "short-series"
    elif cause is None and not stacks.has_cpu and waiting:
        cause = "no-cpu-time"
    if cause is None:
        return
    severity, title = TEXTS[cause]
    lines = [
        say(
            "{samples:count} {samples:sample|samples} of {jvms:count} {jvms:JVM|JVMs} were read; repeated samples left"
            " out: {repeated_samples:count}."
        )
    ]
    if stacks.cut_samples:
        lines.append(
            say(
                "{cut_samples:count} {cut_samples:sample|samples} at the end of the series {cut_samples:is|are} cut and"
                " {cut_samples:does|do} not count."
            )
        )
    processes = sorted({sample.process for sample in stacks.series}) if cause == "mixed-jvms" else []
    for process in processes:
        own = tuple(sample.path for sample in stacks.series if sample.process == process)
        lines.append(say("JVM {process}: {paths}", process=process + 1, paths=own[:MOST_PATHS]))
    if cause == "short-series":
        lines += _places(stacks)
    if cause == "no-cpu-time":
        lines.append(
            say(
                "{undecided:count} consume {undecided:thread stays|threads stay} undecided, because jstack before"
                " JDK 11 prints no cpu=. Compare two outputs of top -H -p PID (nid is the thread's id there), or"
                " use jstack of a later JDK."
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
            "cut_samples": stacks.cut_samples,
            "undecided": waiting,
            "processes": tuple(process + 1 for process in processes),
        },
        explanation=tuple(lines),
        remedy=RULE.remedy[::-1] if cause == "mixed-jvms" else RULE.remedy,
    )


def _places(stacks: StacksFacts) -> Iterator[Text]:
    """Where the undecided threads of each group are."""
    for pool in stacks.pools:
        if pool.role == "consume-worker" and pool.unknown and pool.shared_frame is not None:
            yield say(
                "{pool}: {share:percent} of the samples found the threads at {frame}.",
                pool=pool.group or pool.pool,
                share=pool.shared_share,
                frame=short_frame(pool.shared_frame),
            )


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """At most one finding, where no series of thread dumps tells more."""
    heap = facts.heap
    assert heap is not None
    if facts.stacks is not None and facts.stacks.judged:
        return
    of_grpc = {one.group for one in heap.consumers if one.traits.library == "grpc"}
    found = [
        (thread.name, thread.message)
        for thread in heap.threads
        if thread.message is not None and thread.call is not None and thread.message.group in of_grpc
        if _may_hang(thread.message, limits["received_ms"])
    ]
    if not found:
        return
    received = [one.received_age_ms for _, one in found if one.received_age_ms is not None]
    groups = sorted({message.group for _, message in found if message.group is not None})
    yield Draft(
        severity=Severity.INFO,
        cause=NOT_NOTED,
        confidence=Confidence.HIGH,
        title=say(
            "{thread_count:count} {thread_count:thread works on a message that was|threads work on messages that were}"
            " received up to {received_ms:ms} ago, and the dump does not tell since when"
        )
        if received
        else say(
            "{thread_count:count} {thread_count:thread works on a message|threads work on messages}, and the dump does"
            " not tell since when"
        ),
        subject=Subject(group=groups[0] if len(groups) == 1 else None),
        evidence={
            "thread_count": len(found),
            "threads": tuple(name for name, _ in found[:MOST_THREADS]),
            "received_ms": max(received, default=None),
        },
        explanation=(
            say(
                "The gRPC client notes when it received a message, not when a listener began with it. The message may"
                " have waited for a thread until just before the dump."
            ),
        ),
        remedy=RULE.remedy[:1],
    )


def _may_hang(message: MessageInHand, long_ms: float) -> bool:
    """Whether a listener may have had a message for long: up to 5.0.1 the client does not even note its arrival."""
    if message.age_ms is not None and message.age_ms >= long_ms:
        return False  # stuck-consumer-thread speaks of it
    return message.received_age_ms is None or message.received_age_ms >= long_ms
