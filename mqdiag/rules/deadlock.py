"""Threads wait for each other in a circle."""

from __future__ import annotations

from msgspec import structs

from mqdiag.facts import StacksFacts
from mqdiag.facts.thread_locks import HiddenDeadlock
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.rules.shared.standstill import frame_shown, method_shown, short_frame
from mqdiag.text import NOTHING, Text

MOST_NAMED = 6
"""threads of a cycle that a title names"""

RULE = Rule("deadlock")


@RULE.stacks
def in_stacks(stacks: StacksFacts, limits: Limits) -> Findings:
    """One finding for each cycle."""
    for cycle in stacks.deadlocks:
        names, waits = cycle.threads, [lock.partition(" at ") for lock in cycle.locks]
        # each thread is a value of its own, so that a redacted report hides its name
        shown = {
            f"thread_{at}": Text("{thread}", {"thread": name})
            for at, name in enumerate((*names[:MOST_NAMED], names[0]))
        }
        yield RULE.case(
            "class-initializers" if "class-init" in cycle.kinds else "deadlock",
            cycle,
            subject=Subject(group=cycle.group, thread=" ".join(sorted(names)[:2])),
            evidence={
                "thread_count": len(names),
                "frame": waits[0][2] if waits else cycle.members[0].frame if cycle.members else None,
            },
            words={
                "cycle": Text(" -> ".join(f"{{{name}}}" for name in shown), shown),
                "told_by_jvm": cycle.source == "jvm",
            },
            rows={
                "members": tuple(
                    {
                        **structs.asdict(one),
                        "frame": short_frame(one.frame),
                        "taken_in": method_shown(one.taken_at),
                    }
                    for one in cycle.members
                ),
                "locks": ()
                if cycle.members
                else tuple(
                    {"thread": name, "lock": lock, "frame": frame or None}
                    for name, (lock, _, frame) in zip(names, waits, strict=False)
                ),
                "holders": ()
                if waits or cycle.members
                else tuple(
                    {"thread": name, "holder": holder}
                    for name, holder in zip(names, (*names[1:], names[0]), strict=True)
                ),
            },
            weight=float(len(names)),
        )
    for hidden in stacks.hidden_deadlocks:
        yield _hidden(hidden, stacks, limits)


def _hidden(hidden: HiddenDeadlock, stacks: StacksFacts, limits: Limits) -> Draft:
    """A holder that waits for threads which all want its lock; a moment later it may have what it waits for."""
    workers = len(hidden.workers)
    lasts = hidden.samples >= limits["min_samples"] and (stacks.seconds or 0.0) >= limits["min_seconds"]
    frames = {name: getattr(hidden, name) for name in ("holder_frame", "worker_frame", "taken_at")}
    return RULE.case(
        "hidden-deadlock",
        hidden,
        subject=Subject(group=hidden.group, thread=hidden.holder),
        evidence={
            "threads": (hidden.holder, *hidden.workers),
            "thread_count": workers + 1,
            "worker_count": workers,
            "frame": hidden.holder_frame,
            **{name: frame for name, frame in frames.items() if frame is not None},
        },
        words={
            "worker_frame": frame_shown(hidden.worker_frame),
            "taken_in": method_shown(hidden.taken_at),
            "holder_frame": short_frame(hidden.holder_frame),
            "for_connection": hidden.holder_waits == "pool",
            "for_room": hidden.for_room,
            "for_class": hidden.for_class,
            "for_pipe": hidden.for_pipe,
            "for_all": hidden.for_all,
            "for_work": not (hidden.for_room or hidden.for_class or hidden.for_pipe or hidden.for_all),
        },
        severity=Severity.ERROR if lasts else Severity.WARNING,
        confidence=Confidence.HIGH if lasts and not hidden.for_class else Confidence.MEDIUM,
        because=NOTHING if lasts else RULE.word("for_a_moment", samples=hidden.samples),
        weight=float(workers + 1),
    )
