"""Threads that consume no messages hang in one call."""

from __future__ import annotations

from collections import Counter

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.logs import LogsFacts
from mqdiag.facts.stacks import Standstill, ThreadFacts
from mqdiag.facts.thread_pools import CommonPlace
from mqdiag.findings import Severity, Subject
from mqdiag.log_events import events
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared import standstill
from mqdiag.rules.shared.peers import peers_of

ROLES = frozenset({"pool", "other", "virtual", "jvm"})
"""threads of no component of RocketMQ, and the JVM's own that runs finalizers; those of servers have their own rules"""
STANDS = ("stuck", "blocked")
KINDS = ("socket-read", "wait")
FINALIZER = "Finalizer"

RULE = Rule("threads-stuck")


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Findings:
    """One finding for each pool and cause."""
    stacks = facts.stacks
    assert stacks is not None
    told = {still.pool or still.threads[0] for still in stacks.standstills}
    for still in stacks.standstills:
        if _is_meant(still) and still.decided:
            peers = peers_of(facts.heap, still.threads)
            yield standstill.case(
                RULE, _case(still), still, limits, words={"library": still.library}, peers=peers
            )
    for still in stacks.same_calls:
        if _is_meant(still) and not standstill.computes(stacks, still):
            worst = Severity.WARNING if still.in_turn or standstill.is_most_of_pool(still) else Severity.INFO
            words = {"library": still.library}
            peers = peers_of(facts.heap, still.threads)
            yield standstill.undecided_case(
                RULE, "hangs-or-slow", still, limits, worst=worst, words=words, peers=peers
            )
    yield from _named(stacks)
    yield from _finalizers(stacks)
    loops = {loop.thread for loop in stacks.blocked_loops}
    by_name = {thread.name: thread for thread in stacks.threads}
    for place in stacks.common_places:
        if place.pool in told or place.role not in ROLES:
            continue
        if stacks.samples == 1 and _takes_whole_pool(stacks, place, limits["whole_pool"]):
            still = _standstill(stacks, place, [by_name[name] for name in place.threads])
            words = {"library": still.library}
            yield standstill.undecided_case(RULE, "no-thread-is-free", still, limits, words=words)
            continue
        if stacks.samples == 1 and _takes_most_of_pool(place, limits["crowd"]):
            still = _standstill(stacks, place, [by_name[name] for name in place.threads])
            words = {"library": still.library}
            yield standstill.undecided_case(
                RULE, "most-in-one-call", still, limits, worst=Severity.INFO, words=words
            )
            continue
        if place.kind != "wait":
            continue
        stuck = [by_name[name] for name in place.threads if by_name[name].state in STANDS and name not in loops]
        # what runs in a task and uses no processor time waits inside of native code; a loop uses it
        in_native = place.doing == "running" and place.in_tasks
        if in_native:
            stuck = [
                one
                for one in stuck
                if one.cpu_growth_ms is not None and one.cpu_growth_ms < standstill.NO_CPU_MS
            ]
        waits = (
            in_native or place.doing in RULE.names("never_a_rest") or (place.needs_others and place.in_tasks)
        )
        if waits and len(stuck) >= max(2, limits["share"] * place.pool_size):
            still = _standstill(stacks, place, stuck)
            worst = Severity.ERROR if place.cause == "blocked-log-sink" else Severity.WARNING
            words = {"library": still.library}
            name = "native-call" if in_native else _case(still)
            yield standstill.case(RULE, name, still, limits, worst=worst, words=words)
        elif not place.moving and _takes_whole_pool(stacks, place, limits["whole_pool"]):
            still = _standstill(stacks, place, [by_name[name] for name in place.threads])
            words = {"library": still.library}
            yield standstill.undecided_case(RULE, "hangs-or-slow", still, limits, words=words)


def _finalizers(stacks: StacksFacts) -> Findings:
    """One finding: in the one dump that is there, the thread that runs finalizers waits to be let in, or for others."""
    waits = (*RULE.names("never_a_rest"), *RULE.names("told_elsewhere"), "socket-read", "latch")
    for one in stacks.threads if stacks.samples == 1 else ():
        if one.name == FINALIZER and one.frame is not None and one.doing in waits and one.state == "unknown":
            yield RULE.case(
                "finalizer-waits",
                subject=Subject(thread=one.name),
                evidence={"threads": (one.name,), "thread_count": 1, "frame": one.frame},
                words={"frame": standstill.short_frame(one.frame)},
            )


