"""Threads wait for each other in a circle."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.stacks import Deadlock
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.text import Text, Value, say

MOST_NAMED = 6
"""threads of a cycle that a title names"""

RULE = Rule(
    name="deadlock",
    title="Threads wait for each other and can never go on",
    why=(
        "Each thread of the cycle holds what the next one waits for. Only a restart ends it, and every thread that"
        " needs one of the locks joins it. mqdiag finds it from the lock lines too, when the JVM printed no"
        " deadlock section."
    ),
    causes=("deadlock",),
    severities=(Severity.ERROR,),
    remedy=(
        "Restart the process: the threads cannot be freed.",
        "Take the locks in the same order everywhere, or make them one lock; use tryLock(timeout, unit) where the"
        " order cannot be kept.",
    ),
    references=("java.lang.management.ThreadMXBean.findDeadlockedThreads",),
)


CYCLE = Deadlock(
    threads=("ConsumeMessageThread_CID_1", "ConsumeMessageThread_CID_2"),
    locks=(
        "com.acme.Stock at com.acme.Stock.move(Stock.java:12)",
        "com.acme.Ledger at com.acme.Ledger.book(Ledger.java:30)",
    ),
    group="CID",
)

INITIALIZERS = say(
    "Let no static initializer need a class whose initializer needs the first one: move the code into a method that is"
    " called later, or load both classes in one thread at start."
)


def fires() -> Facts:
    """Two workers, each with what the other needs."""
    return Facts(stacks=StacksFacts(samples=1, deadlocks=(CYCLE,)))


def silent() -> Facts:
    """No cycle."""
    return Facts(stacks=StacksFacts(samples=1))


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each cycle."""
    stacks = facts.stacks
    assert stacks is not None
    for cycle in stacks.deadlocks:
        names = cycle.threads
        shown = (*names[:MOST_NAMED], names[0])
        yield Draft(
            severity=Severity.ERROR,
            cause="deadlock",
            confidence=Confidence.HIGH,
            title=say(
                "{thread_count:count} threads wait for each other: {cycle}",
                cycle=Text(" -> ".join(f"{{thread_{at}}}" for at in range(len(shown))), _named(shown)),
            ),
            subject=Subject(group=cycle.group, thread=" ".join(sorted(names)[:2])),
            evidence={
                "threads": names,
                "thread_count": len(names),
                "frame": cycle.locks[0].partition(" at ")[2] if cycle.locks else None,
                "samples": cycle.samples,
                "locks": cycle.locks,
                "source": cycle.source,
            },
            explanation=tuple(_explanation(cycle)),
            remedy=(RULE.remedy[0], INITIALIZERS) if "class-init" in cycle.kinds else RULE.remedy,
            weight=float(len(names)),
        )


def _named(threads: tuple[str, ...]) -> dict[str, Value]:
    """Each thread as a value of its own, so that a redacted report hides its name."""
    return {f"thread_{at}": say("{thread}", thread=name) for at, name in enumerate(threads)}


def _explanation(cycle: Deadlock) -> Iterator[Text]:
    names = cycle.threads
    for name, lock in zip(names, cycle.locks, strict=False):
        lock_class, _, frame = lock.partition(" at ")
        if frame:
            yield say("{thread} waits for {lock} at {frame}.", thread=name, lock=lock_class, frame=frame)
        else:
            yield say("{thread} waits for {lock}.", thread=name, lock=lock_class)
    if cycle.source == "jvm":
        yield say("The JVM itself reports the deadlock.")
    if not cycle.locks:
        for at, name in enumerate(names):
            yield say("{thread} waits for {holder}.", thread=name, holder=names[(at + 1) % len(names)])
