"""Threads of a heap dump; threads that stand at the same place are shown once."""

from __future__ import annotations

from collections.abc import Sequence

from mqdiag.facts import HeapFacts
from mqdiag.facts.heap import HeapThread, MessageInHand
from mqdiag.render.text.page import Page
from mqdiag.render.wording.class_names import fit
from mqdiag.text import say

STACKS_SHOWN = 4
FRAMES_SHOWN = 8
NAMES_SHOWN = 3


def show_threads(page: Page, heap: HeapFacts) -> None:
    """Those that hold a message or hit the OutOfMemoryError; all with `--threads`."""
    everything = page.view.all_threads
    chosen = [thread for thread in heap.threads if everything or thread.message or thread.hit_out_of_memory]
    stacks = _by_stack(chosen)
    if not stacks:
        return
    page.heading(
        say("All threads") if everything else say("Threads that hold messages or hit the OutOfMemoryError")
    )
    shown = stacks if everything else stacks[:STACKS_SHOWN]
    for threads in shown:
        _stack(page, threads)
    hidden = len(heap.threads) - sum(map(len, shown))
    if hidden:
        page.paragraph(say("and {hidden} more threads; --threads shows them all", hidden=hidden), style="dim")


def _by_stack(threads: Sequence[HeapThread]) -> list[list[HeapThread]]:
    """Groups of threads at the same place: out of memory first, then by how long the message is in hand."""
    groups: dict[tuple[object, ...], list[HeapThread]] = {}
    for thread in threads:
        # A thread without frames is told by its name alone.
        place = (thread.hit_out_of_memory, thread.role, thread.state, thread.frames or thread.name)
        groups.setdefault(place, []).append(thread)
    for group in groups.values():
        group.sort(key=_age, reverse=True)
    return sorted(groups.values(), key=lambda group: (not group[0].hit_out_of_memory, -_age(group[0])))


def _age(thread: HeapThread) -> int:
    if thread.message is None:
        return -1
    return thread.message.age_ms or 0


def _stack(page: Page, threads: Sequence[HeapThread]) -> None:
    first = threads[0]
    told = [part for part in (first.role, first.state) if part]
    if first.hit_out_of_memory:
        told.append(say("hit the OutOfMemoryError"))
    names = ", ".join(thread.name for thread in threads[:NAMES_SHOWN])
    if len(threads) > NAMES_SHOWN:
        names += say(" and {threads} more at the same place", threads=len(threads) - NAMES_SHOWN)
    page.hanging("-", names + (f" ({', '.join(told)})" if told else ""))
    if first.message is not None:
        # The threads stand by the age of their messages, the oldest first.
        whose = say("longest in hand, by {name}", name=first.name) if len(threads) > 1 else say("in hand")
        page.paragraph(f"{whose}: {_message(first.message)}", indent=4)
    for frame in first.frames[:FRAMES_SHOWN]:
        page.hanging(say("at"), fit(frame, page.view.width - 9), indent=6)
    hidden = len(first.frames) - FRAMES_SHOWN
    if hidden > 0:
        page.paragraph(say("and {hidden} more frames", hidden=hidden), indent=6, style="dim")


def _message(message: MessageInHand) -> str:
    parts = [
        say("topic {topic}", topic=message.topic) if message.topic else "",
        say("queue {queue_id}", queue_id=message.queue_id) if message.queue_id is not None else "",
        say("offset {offset}", offset=message.offset) if message.offset is not None else "",
        say("id {msg_id}", msg_id=message.msg_id) if message.msg_id else "",
        say("for {age_ms:ms}", age_ms=message.age_ms) if message.age_ms is not None else "",
    ]
    return ", ".join(part for part in parts if part) or say("a message")
