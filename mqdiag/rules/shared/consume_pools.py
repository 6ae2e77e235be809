"""Pools of consume threads that are not stuck: who owns one, and whether all of its threads are at work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from mqdiag.facts import StacksFacts
from mqdiag.facts.thread_pools import WorkerPool
from mqdiag.findings import Confidence, EvidenceValue, Subject
from mqdiag.knowledge.words import Words
from mqdiag.rules.draft import Draft
from mqdiag.rules.shared.standstill import short_frame
from mqdiag.text import NOTHING, Text, Value

if TYPE_CHECKING:
    from mqdiag.rules.rule import Rule

MOVING_SHARE = 0.5
"""share of the threads that must be seen to move"""
SAME_FRAME_SHARE = 0.9
"""share of the samples at one frame from which frames prove nothing about progress"""
LONG_S = 5.0
"""seconds after which a thread in one call would be told from one that is at something else"""
SURE_SAMPLES = 3
LOCKS = ("lock", "monitor")
"""what threads do that wait for each other"""
WORDS = Words("consume_pools")


def pool_subject(pool: WorkerPool) -> Subject:
    """The group, or the pool where there is none."""
    return Subject(group=pool.group, thread=None if pool.group else pool.pool)


def busy_pools(stacks: StacksFacts, share: float) -> Iterator[WorkerPool]:
    """Consume pools with at least this share of threads in the listener in every sample, and moving.

    Some threads may be undecided: calls that take as long as the series end in some of the threads only. Threads that
    move only because they give up waiting for a connection do no work. Without CPU times those count as moving that are
    undecided after a while, and not because all samples show them in one call.
    """
    told = Counter(still.pool for still in stacks.same_calls for _ in still.threads)
    long_enough = stacks.seconds is not None and stacks.seconds >= LONG_S
    failing = {waits.pool for waits in stacks.connection_waits}
    if not stacks.judged or stacks.samples < 2:
        return
    for pool in stacks.pools:
        size = len(pool.threads)
        if pool.role != "consume-worker" or not size or not pool.busy or pool.pool in failing:
            continue
        at_work = pool.progressing + pool.unknown
        by_frames = long_enough and not stacks.has_cpu and pool.progressing
        seem_to_move = pool.unknown - told[pool.pool] if by_frames else 0
        if (
            min(pool.busy) >= share * size
            and at_work >= share * size
            and pool.progressing + seem_to_move >= MOVING_SHARE * size
        ):
            yield pool


def remedy_of_wait(pool: WorkerPool) -> Text:
    """What helps where most samples found the threads in a wait that more threads cannot shorten; empty elsewhere."""
    frame = short_frame(pool.shared_frame)
    if pool.shared_doing in LOCKS:
        return WORDS.say("finer_lock", frame=frame)
    if pool.shared_doing == "dns":
        return WORDS.say("names_kept", frame=frame)
    if pool.shared_doing == "pool":
        return WORDS.say("larger_pool", frame=frame)
    if pool.shared_pause is not None:
        return WORDS.say("higher_rate", library=pool.shared_pause, frame=frame)
    return WORDS.say("no_sleep", frame=frame) if pool.shared_doing == "sleep" else NOTHING


def busy_pool_case(
    rule: Rule,
    name: str,
    pool: WorkerPool,
    wait: Text,
    words: Mapping[str, Value] | None = None,
    given: Mapping[str, tuple[Text, ...]] | None = None,
) -> Draft:
    """A finding on a busy pool.

    Args:
        rule: that finds it.
        name: of the case on the rule's card. It has the short `frame` and what the threads are `doing` for its title,
            the lines `seen` for its explanation, and `of_wait` for its actions, with the flag `waits`.
        pool: the pool.
        wait: what helps with the wait in which most samples found the threads; empty where that is none.
        words: as in `Rule.case`.
        given: as in `Rule.case`.
    """
    doubt = _doubt(pool)
    evidence: dict[str, EvidenceValue] = {
        "threads": pool.threads,
        "frame": pool.shared_frame,
        "samples": len(pool.busy),
        "busy": pool.busy,
        "pool_size": len(pool.threads),
        "moving": pool.progressing,
        "undecided": pool.unknown,
        "shared_share": pool.shared_share,
        "doing": pool.shared_doing,
    }
    return rule.case(
        name,
        subject=pool_subject(pool),
        evidence=evidence,
        words={
            "frame": short_frame(pool.shared_frame),
            "doing": Text(pool.shared_doing or ""),
            "waits": bool(wait),
            "waiting": round(pool.shared_share * len(pool.threads)),
            **(words or {}),
        },
        given={"seen": tuple(_seen(pool)), "of_wait": (wait,) if wait else (), **(given or {})},
        confidence=Confidence.MEDIUM if doubt else Confidence.HIGH,
        because=doubt,
        weight=float(len(pool.threads)),
    )


def _seen(pool: WorkerPool) -> Iterator[Text]:
    yield WORDS.say("busy_by_sample")
    if pool.shared_frame:
        frame, doing = short_frame(pool.shared_frame), Text(pool.shared_doing or "")
        yield WORDS.say("shared_frame", frame=frame, doing=doing)
    if pool.unknown:
        yield WORDS.say("undecided")
    if pool.shared_doing == "sleep" and pool.shared_pause is None:
        yield WORDS.say("sleeping")
    yield WORDS.say("same_message")


def _doubt(pool: WorkerPool) -> Text:
    """Why it is not sure that messages move; empty when it is."""
    if len(pool.busy) < SURE_SAMPLES:
        return WORDS.say("two_samples")
    if pool.shared_share >= SAME_FRAME_SHARE and pool.shared_doing not in LOCKS:
        # a lock that moves was seen to change its owner
        return WORDS.say("same_call")
    return NOTHING
