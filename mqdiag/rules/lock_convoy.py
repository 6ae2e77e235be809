"""Threads queue up behind the holder of a lock that does not give it back."""

from __future__ import annotations

from itertools import pairwise

from mqdiag.facts import StacksFacts
from mqdiag.facts.recordings import Recording
from mqdiag.facts.stacks import Standstill
from mqdiag.facts.thread_locks import LockFacts
from mqdiag.findings import Severity, Subject
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.rules.shared import standstill
from mqdiag.text import Text

LEAST_CUT_OUT = 2
"""threads before a lock of which a part of a dump tells something"""

RULE = Rule("lock-convoy")


@RULE.stacks
def in_stacks(stacks: StacksFacts, limits: Limits) -> Findings:
    """One finding for each pool and holder."""
    left = _before_left_locks(stacks)
    for still in stacks.standstills:
        if still.kind != "lock" or (still.samples == 1 and left.issuperset(still.threads)):
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
            worst=_worst_of_one_sample(still) if still.samples == 1 else Severity.ERROR,
            words={
                "waits": waits,
                "holder": still.holder,
                "in_chain": still.holder_in_chain,
                "inferred": still.holder_inferred,
            },
            given={"waits": (waits,), "further_remedy": still.remedy[1:]},
        )


def _before_left_locks(stacks: StacksFacts) -> set[str]:
    """Threads that wait for locks which no thread can give back."""
    return {name for lock in stacks.locks if lock.left for name in lock.waiters}


@RULE.stacks
def left_by_all(stacks: StacksFacts, limits: Limits) -> Findings:
    """One finding for each lock that no thread of a dump can give back; more samples tell how long they wait."""
    told = {name for still in stacks.standstills if still.samples > 1 for name in still.threads}
    for lock in stacks.locks:
        if lock.left is None or told.issuperset(lock.waiters):
            continue
        yield RULE.case(
            "left" if lock.left == "owner-rests" else "left-by-nobody-known",
            lock,
            subject=Subject(thread=lock.owner),
            evidence={
                "threads": lock.waiters,
                "thread_count": len(lock.waiters),
                **({} if lock.owner is None else {"holder": lock.owner}),
            },
            words={
                "holder": lock.owner,
                "others_wait": any(one is not lock for one in stacks.locks),
                "may_be_read": any(part in lock.class_name for part in RULE.names("shared_locks")),
            },
            weight=float(len(lock.waiters)),
        )


@RULE.stacks
def of_any_threads(stacks: StacksFacts, limits: Limits) -> Findings:
    """One finding for each lock that many threads want in all samples, whose holders move or may move.

    Consume threads that wait for each other have rules of their own: workers-saturated and slow-listener.
    """
    told = {name for still in stacks.standstills if still.kind == "lock" for name in still.threads}
    told |= {name for cycle in stacks.deadlocks for name in cycle.threads}
    told |= {name for hidden in stacks.hidden_deadlocks for name in hidden.workers}
    told |= _before_left_locks(stacks)
    told_holders = {still.holder for still in stacks.standstills if still.kind == "lock"}
    by_name = {thread.name: thread for thread in stacks.threads}
    for lock in stacks.locks:
        others = [name for name in lock.waiters if name not in told]
        one_owner = lock.owner is not None and set(lock.owners) == {lock.owner}
        least = min(lock.waiting, default=0)
        # a queue that only grows behind one owner is as long as it is now
        length = lock.waiting[-1] if one_owner and _only_grows(lock.waiting) else least
        if any(name in by_name and by_name[name].role in standstill.OWN_ROLES for name in others):
            continue
        if len(lock.waiting) == 1 and _holds_up_half(lock, others, limits) and lock.owner not in told_holders:
            yield _behind_a_wait(lock, others)
        if len(lock.waiting) < 2 or min(length, len(others)) < limits["waiting"]:
            continue
        holder = by_name.get(lock.owner or "")
        waits = lock.owner_doing in RULE.names("remote_waits")
        lasts = stacks.seconds is not None and stacks.seconds >= limits["min_seconds"]
        heavy = lock.share >= limits["share"] and lasts and len(lock.waiting) >= limits["min_samples"]
        known = {"holder": lock.owner, "frame": lock.owner_frame, "taken_at": lock.taken_at}
        yield RULE.case(
            "slow-holder",
            lock,
            subject=Subject(thread=holder.pool or holder.name if holder else None),
            evidence={
                "threads": lock.waiters,
                "thread_count": len(lock.waiters),
                "least_waiting": least,
                **{name: value for name, value in known.items() if value is not None},
            },
            words={
                "holder": lock.owner,
                "owner_place": standstill.frame_shown(lock.owner_frame),
                "taken_in": standstill.method_shown(lock.taken_at),
                "one_owner": one_owner,
                "waits": waits,
            },
            severity=Severity.WARNING if heavy and (waits or one_owner) else Severity.INFO,
            weight=float(len(lock.waiters)),
        )


