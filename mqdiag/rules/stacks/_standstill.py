"""What the rules about standing threads share: severity, wording, evidence. No rule of its own."""

from __future__ import annotations

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.stacks import Standstill
from mqdiag.findings import Confidence, EvidenceValue, Severity, Subject
from mqdiag.rules.registry import Draft, Limits
from mqdiag.text import NOTHING, say

LIMITS = {"min_samples": 3.0, "min_seconds": 5.0}
"""fewer samples, or less time between first and last, make an error a warning"""
ARTICLE = "java.net.Socket.setSoTimeout: 0, the default, waits for ever"


def example(standstill: Standstill) -> Facts:
    """Facts of a series with one standstill."""
    return Facts(
        stacks=StacksFacts(samples=5, seconds=10.4, judged=True, has_cpu=True, standstills=(standstill,))
    )


def severity(standstill: Standstill, limits: Limits, worst: Severity = Severity.ERROR) -> Severity:
    """An error when it was seen often and long enough, in threads that consume or that consumers wait for."""
    if standstill.samples < limits["min_samples"] or standstill.confidence == "low":
        return Severity.WARNING
    if standstill.seconds is not None and standstill.seconds < limits["min_seconds"]:
        return Severity.WARNING
    if standstill.group is None and standstill.serves is None and standstill.role not in OWN_ROLES:
        return Severity.WARNING
    return worst


OWN_ROLES = frozenset({"consume-worker", "client-callback", "broker-send"})


def subject(standstill: Standstill) -> Subject:
    """The group, or the pool where there is none."""
    group = standstill.group or standstill.serves or None
    if standstill.role == "consume-worker" and group is not None:
        return Subject(group=group)
    return Subject(group=group, thread=standstill.pool or standstill.threads[0])


def who(standstill: Standstill) -> str:
    """Subject of a title: "All 20 consume threads of group CID_x", "3 of 10 threads of the pool order"."""
    count, size = len(standstill.threads), standstill.pool_size
    consuming = standstill.role == "consume-worker"
    owner = say(" of group {group}", group=standstill.group) if standstill.group else ""
    if not owner and standstill.pool and not consuming:
        owner = say(" of the pool {pool}", pool=standstill.pool)
    if count == size and count > 1:
        return say("All {threads}{owner}", threads=_threads(count, consuming=consuming), owner=owner)
    if size > count:
        threads = _threads(size, consuming=consuming)
        return say("{count} of {threads}{owner}", count=count, threads=threads, owner=owner)
    return f"{_threads(count, consuming=consuming)}{owner}"


def _threads(number: int, *, consuming: bool) -> Text:
    if consuming:
        return say("{number:count} consume {number:thread|threads}", number=number)
    return say("{number:count} {number:thread|threads}", number=number)


def verb(standstill: Standstill, one: str, many: str) -> str:
    """The verb's form for the number of threads."""
    return say(one if len(standstill.threads) == 1 and standstill.pool_size == 1 else many)


def plain(frame: str | None) -> str:
    """A frame short enough for a title: "InventoryClient.reserve (line 48)"."""
    if not frame:
        return say("code without a frame of its own")
    method, _, place = frame.partition("(")
    parts = method.split(".")
    line = place.rstrip(")").rpartition(":")[2]
    name = ".".join(parts[-2:])
    return say("{name} (line {line})", name=name, line=line) if line.isdigit() else name


def evidence(standstill: Standstill) -> dict[str, EvidenceValue]:
    """The numbers that every standstill has."""
    values: dict[str, EvidenceValue] = {
        "threads": standstill.threads,
        "frame": standstill.frame,
        "samples": standstill.samples,
        "listener": standstill.listener,
        "wait": standstill.wait,
        "pool_size": standstill.pool_size,
        "seconds": standstill.seconds,
        "cpu_growth_ms": standstill.cpu_growth_ms,
    }
    if standstill.library is not None:
        values["library"] = standstill.library
    if standstill.holder is not None:
        values["holder"] = standstill.holder
        values["holder_does"] = standstill.holder_does
    if standstill.lock_class is not None:
        values["lock_class"] = standstill.lock_class
    return values


def explanation(standstill: Standstill) -> tuple[str, ...]:
    """The evidence in sentences."""
    lines = []
    time = "" if standstill.seconds is None else say(" over {seconds:decimal} s", seconds=standstill.seconds)
    cpu = (
        say("; the dumps hold no CPU time")
        if standstill.cpu_growth_ms is None
        else say(
            "; CPU time grew by {cpu_growth_ms:decimal} ms at most", cpu_growth_ms=standstill.cpu_growth_ms
        )
    )
    lines.append(
        say(
            "Each is at the same work in at least {samples} samples{time}{cpu}.",
            samples=standstill.samples,
            time=time,
            cpu=cpu,
        )
    )
    if standstill.wait:
        through = say(", in {library}", library=standstill.library) if standstill.library else ""
        lines.append(say("Top frame {wait}{through}.", wait=standstill.wait, through=through))
    if standstill.frame:
        lines.append(say("The code that waits: {frame}.", frame=standstill.frame))
    if standstill.listener and standstill.listener != standstill.frame:
        lines.append(say("The listener: {listener}.", listener=standstill.listener))
    if standstill.serves:
        lines.append(say("Consume threads of group {serves} wait for this pool.", serves=standstill.serves))
    return tuple(lines)


def draft(
    standstill: Standstill,
    limits: Limits,
    *,
    title: str,
    cause: str | None = None,
    more: tuple[str, ...] = (),
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
        explanation=(*explanation(standstill), *more),
        remedy=standstill.remedy,
        weight=float(len(standstill.threads)),
    )
