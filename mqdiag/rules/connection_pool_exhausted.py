"""Threads wait for a connection of a pool that has none left."""

from __future__ import annotations

import msgspec
from msgspec import structs

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.stacks import Standstill
from mqdiag.facts.thread_pools import ConnectionWaits, PoolQueue
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.knowledge.lookup import all_libraries
from mqdiag.log_events import events
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.rules.shared import standstill
from mqdiag.rules.shared.standstill import short_frame
from mqdiag.text import NOTHING, Text

SIZE_OF_CONSUMERS = "consumeThreadMin"
"""what the size of a pool is compared with where consume threads use it"""
LEAK, UNREACHABLE = "connection-leak", "database-unreachable"

RULE = Rule("connection-pool-exhausted")


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Findings:
    """One finding for each pool."""
    stacks = facts.stacks
    assert stacks is not None
    counted = _counted(facts)
    for still in stacks.standstills:
        if still.kind == "pool":
            yield _stuck(still, limits, stacks, counted)
    for still in stacks.same_calls:
        if still.kind == "pool":
            words = {"library": still.library}
            yield standstill.undecided_case(
                RULE, "hangs-or-slow", still, limits, words=words, cause=still.cause
            )
    for waits in stacks.connection_waits:
        yield _giving_up(waits, limits, stacks.seconds, counted)
    told = {still.library for still in (*stacks.standstills, *stacks.same_calls) if still.kind == "pool"}
    told |= {waits.library for waits in stacks.connection_waits}
    for queue in stacks.pool_queues:
        if queue.library not in told and min(queue.waiting) >= limits["waiting"]:
            yield _always_wanted(queue)


def _always_wanted(queue: PoolQueue) -> Draft:
    """A queue before a pool that gives connections: work is late, and nothing hangs."""
    return RULE.case(
        "always-wanted",
        queue,
        evidence={"threads": queue.threads, "thread_count": len(queue.threads), "frame": queue.frame},
        words={"least_waiting": min(queue.waiting), "asks_at": short_frame(queue.frame)},
        weight=float(min(queue.waiting)),
    )


class _Counted(msgspec.Struct, frozen=True):
    """What the pool's own exceptions say of it; None where no log has them, or they have no numbers."""

    connections: int | None = None
    in_use: int | None = None

    @property
    def has_none(self) -> bool:
        """Whether the pool has no connection at all: none can be made."""
        return self.connections == 0

    @property
    def all_in_use(self) -> bool:
        """Whether each of its connections is borrowed."""
        return bool(self.connections) and self.connections == self.in_use


def _counted(facts: Facts) -> _Counted:
    found = [] if facts.logs is None else events(facts.logs, "pool-ran-dry")
    numbers = [one.values for one in found if "connections" in one.values]
    # several logs, or pools of several sizes: nobody knows which of them the threads wait for
    return _Counted(numbers[0]["connections"], numbers[0].get("in_use")) if len(numbers) == 1 else _Counted()


def _without_size_of_consumers(remedy: tuple[Text, ...]) -> tuple[Text, ...]:
    return tuple(text for text in remedy if SIZE_OF_CONSUMERS not in text.template)


def _leaks(still: Standstill, stacks: StacksFacts) -> bool:
    """Whether all connections were given out and no thread uses one."""
    # the pool's own thread, which rests, shows that the dump is whole and that all connections were given out
    own = next((one.own_thread for one in all_libraries() if one.name == still.library), None)
    given_out = own is not None and any(own in one.name and one.state == "idle" for one in stacks.threads)
    return still.holder is None and still.possible_user is None and given_out


def _remedy(still: Standstill) -> tuple[Text, ...]:
    """What helps: no setting of consumers where none runs."""
    others = _without_size_of_consumers(still.remedy)
    if standstill.is_of_consumers(still) or len(others) == len(still.remedy):
        return still.remedy
    return (*others, RULE.word("as_many_as_users"))


def _stuck(still: Standstill, limits: Limits, stacks: StacksFacts, counted: _Counted) -> Draft:
    name = "holder-known" if still.holder else "holder-perhaps-known" if still.possible_user else "no-holder"
    remedy, cause = _remedy(still), None
    if still.second_connection:
        name = "second-connection-again" if still.wait_ends else "second-connection"
    elif name == "no-holder" and counted.has_none:
        name, remedy, cause = "none-made", (), UNREACHABLE
    elif name == "no-holder" and (counted.all_in_use or _leaks(still, stacks)):
        name, remedy, cause = "leak", _without_size_of_consumers(still.remedy), LEAK
    user = {"possible_user": still.possible_user, "possible_user_does": still.possible_user_does}
    words = {"library": still.library, **user, **msgspec.structs.asdict(counted)}
    # who has a connection may give it back a moment later, which is no fault
    worst = Severity.INFO if still.samples == 1 and still.possible_user else None
    given = {"remedy": remedy}
    found = standstill.case(RULE, name, still, limits, worst=worst, words=words, given=given, cause=cause)
    if cause is not None:
        return _with_numbers(found, counted)
    if still.possible_user is None:
        return found
    found = structs.replace(found, evidence={**found.evidence, **user})
    if found.confidence != Confidence.HIGH:
        return found
    return structs.replace(found, confidence=Confidence.MEDIUM, confidence_reason=RULE.word("unknown_pool"))


def _with_numbers(found: Draft, counted: _Counted) -> Draft:
    numbers = {key: value for key, value in msgspec.structs.asdict(counted).items() if value is not None}
    return structs.replace(found, evidence={**found.evidence, **numbers})


def _giving_up(waits: ConnectionWaits, limits: Limits, seconds: float | None, counted: _Counted) -> Draft:
    """The threads that have a timeout for the wait: they fail one message after the other."""
    name, cause, remedy = "leak-again", LEAK, _without_size_of_consumers(waits.remedy)
    if waits.user is not None:
        name, cause, remedy = (
            "user-known" if waits.user_sure else "user-perhaps-known",
            waits.cause,
            waits.remedy,
        )
    elif counted.has_none:
        name, cause, remedy = "none-made-again", UNREACHABLE, ()
    else:
        name, cause, remedy = "leak-again", LEAK, _without_size_of_consumers(waits.remedy)
    long_enough = seconds is not None and seconds >= limits["min_seconds"]
    sure = name == "leak-again" and counted.all_in_use
    found = RULE.case(
        name,
        waits,
        subject=Subject(group=waits.group, thread=None if waits.group else waits.pool),
        evidence={
            "thread_count": len(waits.threads),
            "samples": len(waits.waiting),
            "frame": waits.frame,
            "user_frame": waits.user_frame,
        },
        words={
            "frame": short_frame(waits.frame),
            "user_frame": short_frame(waits.user_frame),
            **msgspec.structs.asdict(counted),
        },
        given={"remedy": remedy},
        severity=Severity.ERROR if long_enough else Severity.WARNING,
        because=RULE.word("unknown_pool") if name == "user-perhaps-known" else None,
        cause=cause,
        weight=float(len(waits.threads)),
    )
    found = _with_numbers(found, counted) if waits.user is None else found
    return structs.replace(found, confidence=Confidence.HIGH, confidence_reason=NOTHING) if sure else found
