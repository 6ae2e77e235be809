"""What the rules about threads that make no progress share: severity, subject, evidence and explanation.

Cases of these rules have `who` and the short `frame` for their titles, the lines `samples` and `details` for their
explanation, and `remedy`, which comes from the analysis of threads.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import structs

from mqdiag.facts.recordings import Recording
from mqdiag.facts.stacks import StacksFacts, Standstill
from mqdiag.findings import Confidence, EvidenceValue, Severity, Subject
from mqdiag.knowledge.words import Words
from mqdiag.rules.draft import Draft, Limits
from mqdiag.rules.shared.peers import Peers, lines
from mqdiag.rules.shared.peers import evidence as peer_evidence
from mqdiag.text import NOTHING, Text, Value
from mqdiag.time_ranges import between

if TYPE_CHECKING:
    from mqdiag.rules.rule import Rule

OWN_ROLES = frozenset({"consume-worker", "client-callback", "broker-send"})
MOST_OF_POOL = 0.5
"""share of the threads of a pool from which it can hardly do what it is for"""
NO_CPU_MS = 1.0
"""below this growth of CPU time a thread has done nothing but be sampled"""
HANGS_OR_SLOW = "hangs-or-slow"
"""the cause where nothing tells a call that hangs from slow ones"""
WORDS = Words("standstill")


def case(
    rule: Rule,
    name: str,
    still: Standstill,
    limits: Limits,
    *,
    worst: Severity | None = None,
    seen: Text | None = None,
    words: Mapping[str, Value] | None = None,
    given: Mapping[str, tuple[Text, ...]] | None = None,
    rows: Mapping[str, tuple[Mapping[str, Value], ...]] | None = None,
    cause: str | None = None,
    peers: Peers = (),
) -> Draft:
    """A finding of a standstill.

    Args:
        rule: that finds it.
        name: of the case on the rule's card.
        still: the standstill.
        limits: `min_samples` and `min_seconds`, below which an error is a warning.
        worst: the greatest severity; that of the card where not given.
        seen: what the samples show where the threads are in different calls.
        words: as in `Rule.case`.
        given: as in `Rule.case`; in place of the usual ones where they have the same names.
        rows: as in `Rule.case`.
        cause: where it is not that of the standstill.
        peers: whom the threads wait for, by a heap dump.
    """
    samples, *details = explanation(still, seen)
    return rule.case(
        name,
        subject=subject(still),
        evidence={**evidence(still), **peer_evidence(peers)},
        words={
            "who": who(still),
            "frame": short_frame(still.frame),
            "holder_acts": acts(still.holder_does),
            "peer_known": bool(peers) or still.kind != "socket-read",
            **(words or {}),
        },
        given={
            "samples": (samples,),
            "details": tuple(details),
            "waiting_code": (WORDS.say("waiting_code"),),
            "remedy": still.remedy,
            "peers": lines(peers),
            **(given or {}),
        },
        rows=rows,
        severity=severity(still, limits, worst or rule.texts.case[name].severity),
        confidence=Confidence(still.confidence),
        because=NOTHING if still.confidence == "high" else still.reason,
        cause=cause or still.cause,
        weight=float(len(still.threads)),
    )


def undecided_case(
    rule: Rule,
    name: str,
    still: Standstill,
    limits: Limits,
    *,
    worst: Severity = Severity.WARNING,
    words: Mapping[str, Value] | None = None,
    cause: str = HANGS_OR_SLOW,
    peers: Peers = (),
) -> Draft:
    """A finding of threads that hang or are slow: all samples show them in one call, and nothing tells which.

    Arguments as for `case`.
    """
    one = {"one_sample": still.samples == 1, **(words or {})}
    found = case(rule, name, still, limits, worst=worst, words=one, cause=cause, peers=peers)
    reason = WORDS.say("one_sample_is_open" if still.samples == 1 else "hangs_or_slow_is_open")
    return structs.replace(found, confidence=Confidence.MEDIUM, confidence_reason=reason)


def recorded_case(
    rule: Rule,
    name: str,
    still: Standstill,
    limits: Limits,
    recording: Recording,
    words: Mapping[str, Value] | None = None,
) -> Draft:
    """A finding of a wait that a recording shows and whose end no event of it tells; arguments as for `case`."""
    began = "began_between" if still.began_after else "began_before"
    samples = (WORDS.say("no_end_recorded"), WORDS.say(began))
    found = case(
        rule,
        name,
        still,
        limits,
        words=words,
        given={"samples": samples},
    )
    return structs.replace(
        found,
        when=between(still.began_before, recording.ended_at),
        rests_on=(recording.path,),
    )


def is_of_consumers(still: Standstill) -> bool:
    """Whether consume threads, or threads that they wait for, are meant; callbacks have a rule of their own."""
    return still.role != "client-callback" and (
        still.group is not None or still.serves is not None or still.role in OWN_ROLES
    )


def is_most_of_pool(still: Standstill) -> bool:
    """Whether half or more of the threads of a pool are meant."""
    return len(still.threads) >= max(2, MOST_OF_POOL * still.pool_size)


def computes(stacks: StacksFacts, still: Standstill) -> bool:
    """Whether the threads run rather than wait."""
    return any(thread.doing == "running" for thread in stacks.threads if thread.name == still.threads[0])


def severity(standstill: Standstill, limits: Limits, worst: Severity = Severity.ERROR) -> Severity:
    """An error when it was seen often and for a known time, in consumers' threads or in most of a pool."""
    if worst == Severity.INFO:
        return worst
    if standstill.samples < limits["min_samples"] or standstill.confidence == "low":
        return Severity.WARNING
    if standstill.seconds is None or standstill.seconds < limits["min_seconds"]:
        # samples without times may have been taken at one moment
        return Severity.WARNING
    consumes = standstill.group is not None or standstill.serves is not None or standstill.role in OWN_ROLES
    return worst if consumes or is_most_of_pool(standstill) else Severity.WARNING


