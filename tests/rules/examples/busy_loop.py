from __future__ import annotations

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.stacks import BusyThread
from mqdiag.facts.vocabulary import Role


def _example(role: Role) -> Facts:
    busy = BusyThread(
        thread="mapper",
        role=role,
        frame="com.acme.Mapper.find(Mapper.java:40)",
        top="java.util.HashMap.get",
        samples=4,
        seconds=7.5,
        share_of_core=0.96,
        allocated_bytes=1024,
    )
    return Facts(stacks=StacksFacts(samples=4, seconds=7.5, judged=True, has_cpu=True, busy_threads=(busy,)))


def fires() -> Facts:
    """One thread in HashMap.get in four samples, with all of a core."""
    return _example("other")


def silent() -> Facts:
    """A consume thread is another rule's business."""
    return _example("consume-worker")
