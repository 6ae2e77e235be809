"""Who runs the static initializer that others wait for: the JVM names no owner of it."""

from __future__ import annotations

from mqdiag.read.stacks.records import CLASS_INIT
from mqdiag.threads.decide import BLOCKED, STUCK, Judgement
from mqdiag.threads.view import View

INITIALIZER = ".<clinit>"


def follow_class_init(judgements: list[Judgement]) -> None:
    """Complete the decisions for threads that wait for a class."""
    running = [
        judgement
        for judgement in judgements
        if any(method.endswith(INITIALIZER) for method in judgement.track.last_view.methods)
    ]
    if not running:
        return
    for judgement in judgements:
        if judgement.state != STUCK or judgement.computing or not _waits(judgement.track.last_view):
            continue
        wanted = _class_of(judgement.track.last_view)
        others = [
            other
            for other in running
            if other is not judgement
            and other.track.jvm == judgement.track.jvm
            and (wanted is None or f"{wanted}{INITIALIZER}" in other.track.last_view.methods)
        ]
        if len(others) == 1:
            judgement.state = BLOCKED
            judgement.holder = others[0].track


def _waits(view: View) -> bool:
    """Before JDK 17 such a wait looks like code that runs, and takes no time."""
    return view.doing == "class-init" or (
        view.doing == "running" and bool(view.stack.frames) and "(Native Method)" not in view.stack.frames[0]
    )


def _class_of(view: View) -> str | None:
    return next((lock.class_name for lock in view.stack.locks if lock.kind == CLASS_INIT), None)
