"""Threads queue up behind the holder of a lock that does not give it back."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from mqdiag.facts import Facts
from mqdiag.facts.stacks import Standstill
from mqdiag.findings import Severity
from mqdiag.rules.registry import Limits, Rule, Said
from mqdiag.rules.shared.standstill import LIMITS, draft, example, short_frame, who
from mqdiag.text import Text, say

TAKE_WITH_OWNERS = say(
    "Take the dumps again with jstack -l PID, which names the owners of locks, or find the code that keeps this lock."
)
BY_FRAMES = say(
    "The dump does not name the owner of the lock: of all threads this one alone has passed the lock in its frames;"
    " jstack -l names the owner."
)
FIND_CODE = say(
    "Find the code that keeps this lock: look for a lock() without unlock() in a finally block, and for a thread that"
    " is slow between the two."
)

RULE = Rule(
    name="lock-convoy",
    title="Threads wait for a lock whose holder does not move",
    why=(
        "One thread that hangs while it holds a lock stops all threads that need it. The many waiting threads look"
        " like the fault, but the fault is in the thread that holds the lock. A lock whose owner changes over the"
        " samples is no fault."
    ),
    causes=("stuck-holder",),
    severities=(Severity.ERROR, Severity.WARNING, Severity.INFO),
    remedy=(
        "Fix what the holder waits for.",
        "Do not call remote services while holding a lock; use tryLock(timeout, unit) where a wait must end.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/3469",
        "stacks with -l name the owners of java.util.concurrent locks",
    ),
    limits=LIMITS,
    in_chain=say("other threads wait for the lock that it holds"),
    explained_by=(
        "deadlock",
        "stuck-socket-read",
        "stuck-wait",
        "connection-pool-exhausted",
        "sleeping-listener",
        "cpu-bound-listener",
    ),
)


CONVOY = Standstill(
    kind="lock",
    cause="stuck-holder",
    threads=("ConsumeMessageThread_CID_1", "ConsumeMessageThread_CID_2"),
    role="consume-worker",
    pool="ConsumeMessageThread_CID",
    pool_size=3,
    group="CID",
    frame="com.acme.orders.StockLedger.post(StockLedger.java:17)",
    listener="com.acme.orders.OrderListener.consumeMessage(OrderListener.java:19)",
    samples=5,
    seconds=10.4,
    cpu_growth_ms=0.0,
    confidence="high",
    holder="ConsumeMessageThread_CID_3",
    holder_does="socket-read at com.acme.orders.InventoryClient.reserve(InventoryClient.java:48)",
    lock_class="com.acme.orders.StockLedger",
    remedy=(say("Fix what the holder waits for."),),
)


def fires() -> Facts:
    """Two workers blocked on a monitor of a third."""
    return example(CONVOY)


def silent() -> Facts:
    """A network call holds nobody up."""
    return example(
        Standstill(kind="socket-read", cause="slow-remote", threads=CONVOY.threads, role=CONVOY.role)
    )


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each pool and holder."""
    stacks = facts.stacks
    assert stacks is not None
    for still in stacks.standstills:
        if still.kind != "lock":
            continue
        if still.holder and still.holder_does and " at " not in still.holder_does:
            more = (say("The dump shows no frame of the holder {holder}, so it does not tell what it does."),)
        elif still.holder and still.holder_does:
            more = (_about_holder(still), *((BY_FRAMES,) if still.holder_inferred else ()))
        elif still.holder:
            more = (say("The dump has no lines of the holder {holder}: look for them in the whole dump."),)
        else:
            more = (_without_owner(still.lock_class or "", owners_listed=stacks.has_synchronizers),)
            first = FIND_CODE if stacks.has_synchronizers or _has_no_owner(still) else TAKE_WITH_OWNERS
            still = msgspec.structs.replace(still, remedy=(first, *still.remedy[1:]))
        # the owner may change a moment later, which is no fault; one sample tells only who waits for whom
        worst = Severity.INFO if still.samples == 1 else Severity.ERROR
        yield draft(still, limits, title=_title(still), more=more, worst=worst)


def _title(still: Standstill) -> Text:
    lock = say("the lock {lock_class}") if still.lock_class else say("a lock")
    waits = say(
        "{who} {thread_count:waits|wait} for {lock} at {frame}",
        who=who(still),
        lock=lock,
        frame=short_frame(still.frame),
    )
    if not still.holder:
        return waits
    if still.holder_in_chain and still.holder_inferred:
        return say("{waits}; the chain of locks seems to end at {holder}", waits=waits)
    if still.holder_in_chain:
        return say("{waits}; the chain of locks ends at {holder}", waits=waits)
    if still.holder_inferred:
        return say("{waits}; {holder} seems to hold it", waits=waits)
    return say("{waits}; {holder} holds it", waits=waits)


def _about_holder(still: Standstill) -> Text:
    if still.holder_in_chain:
        return say(
            "The holder of this lock waits for another lock in turn. At the end of the chain {holder} is in"
            " {holder_does}."
        )
    return say("The holder {holder} is in {holder_does}.")


def _without_owner(lock_class: str, *, owners_listed: bool) -> Text:
    """Why nobody is named: -l lists exclusive owners only, and only of threads that live."""
    if "StampedLock" in lock_class or ("ReadWriteLock" in lock_class and owners_listed):
        return say(
            "No dump names the holder: a lock that is held for reading, and a StampedLock, have no owner. A thread that"
            " holds such a lock for reading and asks to write waits for itself."
        )
    if owners_listed:
        return say("The dumps list the owners of locks, and no living thread owns this one.")
    if "ReadWriteLock" in lock_class:
        return say(
            "The dump does not name the owner. jstack -l does, unless the lock is held for reading: then it has no"
            " owner."
        )
    return say("The dump does not name the owner; jstack -l does.")


def _has_no_owner(still: Standstill) -> bool:
    return "StampedLock" in (still.lock_class or "")