def _holds_up_half(lock: LockFacts, others: list[str], limits: Limits) -> bool:
    """Whether so many of the threads at work are behind a lock in one sample that others hardly keep work going."""
    return bool(others) and lock.share >= limits["share"] and (_holder_waits(lock) or _holder_is_cut_off(lock))


def _holder_waits(lock: LockFacts) -> bool:
    """Whether the one who has a lock waits itself, for something that is no lock."""
    return lock.owner is not None and lock.owner_doing not in (None, *RULE.names("no_waits"))


def _holder_is_cut_off(lock: LockFacts) -> bool:
    """Whether a dump names the one who has a lock, and shows no line of it: somebody cut out those who wait."""
    return lock.owner is not None and lock.owner_doing is None and len(lock.waiters) >= LEAST_CUT_OUT


def _behind_a_wait(lock: LockFacts, others: list[str]) -> Draft:
    """What one sample shows of a lock: few threads, and for how long nobody knows."""
    known = {"holder": lock.owner, "frame": lock.owner_frame, "taken_at": lock.taken_at}
    return RULE.case(
        "holder-waits",
        lock,
        subject=Subject(thread=lock.owner),
        evidence={
            "threads": tuple(others),
            "thread_count": len(others),
            **{name: value for name, value in known.items() if value is not None},
        },
        words={
            "holder": lock.owner,
            "holder_acts": standstill.acts(f"{lock.owner_doing} at {lock.owner_frame}")
            if lock.owner_doing and lock.owner_frame
            else None,
            "shown": lock.owner_doing is not None,
            "taken_in": standstill.method_shown(lock.taken_at),
            "inferred": lock.inferred,
        },
        weight=float(len(others)),
    )


def _only_grows(waiting: tuple[int, ...]) -> bool:
    return bool(waiting) and waiting[0] > 0 and all(one <= other for one, other in pairwise(waiting))


def _worst_of_one_sample(still: Standstill) -> Severity:
    """A crowd before a holder that waits itself is a fault whenever it happens."""
    doing = (still.holder_does or "").partition(" at ")[0]
    waits = (*RULE.names("remote_waits"), "park", "file-write", "pipe-read", "pipe-write")
    return Severity.WARNING if doing in waits else Severity.INFO


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


@RULE.recordings
def in_recordings(recording: Recording, limits: Limits) -> Findings:
    """One finding for each lock for which the threads of a group wait most of their time."""
    for budget in recording.budgets:
        locks = [lock for lock in recording.locks if budget.group in lock.groups]
        if not locks or not budget.wall_ms or recording.seconds < limits["min_seconds"]:
            continue
        lock = locks[0]
        share = budget.lock_ms / budget.wall_ms
        if share < limits["share"] or lock.threads < min(limits["waiting"], budget.threads):
            continue
        yield RULE.case(
            "recorded",
            lock,
            recording=recording,
            subject=Subject(group=budget.group),
            evidence={
                "share": round(share, 4),
                "lock_class": lock.class_name,
                "thread_count": lock.threads,
                "pool_size": budget.threads,
            },
            words={
                "lock": RULE.word("lock_of_class", lock_class=lock.class_name)
                if lock.class_name
                else RULE.word("some_lock"),
                "frame_place": standstill.frame_shown(lock.frame),
                "calls": _calls_inside(recording, budget.group),
            },
            weight=float(lock.threads),
        )


def _calls_inside(recording: Recording, group: str) -> Text | None:
    """The remote calls that threads of the group made meanwhile: most likely what the holder does."""
    calls = [one for one in recording.calls if group in one.groups and one.host is not None]
    if not calls:
        return None
    call = calls[0]
    return RULE.word("calls", host=call.host, port=call.port, calls=call.calls, p50_ms=call.p50_ms)
