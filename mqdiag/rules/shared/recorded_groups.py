"""Consume groups of a recording whose threads are never free, and where their time goes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from mqdiag.facts import Facts
from mqdiag.facts.recordings import RecordedCalls, Recording, ThreadBudget
from mqdiag.findings import EvidenceValue, Subject
from mqdiag.knowledge.words import Words
from mqdiag.rules.draft import Draft
from mqdiag.rules.shared.standstill import short_frame
from mqdiag.text import NOTHING, Text, Value
from mqdiag.time_ranges import between

if TYPE_CHECKING:
    from mqdiag.rules.rule import Rule

MOST_UNKNOWN = 0.5
"""share of the time from which a budget says too little"""
MOST_PAUSES = 0.3
"""share of the time in which all threads stood still: then they were not at work"""
LEAST_SECONDS = 5.0
MOSTLY = 0.5
"""share of the time that is not idle which waits took that ended"""
WORDS = Words("recorded_groups")


def busy_groups(recording: Recording, share: float) -> Iterator[ThreadBudget]:
    """Groups whose threads waited for messages for less than the rest of this share, and do not hang."""
    hang = {still.group for still in recording.standstills}
    paused = 0.0 if recording.collections is None else recording.collections.pause_share
    if recording.seconds < LEAST_SECONDS or paused >= MOST_PAUSES:
        return
    for budget in recording.budgets:
        known = budget.wall_ms and budget.unknown_ms / budget.wall_ms < MOST_UNKNOWN
        if known and budget.busy_share >= share and budget.group not in hang:
            yield budget


def ends_its_calls(facts: Facts, group: str | None) -> bool:
    """Whether a recording shows that the threads of a group come to the end of what thread dumps see them in."""
    recordings = () if facts.recordings is None else facts.recordings.recordings
    for recording in recordings:
        if any(still.group == group for still in recording.standstills):
            return False
        for budget in recording.budgets:
            if budget.group == group and budget.ended_ms >= MOSTLY * (budget.wall_ms - budget.idle_ms) > 0:
                return True
    return False


def busy_group_case(
    rule: Rule,
    recording: Recording,
    budget: ThreadBudget,
    words: Mapping[str, Value] | None = None,
    given: Mapping[str, tuple[Text, ...]] | None = None,
) -> Draft:
    """A finding on a busy group: the case "recorded" of the rule's card.

    Args:
        rule: that finds it.
        recording: of the group.
        budget: of the group.
        words, given: as in `Rule.case`; the case has the short `frame` and what the threads are `doing`, and the lines
            `seen`.
    """
    evidence: dict[str, EvidenceValue] = {
        "path": recording.path,
        "pool_size": budget.threads,
        "busy_share": round(budget.busy_share, 4),
        "idle_share": round(1 - budget.busy_share, 4),
        "frame": budget.frame,
        "frame_share": budget.frame_share,
        "doing": budget.doing,
        "seconds": recording.seconds,
    }
    call = _largest_call(recording, budget)
    if call is not None:
        evidence |= {"peer_calls": call.calls, "p50_ms": call.p50_ms, "p99_ms": call.p99_ms}
    return rule.case(
        "recorded",
        subject=Subject(group=budget.group),
        evidence=evidence,
        words={
            "frame": short_frame(budget.frame) if budget.frame else NOTHING,
            "doing": Text(budget.doing) if budget.doing else NOTHING,
            **(words or {}),
        },
        given={"seen": tuple(_seen(budget, call)), **(given or {})},
        rests_on=(recording.path,),
        when=between(recording.began_at, recording.ended_at),
        weight=float(budget.threads),
    )


def _largest_call(recording: Recording, budget: ThreadBudget) -> RecordedCalls | None:
    """The peer with most time of the group, where calls are most of what its threads do."""
    if budget.socket_ms < 0.5 * (budget.wall_ms - budget.idle_ms):
        return None
    return next((one for one in recording.calls if budget.group in one.groups and one.host is not None), None)


def _seen(budget: ThreadBudget, call: RecordedCalls | None) -> Iterator[Text]:
    yield WORDS.say("parts", parts=tuple(_parts(budget)))
    if budget.frame and budget.frame_share:
        yield WORDS.say("frame", share=budget.frame_share, frame=short_frame(budget.frame))
    if call is not None:
        yield WORDS.say(
            "peer", calls=call.calls, host=call.host, port=call.port, p50_ms=call.p50_ms, p99_ms=call.p99_ms
        )


def _parts(budget: ThreadBudget) -> Iterator[Text]:
    """Where the time went, the largest part first."""
    parts = {
        "idle": budget.idle_ms,
        "running": budget.running_ms,
        "native": budget.native_ms,
        "socket": budget.socket_ms,
        "file": budget.file_ms,
        "lock": budget.lock_ms,
        "park": budget.park_ms,
        "sleep": budget.sleep_ms,
        "unknown": budget.unknown_ms,
    }
    for name, took in sorted(parts.items(), key=lambda part: -part[1]):
        share = took / budget.wall_ms
        if share >= 0.005:
            yield WORDS.say(f"part_{name}", share=share)
