"""What collapsed stacks mean: who ran where, and what consume threads did."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict

from mqdiag.facts.profiles import Profile, SampledGroup
from mqdiag.facts.recordings import HotMethod
from mqdiag.facts.vocabulary import Doing, Role
from mqdiag.read.collapsed import Collapsed
from mqdiag.threads.borrowed_names import only_named_worker
from mqdiag.threads.roles import CONSUME_WORKER, role_of_name
from mqdiag.threads.stack_meaning import StackMeaning, meaning_of_frames

MOST_ROWS = 30
NO_THREAD = "all threads"
_MOSTLY = 0.5
_LEAST_SAMPLES = 20
"""samples of the usual thread from which equal counts are no accident"""


def profile_of(path: str, read: Collapsed) -> Profile:
    """The facts of a file of collapsed stacks."""
    counts_objects = read.samples > 0 and read.on_class >= _MOSTLY * read.samples
    threads = {stack.thread for stack in read.stacks if stack.thread is not None}
    if counts_objects:
        return Profile(
            path=path, samples=read.samples, threads=len(threads) or None, counts_objects=counts_objects
        )
    meanings: dict[tuple[str, ...], StackMeaning] = {}
    for stack in read.stacks:
        if stack.frames not in meanings:
            meanings[stack.frames] = meaning_of_frames(stack.frames, None)
    return Profile(
        path=path,
        samples=read.samples,
        threads=len(threads) or None,
        by_wall=_by_wall(read, meanings),
        groups=_groups(read, meanings),
        hot_methods=_hot_methods(read, meanings),
    )


def _by_wall(read: Collapsed, meanings: dict[tuple[str, ...], StackMeaning]) -> bool | None:
    """Whether waiting threads were sampled: then most samples are waits, and threads have as many as each other."""
    by_thread: Counter[str] = Counter()
    waits = known = 0
    for stack, count in read.stacks.items():
        if stack.thread is None or not stack.frames:
            continue
        by_thread[stack.thread] += count
        known += count
        waits += count if meanings[stack.frames].doing != "running" else 0
    if not known:
        return None
    usual = statistics.median(by_thread.values())
    if waits < _MOSTLY * known:
        return False
    equal = sum(usual / 2 <= count <= 2 * usual for count in by_thread.values())
    return True if usual >= _LEAST_SAMPLES and equal >= _MOSTLY * len(by_thread) else None


def _groups(read: Collapsed, meanings: dict[tuple[str, ...], StackMeaning]) -> tuple[SampledGroup, ...]:
    threads: dict[str, set[str]] = defaultdict(set)
    parts: dict[str, Counter[str]] = defaultdict(Counter)
    frames: dict[str, Counter[tuple[str, Doing]]] = defaultdict(Counter)
    others = _only_named(read, meanings)
    for stack, count in read.stacks.items():
        named = None if stack.thread is None else role_of_name(stack.thread)
        if stack.thread is None or named is None or named.role != CONSUME_WORKER or not stack.frames:
            continue
        if stack.thread in others:
            continue
        group = named.group or named.pool or stack.thread
        meaning = meanings[stack.frames]
        threads[group].add(stack.thread)
        parts[group]["idle" if meaning.idle else "waiting" if meaning.waits else "running"] += count
        if not meaning.idle and meaning.own_frame is not None:
            frames[group][(meaning.own_frame, meaning.doing)] += count
    return tuple(
        _group(group, len(names), parts[group], frames[group]) for group, names in sorted(threads.items())
    )


def _only_named(read: Collapsed, meanings: dict[tuple[str, ...], StackMeaning]) -> set[str]:
    """Threads that only have the name of a consume thread."""
    own: dict[str, list[StackMeaning]] = defaultdict(list)
    for stack in read.stacks:
        if stack.thread is not None and stack.frames and role_of_name(stack.thread).role == CONSUME_WORKER:
            own[stack.thread].append(meanings[stack.frames])
    return {thread for thread, shown in own.items() if only_named_worker(shown)}


def _group(group: str, threads: int, parts: Counter[str], frames: Counter[tuple[str, Doing]]) -> SampledGroup:
    by_frame: Counter[str] = Counter()
    for (frame, _), count in frames.items():
        by_frame[frame] += count
    most = by_frame.most_common(1)[0][0] if by_frame else None
    does = Counter({doing: count for (frame, doing), count in frames.items() if frame == most})
    busy = parts["running"] + parts["waiting"]
    return SampledGroup(
        group=group,
        threads=threads,
        samples=parts.total(),
        idle=parts["idle"],
        running=parts["running"],
        waiting=parts["waiting"],
        frame=most,
        doing=does.most_common(1)[0][0] if does else None,
        frame_share=None if most is None or not busy else round(by_frame[most] / busy, 4),
    )


def _hot_methods(read: Collapsed, meanings: dict[tuple[str, ...], StackMeaning]) -> tuple[HotMethod, ...]:
    rows: Counter[tuple[Role, str | None, str, str]] = Counter()
    for stack, count in read.stacks.items():
        if not stack.frames or meanings[stack.frames].doing != "running":
            continue
        frame = meanings[stack.frames].own_frame or stack.frames[0]
        if stack.thread is None:
            role: Role = CONSUME_WORKER if meanings[stack.frames].in_listener else "other"
            rows[(role, None, NO_THREAD, frame)] += count
        else:
            named = role_of_name(stack.thread)
            rows[(named.role, named.group, named.pool or stack.thread, frame)] += count
    total = rows.total()
    return tuple(
        HotMethod(
            role=role, group=group, thread=thread, frame=frame, samples=count, share=round(count / total, 4)
        )
        for (role, group, thread, frame), count in rows.most_common(MOST_ROWS)
    )
