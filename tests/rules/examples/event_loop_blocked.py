from __future__ import annotations

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.stacks import BlockedLoop


def fires() -> Facts:
    """One of two Netty loops waits for a future in four samples."""
    loop = BlockedLoop(
        thread="nioEventLoopGroup-2-1",
        role="pool",
        pool="nioEventLoopGroup-2",
        pool_size=2,
        frame="com.acme.Gate.check(Gate.java:9)",
        top="sun.misc.Unsafe.park",
        doing="future",
        samples=4,
        seconds=7.5,
        state="stuck",
    )
    return Facts(stacks=StacksFacts(samples=4, seconds=7.5, judged=True, has_cpu=True, blocked_loops=(loop,)))


def silent() -> Facts:
    """All loops look for events."""
    return Facts(stacks=StacksFacts(samples=4, seconds=7.5, judged=True, has_cpu=True))
