"""Threads wait for each other in a circle."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.stacks import Deadlock
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.text import say

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


@rule(
    name="deadlock",
    title="Threads wait for each other and can never go on",
    why=(
        "Each thread of the cycle holds what the next one waits for. Nothing but a restart ends it, and every thread"
        " that needs one of the locks joins it. It is found from the lock lines too, when the JVM printed no section"
        " on it."
    ),
    causes=("deadlock",),
    severities=(Severity.ERROR,),
    remedy=(
        "Restart the process: the threads cannot be freed.",
        "Take the locks in the same order everywhere, or make them one lock; use tryLock(timeout, unit) where the"
        " order cannot be kept.",
    ),
    references=("java.lang.management.ThreadMXBean.findDeadlockedThreads",),
    needs=("stacks",),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each cycle."""
    stacks = facts.stacks
    assert stacks is not None
    for cycle in stacks.deadlocks:
        names = cycle.threads
        lines = [
            say("{name} waits for {lock}", name=name, lock=lock)
            for name, lock in zip(names, cycle.locks, strict=False)
        ]
        if cycle.source == "jvm":
            lines.append(say("The JVM itself reports it."))
        if not cycle.locks:
            lines += [
                say("{name} waits for {names}", name=name, names=names[(at + 1) % len(names)])
                for at, name in enumerate(names)
            ]
        yield Draft(
            severity=Severity.ERROR,
            cause="deadlock",
            confidence=Confidence.HIGH,
            title=say(
                "{names} threads wait for each other: {value}",
                names=len(names),
                value=" -> ".join((*names[:6], names[0])),
            ),
            subject=Subject(group=cycle.group, thread=" ".join(sorted(names)[:2])),
            evidence={
                "threads": names,
                "frame": cycle.locks[0].partition(" at ")[2] if cycle.locks else None,
                "samples": cycle.samples,
                "locks": cycle.locks,
                "source": cycle.source,
            },
            explanation=tuple(lines),
            remedy=(check.card.remedy[0], INITIALIZERS) if "class-init" in cycle.kinds else check.card.remedy,
            weight=float(len(names)),
        )