def _named(stacks: StacksFacts) -> Findings:
    """One finding: a server writes into the names of its threads that they are in one request for too long."""
    signs = tuple(RULE.names("called_stuck"))
    stuck = [
        one for one in stacks.threads if one.state not in ("idle", "progressing") and one.name.startswith(signs)
    ]
    if not stuck:
        return
    (frame, library), _ = Counter((one.frame, one.library) for one in stuck).most_common(1)[0]
    pools = {one.pool for one in stuck}
    remote = next((one.remote for one in stuck if one.frame == frame and one.remote is not None), None)
    yield RULE.case(
        "called-stuck",
        subject=Subject(thread=stuck[0].pool if len(pools) == 1 else None),
        evidence={
            "threads": tuple(one.name for one in stuck),
            "thread_count": len(stuck),
            "frame": frame,
            "library": library,
        },
        words={"frame": standstill.short_frame(frame)},
        cause=remote or "missing-timeout",
        weight=float(len(stuck)),
    )


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding: a program that watches its threads says for how long one has been in the same task."""
    found = events(logs, "thread-blocked")
    longest_ms = max((event.values["longest_blocked_ms"] for event in found), default=0)
    if longest_ms < limits["blocked_seconds"] * 1000:
        return
    names = dict.fromkeys(row.thread for event in found for row in event.subjects if row.thread)
    yield RULE.case(
        "watched-by-vertx",
        events=found,
        subject=Subject(thread=next(iter(names)) if len(names) == 1 else None),
        evidence={"threads": tuple(names), "thread_count": len(names), "seconds": longest_ms / 1000},
    )


def _is_meant(still: Standstill) -> bool:
    return still.kind in KINDS and still.role in ROLES and not standstill.is_of_consumers(still)


def _takes_whole_pool(stacks: StacksFacts, place: CommonPlace, least: float) -> bool:
    """Whether all threads of a pool are at the same place in their tasks, in a wait that a task should not need.

    One of its threads may take connections and events in for the others, as one of Jetty's does: it runs no task.
    """
    there = set(place.threads)
    return (
        place.in_tasks
        and len(there) >= least
        and (place.needs_others or place.doing in (*RULE.names("never_a_rest"), *RULE.names("holds_up_a_task")))
        and (
            len(there) == place.pool_size
            or all(
                one.doing in RULE.names("takes_in")
                for one in stacks.threads
                if one.pool == place.pool and one.name not in there
            )
        )
    )


def _takes_most_of_pool(place: CommonPlace, least: float) -> bool:
    """Whether many tasks of a pool, and at least half of its threads, are at one place that is no wait to be let in."""
    return place.in_tasks and len(place.threads) >= least and place.doing not in RULE.names("told_elsewhere")


def _case(still: Standstill) -> str:
    if still.cause == "blocked-log-sink":
        return "blocked-log-sink"
    return "network-call" if still.kind == "socket-read" else "missing-timeout"


def _standstill(stacks: StacksFacts, place: CommonPlace, stuck: list[ThreadFacts]) -> Standstill:
    """Threads of a pool that wait in one place: each is known to make no progress."""
    levels = {thread.confidence for thread in stuck}
    growths_ms = [thread.cpu_growth_ms for thread in stuck if thread.cpu_growth_ms is not None]
    return Standstill(
        kind=place.kind,
        cause=place.cause,
        library=place.library,
        threads=tuple(thread.name for thread in stuck),
        role=place.role,
        pool=place.pool,
        pool_size=place.pool_size,
        frame=place.frame,
        wait=place.top,
        samples=len(place.at_place),
        seconds=stacks.seconds,
        cpu_growth_ms=max(growths_ms, default=None),
        confidence="high" if levels == {"high"} else "low" if "low" in levels else "medium",
        reason=stuck[0].reason,
        remedy=place.remedy,
        held_up=place.held_up,
    )