def subject(standstill: Standstill) -> Subject:
    """The group, or the pool where there is none."""
    group = standstill.group or standstill.serves or None
    if standstill.role == "consume-worker" and group is not None:
        return Subject(group=group)
    return Subject(group=group, thread=standstill.pool or standstill.threads[0])


def who(standstill: Standstill) -> Text:
    """The subject of a title, such as "All 20 consume threads of group CID_x" or "3 of 10 threads of pool order"."""
    count, size = len(standstill.threads), standstill.pool_size
    if count == 1 and size <= 1 and standstill.pool is None and standstill.role != "consume-worker":
        return WORDS.say("one_thread", thread=standstill.threads[0])
    of: dict[str, Value] = {}
    name = "threads_of_none"
    if standstill.group:
        of["group"] = standstill.group
        name = "consume_threads_of_group" if standstill.role == "consume-worker" else "threads_of_group"
    elif standstill.role == "consume-worker":
        name = "consume_threads"
    elif standstill.pool:
        of["pool"] = standstill.pool
        name = "threads_of_pool"
    # One template each: in some languages the numbers stand in the middle of it.
    if count == size and count > 1:
        return WORDS.say(f"all_{name}", pool_size=size, **of)
    if size > count:
        return WORDS.say(f"some_{name}", thread_count=count, pool_size=size, **of)
    return WORDS.say(name, thread_count=count, **of)


def short_frame(frame: str | None) -> Text:
    """A frame without its package, as Java prints it: "InventoryClient.reserve(InventoryClient.java:48)"."""
    if not frame:
        return WORDS.say("no_frame")
    method, bracket, place = frame.partition("(")
    return Text("{frame}", {"frame": ".".join(method.split(".")[-2:]) + bracket + place})


def frame_shown(frame: str | None) -> Text | None:
    """The same; None for a frame that is not known."""
    return short_frame(frame) if frame else None


def acts(does: str | None) -> Text | None:
    """What a thread does, from "kind at frame", as in "reads from a socket at Orders.place(Orders.java:30)"."""
    kind, at, place = (does or "").partition(" at ")
    return WORDS.say(f"does_{kind}", place=short_frame(place)) if at else None


def method_shown(frame: str | None) -> Text | None:
    """The method of a frame that holds a lock: its line is where the frame is now, not where it took the lock."""
    return frame_shown((frame or "").partition("(")[0])


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
    if standstill.began_before is not None:
        values |= {"began_after": standstill.began_after, "began_before": standstill.began_before}
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
        lines.append(WORDS.say("held_up"))
    if standstill.wait:
        lines.append(WORDS.say("top_frame_in_library" if standstill.library else "top_frame"))
    if standstill.frame:
        lines.append(WORDS.say("waiting_code"))
    if standstill.listener and standstill.listener != standstill.frame:
        lines.append(WORDS.say("listener"))
    if standstill.serves and not standstill.held_up:
        name = "pool_serves" if standstill.pool else "thread_serves"
        lines.append(WORDS.say(name, serves=standstill.serves))
    return tuple(lines)


def _samples(standstill: Standstill, seen: Text | None) -> Text:
    """In how many samples, over which time, with how much CPU time."""
    if standstill.samples == 1:
        return WORDS.say("one_sample")
    if seen is None:
        seen = WORDS.say("same_call" if standstill.seconds is None else "same_call_for")
    if standstill.cpu_growth_ms is None:
        return WORDS.say("no_cpu_time", seen=seen)
    return WORDS.say("no_cpu" if standstill.cpu_growth_ms < NO_CPU_MS else "some_cpu", seen=seen)
