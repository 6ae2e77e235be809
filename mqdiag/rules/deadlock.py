"""Threads wait for each other in a circle."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import StacksFacts
from mqdiag.findings import Subject
from mqdiag.rules.rule import Rule
from mqdiag.rules.said import Limits, Said
from mqdiag.text import Text

MOST_NAMED = 6
"""threads of a cycle that a title names"""

RULE = Rule("deadlock")


@RULE.stacks
def in_stacks(stacks: StacksFacts, limits: Limits) -> Iterator[Said]:
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
            evidence={"thread_count": len(names), "frame": waits[0][2] if waits else None},
            words={
                "cycle": Text(" -> ".join(f"{{{name}}}" for name in shown), shown),
                "told_by_jvm": cycle.source == "jvm",
            },
            rows={
                "locks": tuple(
                    {"thread": name, "lock": lock, "frame": frame or None}
                    for name, (lock, _, frame) in zip(names, waits, strict=False)
                ),
                "holders": ()
                if waits
                else tuple(
                    {"thread": name, "holder": holder}
                    for name, holder in zip(names, (*names[1:], names[0]), strict=True)
                ),
            },
            weight=float(len(names)),
        )
