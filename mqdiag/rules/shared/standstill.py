"""What the rules about threads that make no progress share: severity, subject, title, evidence and explanation."""

from __future__ import annotations

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.stacks import Standstill
from mqdiag.findings import Confidence, EvidenceValue, Severity, Subject
from mqdiag.rules.registry import Draft, Limits
from mqdiag.text import NOTHING, Text, say

LIMITS = {"min_samples": 3.0, "min_seconds": 5.0}
"""fewer samples, or less time between first and last, make an error a warning"""
STANDSTILL_RULES = ("stuck-consumer-thread", "stuck-socket-read", "stuck-wait", "lock-convoy", "deadlock")
"""rules that find threads which make no progress: what they find explains what a group suffers"""
OWN_ROLES = frozenset({"consume-worker", "client-callback", "broker-send"})
NO_CPU_MS = 1.0
"""below this growth of CPU time a thread has done nothing but be sampled"""


def example(standstill: Standstill) -> Facts:
    """Facts of a series with one standstill."""
    return Facts(
        stacks=StacksFacts(samples=5, seconds=10.4, judged=True, has_cpu=True, standstills=(standstill,))
    )


def severity(standstill: Standstill, limits: Limits, worst: Severity = Severity.ERROR) -> Severity:
    """An error when it was seen often and for a known time, in threads that consume or that consumers wait for."""
    if worst == Severity.INFO:
        return worst
    if standstill.samples < limits["min_samples"] or standstill.confidence == "low":
        return Severity.WARNING
    if standstill.seconds is None or standstill.seconds < limits["min_seconds"]:
        # samples without times may have been taken at one moment
        return Severity.WARNING
    if standstill.group is None and standstill.serves is None and standstill.role not in OWN_ROLES:
        return Severity.WARNING
    return worst


def subject(standstill: Standstill) -> Subject:
    """The group, or the pool where there is none."""
    group = standstill.group or standstill.serves or None
    if standstill.role == "consume-worker" and group is not None:
        return Subject(group=group)
    return Subject(group=group, thread=standstill.pool or standstill.threads[0])


def who(standstill: Standstill) -> Text:
    """The subject of a title, such as "All 20 consume threads of group CID_x" or "3 of 10 threads of pool order"."""
    count, size = len(standstill.threads), standstill.pool_size
    threads = _threads(standstill)
    if count == size and count > 1:
        return say("All {pool_size:count} {threads}", pool_size=size, threads=threads)
    if size > count:
        return say(
            "{thread_count:count} of {pool_size:count} {threads}",
            thread_count=count,
            pool_size=size,
            threads=threads,
        )
    if count == 1 and standstill.pool is None and standstill.role != "consume-worker":
        return say("Thread {thread}", thread=standstill.threads[0])
    return say("{thread_count:count} {threads}", thread_count=count, threads=threads)


def _threads(standstill: Standstill) -> Text:
    number = max(len(standstill.threads), standstill.pool_size)
    if standstill.role == "consume-worker":
        if standstill.group:
            return say(
                "consume {number:thread|threads} of group {group}", number=number, group=standstill.group
            )
        return say("consume {number:thread|threads}", number=number)
    if standstill.group:
        return say("{number:thread|threads} of group {group}", number=number, group=standstill.group)
    if standstill.pool:
        return say("{number:thread|threads} of pool {pool}", number=number, pool=standstill.pool)
    return say("{number:thread|threads}", number=number)


def short_frame(frame: str | None) -> Text:
    """A frame without its package, as Java prints it: "InventoryClient.reserve(InventoryClient.java:48)"."""
    if not frame:
        return say("code without a frame of its own")
    method, bracket, place = frame.partition("(")
    return Text("{frame}", {"frame": ".".join(method.split(".")[-2:]) + bracket + place})


def evidence(standstill: Standstill) -> dict[str, EvidenceValue]:
    """The numbers that every standstill has."""
    values: dict[str, EvidenceValue] = {
        "threads": standstill.threads,
        "thread_count": len(standstill.threads),
        "frame": standstill.frame,
        "samples": standstill.samples,
        "listener": standstill.listener,
        "wait": standstill.wait,
        "pool_size": standstill.pool_size,
        "seconds": standstill.seconds,
        "cpu_growth_ms": standstill.cpu_growth_ms,
        "held_up": standstill.held_up,
    }
    if standstill.library is not None:
        values["library"] = standstill.library
    if standstill.holder is not None:
        values["holder"] = standstill.holder
        values["holder_does"] = standstill.holder_does
    if standstill.lock_class is not None:
        values["lock_class"] = standstill.lock_class
    return values


def explanation(standstill: Standstill, seen: Text | None = None) -> tuple[Text, ...]:
    """The evidence in sentences; `seen` says what the samples show where the threads are in different calls."""
    lines = [_samples(standstill, seen)]
    if standstill.held_up:
        lines.append(
            say(
                "{held_up:count} other {held_up:thread waits|threads wait} for a lock that"
                " {thread_count:it holds|they hold}."
            )
        )
    if standstill.wait and standstill.library:
        lines.append(say("The top frame is {wait}, in {library}."))
    elif standstill.wait:
        lines.append(say("The top frame is {wait}."))
    if standstill.frame:
        lines.append(say("The waiting code is {frame}."))
    if standstill.listener and standstill.listener != standstill.frame:
        lines.append(say("The listener is {listener}."))
    if standstill.serves and not standstill.held_up:
        lines.append(
            say("Consume threads of group {serves} wait for this pool.", serves=standstill.serves)
            if standstill.pool
            else say("Consume threads of group {serves} wait for this thread.", serves=standstill.serves)
        )
    return tuple(lines)


def _samples(standstill: Standstill, seen: Text | None) -> Text:
    """In how many samples, over which time, with how much CPU time."""
    if standstill.samples == 1:
        return say("One sample shows all of them at the same place; more samples would tell for how long.")
    if seen is None and standstill.seconds is None:
        seen = say(
            "{samples:count} {samples:sample shows|samples show} {thread_count:the thread|each thread} in the same call"
        )
    elif seen is None:
        seen = say(
            "{samples:count} {samples:sample|samples} over {seconds:seconds} show"
            " {thread_count:the thread|each thread} in the same call"
        )
    if standstill.cpu_growth_ms is None:
        return say("{seen}; the dumps hold no CPU time.", seen=seen)
    if standstill.cpu_growth_ms < NO_CPU_MS:
        return say("{seen}, using no CPU.", seen=seen)
    return say("{seen}; its CPU time grew by {cpu_growth_ms:ms} at most.", seen=seen)


def draft(
    standstill: Standstill,
    limits: Limits,
    *,
    title: Text,
    seen: Text | None = None,
    cause: str | None = None,
    more: tuple[Text, ...] = (),
    more_remedy: tuple[Text, ...] = (),
    worst: Severity = Severity.ERROR,
) -> Draft:
    """A finding of a standstill."""
    return Draft(
        severity=severity(standstill, limits, worst),
        cause=cause or standstill.cause,
        confidence=Confidence(standstill.confidence),
        confidence_reason=NOTHING if standstill.confidence == "high" else standstill.reason,
        title=title,
        subject=subject(standstill),
        evidence=evidence(standstill),
        explanation=(*explanation(standstill, seen), *more),
        remedy=(*standstill.remedy, *more_remedy),
        weight=float(len(standstill.threads)),
    )
