from __future__ import annotations

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.thread_pools import CommonPlace
from mqdiag.facts.vocabulary import Doing


def _facts(doing: Doing) -> Facts:
    place = CommonPlace(
        role="pool",
        pool="acme-worker",
        pool_size=4,
        threads=tuple(f"acme-worker-{number}" for number in range(1, 4)),
        at_place=(3, 3),
        frame="com.acme.Inbox.take(Inbox.java:31)",
        doing=doing,
        kind="wait",
        cause="missing-timeout",
    )
    return Facts(stacks=StacksFacts(samples=2, seconds=40.0, judged=True, common_places=(place,)))


def fires() -> Facts:
    """Three of four threads of a pool in one call of a class nobody knows, for 40 seconds."""
    return _facts("condition")


def silent() -> Facts:
    """The same threads in a queue, which is a rest."""
    return _facts("queue")
