"""Threads queue up behind the holder of a lock that does not give it back."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import StacksFacts
from mqdiag.facts.stacks import Standstill
from mqdiag.findings import Severity
from mqdiag.rules.rule import Rule
from mqdiag.rules.said import Limits, Said
from mqdiag.rules.shared import standstill

RULE = Rule("lock-convoy")


@RULE.stacks
def in_stacks(stacks: StacksFacts, limits: Limits) -> Iterator[Said]:
    """One finding for each pool and holder."""
    for still in stacks.standstills:
        if still.kind != "lock":
            continue
        waits = RULE.word(
            "waits_for_lock",
            who=standstill.who(still),
            lock=RULE.word("lock_of_class" if still.lock_class else "some_lock"),
            frame=standstill.short_frame(still.frame),
        )
        yield standstill.case(
            RULE,
            _case(still, owners_listed=stacks.has_synchronizers),
            still,
            limits,
            # the owner may change a moment later, which is no fault; one sample tells only who waits for whom
            worst=Severity.INFO if still.samples == 1 else Severity.ERROR,
            words={
                "waits": waits,
                "holder": still.holder,
                "in_chain": still.holder_in_chain,
                "inferred": still.holder_inferred,
            },
            given={"waits": (waits,), "further_remedy": still.remedy[1:]},
        )


def _case(still: Standstill, *, owners_listed: bool) -> str:
    if still.holder and still.holder_does:
        return "stuck-holder" if " at " in still.holder_does else "holder-without-frame"
    if still.holder:
        return "holder-without-lines"
    lock_class = still.lock_class or ""
    may_be_read = "ReadWriteLock" in lock_class
    if "StampedLock" in lock_class or (may_be_read and owners_listed):
        return "lock-without-owner"
    if owners_listed:
        return "owner-not-alive"
    return "owner-perhaps-reading" if may_be_read else "owner-not-printed"
