"""Threads hang in a socket read, write or connect that has no timeout."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.stacks import Standstill
from mqdiag.findings import Severity
from mqdiag.rules.registry import Limits, Rule, Said
from mqdiag.rules.shared.standstill import LIMITS, NO_CPU_MS, draft, example, short_frame, who
from mqdiag.text import say

RULE = Rule(
    name="stuck-socket-read",
    title="Threads hang in a network call without a timeout",
    why=(
        "A read without a timeout never returns when the other side is dead or slow. The thread shows RUNNABLE but"
        " does nothing: its CPU time does not grow over the samples. The message that it is processing never ends,"
        " so the offset of its queue cannot move. When all consume threads hang, the group stops."
    ),
    causes=("missing-http-timeout", "slow-database", "slow-redis", "slow-rpc", "slow-remote"),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Set connect and read timeouts on the client that the finding names, well below consumeTimeout (15 minutes).",
        "Look at the other side: it accepted the request and does not answer.",
    ),
    references=(
        "java.net.Socket.setSoTimeout: 0, the default, means no timeout",
        "https://github.com/apache/rocketmq/issues/1037",
    ),
    limits=LIMITS,
)
LITTLE_BY_LITTLE = say(
    "The CPU time grew, so the other side may send a few bytes now and then. A read timeout ends only a wait without"
    " any byte: limit the time of the whole call as well."
)

READ = Standstill(
    kind="socket-read",
    cause="missing-http-timeout",
    library="HttpURLConnection",
    threads=("ConsumeMessageThread_CID_1", "ConsumeMessageThread_CID_2"),
    role="consume-worker",
    pool="ConsumeMessageThread_CID",
    pool_size=2,
    group="CID",
    frame="com.acme.orders.InventoryClient.reserve(InventoryClient.java:48)",
    listener="com.acme.orders.OrderListener.consumeMessage(OrderListener.java:19)",
    wait="sun.nio.ch.SocketDispatcher.read0",
    samples=5,
    seconds=10.4,
    cpu_growth_ms=0.0,
    confidence="high",
    remedy=(say("Call setConnectTimeout and setReadTimeout."),),
)


def fires() -> Facts:
    """Two workers in the same HTTP read in five samples."""
    return example(READ)


def silent() -> Facts:
    """The same threads wait for a lock: another rule's business."""
    return example(
        Standstill(kind="lock", cause="stuck-holder", threads=READ.threads, role=READ.role, group="CID")
    )


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each pool and cause."""
    stacks = facts.stacks
    assert stacks is not None
    for still in stacks.standstills:
        if still.kind != "socket-read" or still.role == "client-callback":
            continue
        made_by = short_frame(still.frame)
        title = say(
            "{who} {thread_count:hangs|hang} in a network call made by {frame}", who=who(still), frame=made_by
        )
        if still.library:
            title = say(
                "{who} {thread_count:hangs|hang} in a network call of {library} made by {frame}",
                who=who(still),
                frame=made_by,
            )
        more = (LITTLE_BY_LITTLE,) if (still.cpu_growth_ms or 0.0) >= NO_CPU_MS else ()
        yield draft(still, limits, title=title, more_remedy=more)
