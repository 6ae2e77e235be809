"""Threads wait for a connection of a pool that has none left."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from mqdiag.facts import Facts
from mqdiag.facts.stacks import ConnectionWaits, Standstill
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.standstill import LIMITS, draft, example, short_frame, who
from mqdiag.text import NOTHING, Text, say

UNKNOWN_POOL = say("the thread that uses a connection may have it from another pool")
RULE = Rule(
    name="connection-pool-exhausted",
    title="Threads wait for a pooled connection that is not given back",
    why=(
        "The pool has fewer connections than there are consume threads, and the threads that have one do not give"
        " it back: they hang, or they lost it. A pool whose waiting threads change over the samples is no fault,"
        " even if many threads wait."
    ),
    causes=(
        "pool-too-small",
        "missing-http-timeout",
        "slow-database",
        "slow-redis",
        "slow-rpc",
        "slow-remote",
        "missing-timeout",
        "sleep-in-listener",
        "stuck-holder",
        "busy-loop",
        "blocked-log-sink",
    ),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Fix what the threads that have a connection wait for; give connections back in a finally block.",
        "Make the pool at least as large as consumeThreadMin, and bound the wait for a connection.",
    ),
    references=("brettwooldridge/HikariCP wiki: About Pool Sizing",),
    limits=LIMITS,
    in_chain=say("the connection pool runs dry"),
    explained_by=("stuck-socket-read", "stuck-wait", "deadlock", "lock-convoy"),
)


DRY = Standstill(
    kind="pool",
    cause="pool-too-small",
    library="HikariCP",
    threads=("ConsumeMessageThread_CID_1", "ConsumeMessageThread_CID_2"),
    role="consume-worker",
    pool="ConsumeMessageThread_CID",
    pool_size=20,
    group="CID",
    frame="com.acme.orders.OrderDao.insert(OrderDao.java:22)",
    listener="com.acme.orders.OrderListener.consumeMessage(OrderListener.java:19)",
    samples=5,
    seconds=10.4,
    cpu_growth_ms=0.0,
    confidence="high",
    remedy=(say("Set maximumPoolSize."),),
)


def fires() -> Facts:
    """Two workers wait in HikariPool.getConnection in five samples."""
    return example(DRY)


def silent() -> Facts:
    """The holders of the connections are another rule's business."""
    return example(Standstill(kind="socket-read", cause="slow-database", threads=DRY.threads, role=DRY.role))


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each pool."""
    stacks = facts.stacks
    assert stacks is not None
    for still in stacks.standstills:
        if still.kind != "pool":
            continue
        found = draft(
            still,
            limits,
            title=say(
                "{who} {thread_count:waits|wait} for a connection of {library} at {frame}",
                who=who(still),
                library=still.library,
                frame=short_frame(still.frame),
            ),
            more=(_who_has_them(still),),
        )
        yield found if still.possible_user is None else _of_unknown_pool(found, still)
    for waits in stacks.connection_waits:
        yield _giving_up(waits, limits, stacks.seconds)


def _who_has_them(still: Standstill) -> Text:
    if still.holder:
        return say("{holder} has a connection and is in {holder_does}.")
    if still.possible_user:
        return say(
            "{possible_user} uses a connection and makes no progress in {possible_user_does}. It may be a connection of"
            " another pool: the dumps do not show which pool a connection is from."
        )
    return say("No thread of the dump is using a connection of the pool: the connections may be lost (leaked).")


def _of_unknown_pool(found: Draft, still: Standstill) -> Draft:
    """A finding that names a thread which may have its connection from another pool."""
    return msgspec.structs.replace(
        found,
        confidence=Confidence.MEDIUM if found.confidence == Confidence.HIGH else found.confidence,
        confidence_reason=UNKNOWN_POOL if found.confidence == Confidence.HIGH else found.confidence_reason,
        evidence={
            **found.evidence,
            "possible_user": still.possible_user,
            "possible_user_does": still.possible_user_does,
        },
    )


def _giving_up(waits: ConnectionWaits, limits: Limits, seconds: float | None) -> Draft:
    """The threads that have a timeout for the wait: they fail one message after the other."""
    long_enough = seconds is not None and seconds >= limits["min_seconds"]
    return Draft(
        severity=Severity.ERROR if long_enough else Severity.WARNING,
        cause=waits.cause,
        confidence=Confidence.HIGH if waits.user_sure else Confidence.MEDIUM,
        confidence_reason=_doubt(waits),
        title=_title(waits),
        subject=Subject(group=waits.group, thread=None if waits.group else waits.pool),
        evidence={
            "threads": waits.threads,
            "thread_count": len(waits.threads),
            "pool_size": waits.pool_size,
            "waiting": waits.waiting,
            "samples": len(waits.waiting),
            "frame": waits.frame,
            "library": waits.library,
            "user": waits.user,
            "user_frame": waits.user_frame,
            "user_sure": waits.user_sure,
        },
        explanation=(
            say("Threads that wait for a connection, by sample: {waiting}."),
            say(
                "Each wait ends at a timeout and begins again, for the same message or for the next one: the threads"
                " move, but none of them was seen with a connection."
            ),
            _who_has_connections(waits),
        ),
        remedy=waits.remedy,
        weight=float(len(waits.threads)),
    )


def _doubt(waits: ConnectionWaits) -> Text:
    """Why it is not sure who has the connections; empty where it is."""
    if waits.user is None:
        return say("no thread was seen that uses a connection")
    return NOTHING if waits.user_sure else UNKNOWN_POOL


def _title(waits: ConnectionWaits) -> Text:
    frame = short_frame(waits.frame)
    if waits.group:
        return say(
            "{thread_count:count} of {pool_size:count} consume {pool_size:thread|threads} of group {group}"
            " {thread_count:waits|wait} for a connection of {library} in almost every sample, again and again, at"
            " {frame}",
            group=waits.group,
            frame=frame,
        )
    return say(
        "{thread_count:count} of {pool_size:count} consume {pool_size:thread|threads} {thread_count:waits|wait} for a"
        " connection of {library} in almost every sample, again and again, at {frame}",
        frame=frame,
    )


def _who_has_connections(waits: ConnectionWaits) -> Text:
    if waits.user is None:
        return say(
            "No thread of the dumps uses a connection of the pool, so the connections were probably never given back"
            " (leaked)."
        )
    if waits.user_sure:
        return say(
            "{user} has a connection and makes no progress at {user_frame}.",
            user_frame=short_frame(waits.user_frame),
        )
    return say(
        "{user} uses a connection and makes no progress at {user_frame}. It may be a connection of another pool: the"
        " dumps do not show which pool a connection is from.",
        user_frame=short_frame(waits.user_frame),
    )
