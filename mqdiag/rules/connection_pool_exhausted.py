"""Threads wait for a connection of a pool that has none left."""

from __future__ import annotations

from msgspec import structs

from mqdiag.facts import StacksFacts
from mqdiag.facts.stacks import ConnectionWaits, Standstill
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.knowledge.lookup import all_libraries
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.rules.shared import standstill
from mqdiag.rules.shared.standstill import short_frame
from mqdiag.text import Text

SIZE_OF_CONSUMERS = "consumeThreadMin"
"""what the size of a pool is compared with where consume threads use it"""

RULE = Rule("connection-pool-exhausted")


@RULE.stacks
def in_stacks(stacks: StacksFacts, limits: Limits) -> Findings:
    """One finding for each pool."""
    for still in stacks.standstills:
        if still.kind == "pool":
            yield _stuck(still, limits, stacks)
    for still in stacks.same_calls:
        if still.kind == "pool":
            words = {"library": still.library}
            yield standstill.undecided_case(
                RULE, "hangs-or-slow", still, limits, words=words, cause=still.cause
            )
    for waits in stacks.connection_waits:
        yield _giving_up(waits, limits, stacks.seconds)


def _remedy(still: Standstill, stacks: StacksFacts) -> tuple[Text, ...]:
    """What helps: no larger pool where connections leak, and no setting of consumers where none runs."""
    others = tuple(text for text in still.remedy if SIZE_OF_CONSUMERS not in text.template)
    # the pool's own thread, which rests, shows that the dump is whole and that all connections were given out
    own = next((one.own_thread for one in all_libraries() if one.name == still.library), None)
    given_out = own is not None and any(own in one.name and one.state == "idle" for one in stacks.threads)
    if still.holder is None and still.possible_user is None and given_out:
        return (RULE.word("find_leak"), *others)
    if standstill.is_of_consumers(still) or len(others) == len(still.remedy):
        return still.remedy
    return (*others, RULE.word("as_many_as_users"))


def _stuck(still: Standstill, limits: Limits, stacks: StacksFacts) -> Draft:
    name = "holder-known" if still.holder else "holder-perhaps-known" if still.possible_user else "no-holder"
    user = {"possible_user": still.possible_user, "possible_user_does": still.possible_user_does}
    given = {"remedy": _remedy(still, stacks)}
    found = standstill.case(RULE, name, still, limits, words={"library": still.library, **user}, given=given)
    if still.possible_user is None:
        return found
    found = structs.replace(found, evidence={**found.evidence, **user})
    if found.confidence != Confidence.HIGH:
        return found
    return structs.replace(found, confidence=Confidence.MEDIUM, confidence_reason=RULE.word("unknown_pool"))


def _giving_up(waits: ConnectionWaits, limits: Limits, seconds: float | None) -> Draft:
    """The threads that have a timeout for the wait: they fail one message after the other."""
    name = "no-user" if waits.user is None else "user-known" if waits.user_sure else "user-perhaps-known"
    long_enough = seconds is not None and seconds >= limits["min_seconds"]
    return RULE.case(
        name,
        waits,
        subject=Subject(group=waits.group, thread=None if waits.group else waits.pool),
        evidence={
            "thread_count": len(waits.threads),
            "samples": len(waits.waiting),
            "frame": waits.frame,
            "user_frame": waits.user_frame,
        },
        words={"frame": short_frame(waits.frame), "user_frame": short_frame(waits.user_frame)},
        given={"remedy": waits.remedy},
        severity=Severity.ERROR if long_enough else Severity.WARNING,
        because=RULE.word("unknown_pool") if name == "user-perhaps-known" else None,
        cause=waits.cause,
        weight=float(len(waits.threads)),
    )
