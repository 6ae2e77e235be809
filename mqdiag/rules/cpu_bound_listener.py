"""The listener computes and does not end."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.heap_threads import HeapThread, MessageInHand
from mqdiag.facts.profiles import Profile
from mqdiag.facts.recordings import Recording
from mqdiag.facts.stacks import Standstill
from mqdiag.findings import Confidence, EvidenceValue, Severity
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.rules.shared import standstill
from mqdiag.rules.shared.sampled_groups import sampled_group_case, sampled_groups
from mqdiag.text import Value

MOST_SHOWN = 5
"""messages that the report names"""

RULE = Rule("cpu-bound-listener")


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Findings:
    """One finding for each pool; where the samples do not tell a loop from work, it is a note that undecides."""
    stacks = facts.stacks
    assert stacks is not None
    for still in stacks.standstills:
        if still.kind == "cpu":
            hands = _one_message_each(still, stacks, facts, limits)
            if hands:
                yield _poison(still, hands, limits)
            else:
                yield standstill.case(RULE, "busy-loop" if still.decided else "loop-or-work", still, limits)
    for still in stacks.same_calls:
        if still.kind == "wait" and still.role == "consume-worker" and standstill.computes(stacks, still):
            # a pool without a free thread in any sample is a fault, whichever of the two it is
            if len(still.threads) == still.pool_size:
                yield standstill.undecided_case(RULE, "all-seen-running", still, limits)
            else:
                yield standstill.undecided_case(
                    RULE, "seen-running", still, limits, worst=Severity.INFO, cause="busy-loop"
                )


@RULE.recordings
def in_recordings(recording: Recording, limits: Limits) -> Findings:
    """One finding for each pool of threads that compute at one place, end no call and make no objects."""
    for still in recording.standstills:
        if still.kind == "cpu":
            yield standstill.recorded_case(RULE, "busy-loop", still, limits, recording)


@RULE.profiles
def in_profiles(profile: Profile, limits: Limits) -> Findings:
    """One note for each group whose threads ran at one place in most samples; no profile tells a loop from work.

    Where running threads alone were sampled, a group that hardly works looks the same: it must have most of
    the samples.
    """
    for group in sampled_groups(profile):
        of = group.samples if profile.by_wall else profile.samples
        at_frame = group.running * (group.frame_share or 0.0)
        if group.doing == "running" and at_frame >= limits["sampled_share"] * of:
            yield sampled_group_case(
                RULE, "profiled" if profile.by_wall else "profiled-running", profile, group, cause="busy-loop"
            )


def _one_message_each(
    still: Standstill, stacks: StacksFacts, facts: Facts, limits: Limits
) -> list[tuple[HeapThread, MessageInHand]]:
    """The threads with their messages, if each had one in hand for all samples and most of the pool had no such one.

    Where all of the pool computes for so long, messages are heavy and none of them is special.
    """
    if facts.heap is None or stacks.seconds is None or 2 * len(still.threads) > still.pool_size:
        return []
    least = max(limits["message_ms"], 1000 * stacks.seconds)
    hands = [
        (thread, thread.message)
        for thread in facts.heap.threads
        if thread.name in still.threads
        and thread.message is not None
        and thread.message.age_ms is not None
        and thread.message.age_ms >= least
    ]
    return hands if len(hands) == len(still.threads) else []


def _poison(still: Standstill, hands: list[tuple[HeapThread, MessageInHand]], limits: Limits) -> Draft:
    hands.sort(key=lambda one: (-(one[1].age_ms or 0), one[0].name))
    longest = hands[0][1].age_ms
    top = (still.wait or "").rpartition(".")[0]
    advice = next((name for start, name in RULE.meaning("computes").items() if top.startswith(start)), "any")
    found = standstill.case(
        RULE,
        "poison-message",
        still,
        limits,
        words={
            "longest_ms": longest,
            "computing_in": top.rpartition(".")[2] or None,
        },
        given={"advice": (RULE.word(advice),)},
        rows={"messages": tuple(_rows(hands))},
        cause="poison-message",
    )
    messages = [message for _, message in hands[:MOST_SHOWN]]
    evidence: dict[str, EvidenceValue] = {
        "longest_ms": longest,
        "keys": tuple(one.keys for one in messages if one.keys),
        "queue_ids": tuple(one.queue_id for one in messages if one.queue_id is not None),
        "offsets": tuple(one.offset for one in messages if one.offset is not None),
        "ages_ms": tuple(one.age_ms for one in messages if one.age_ms is not None),
    }
    return structs.replace(
        found,
        evidence={**found.evidence, **evidence},
        confidence=Confidence.HIGH,
        confidence_reason=RULE.word("told_by_heap"),
    )


def _rows(hands: list[tuple[HeapThread, MessageInHand]]) -> Iterator[dict[str, Value]]:
    for thread, message in hands[:MOST_SHOWN]:
        yield {
            "thread": thread.name,
            "topic": message.queue_topic or message.topic,
            "broker": message.broker,
            "queue_id": message.queue_id,
            "offset": message.offset,
            "keys": message.keys,
            "msg_id": message.msg_id,
            "age_ms": message.age_ms,
        }
