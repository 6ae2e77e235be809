"""Threads of a heap dump with their stacks; threads with the same stack are shown together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mqdiag.facts.heap_threads import HeapThread, MessageInHand
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import (
    NO_VALUE,
    AnyPart,
    Fold,
    Paragraph,
    Row,
    Section,
    Several,
    Stack,
)
from mqdiag.render.tables import Tables
from mqdiag.render.wording.words import queue_number, word
from mqdiag.text import Text, Value, say

TABLES = Tables("heap_threads")

_NAMELESS = say("without a name")
_NAMES = 3
_STACKS = (4, 40)


def heap_threads_section(report: Report, view: View) -> Iterator[Section]:
    """Stacks of those that hold a message or hit the OutOfMemoryError, of all if asked for; all threads in a table."""
    if report.heap is None or not report.heap.threads:
        return
    threads = sorted(report.heap.threads, key=_order)
    chosen = [one for one in threads if view.all_threads or one.message or one.hit_out_of_memory]
    groups = _by_stack(chosen)
    parts: list[AnyPart] = []
    if groups:
        parts.append(
            Several(
                parts=[_stack(group) for group in groups],
                shown=(len(groups), len(groups)) if view.all_threads else _STACKS,
                rest=lambda hidden: say("and {hidden:count} more {hidden:stack|stacks}", hidden=hidden),
            )
        )
        others = len(threads) - len(chosen)
        if others:
            parts.append(
                Paragraph(
                    say(
                        "{others:count} more {others:thread|threads}; --threads shows all stacks", others=others
                    ),
                    soft=True,
                )
            )
    parts.append(TABLES.table("threads", rows=[_row(thread) for thread in threads]))
    title = (
        say("All threads")
        if view.all_threads
        else say("Threads that hold messages or hit the OutOfMemoryError")
    )
    yield Section(name="threads", title=title, short_title=say("Threads"), parts=parts)


def _order(thread: HeapThread) -> tuple[bool, int]:
    return (not thread.hit_out_of_memory, -_age(thread))


def _age(thread: HeapThread) -> int:
    """Age of the message in hand; -1 without one."""
    return -1 if thread.message is None else thread.message.age_ms or 0


def _by_stack(threads: Sequence[HeapThread]) -> list[list[HeapThread]]:
    """Threads with the same frames together, in the order of the first of each group."""
    groups: dict[tuple[object, ...], list[HeapThread]] = {}
    for thread in threads:
        # Threads without frames are not known to be at the same place.
        place = (thread.hit_out_of_memory, thread.role, thread.state, thread.frames or thread.name)
        groups.setdefault(place, []).append(thread)
    return list(groups.values())


def _stack(threads: Sequence[HeapThread]) -> Fold:
    first = threads[0]
    parts: list[AnyPart] = []
    if first.message is not None:
        held = _message(first.message)
        parts.append(
            Paragraph(
                say("in hand: {message}", message=held)
                if len(threads) == 1
                else say("longest in hand, by {name}: {message}", name=first.name, message=held)
            )
        )
    if first.frames:
        parts.append(Stack(first.frames))
    return Fold(_summary(threads), parts)


def _summary(threads: Sequence[HeapThread]) -> Text:
    first = threads[0]
    names: Value = tuple(one.name or _NAMELESS for one in threads[:_NAMES])
    if len(threads) > _NAMES:
        names = say("{names} and {more:count} more at the same place", names=names, more=len(threads) - _NAMES)
    traits: list[Value] = [word(trait) for trait in (first.role, first.state) if trait]
    if first.hit_out_of_memory:
        traits.append(say("hit the OutOfMemoryError"))
    if not traits:
        return say("{names}", names=names)
    return say("{names} ({traits})", names=names, traits=tuple(traits))


def _message(message: MessageInHand) -> Text:
    of_all_queues = message.queue_id is not None and message.queue_id < 0
    known = tuple(
        words.filled({name: getattr(message, name)})
        for name, words in (
            ("topic", say("topic {topic}")),
            ("queue_id", say("queue {queue_id}")),
            ("offset", say("offset {offset}")),
            ("msg_id", say("id {msg_id}")),
            ("age_ms", say("for {age_ms:ms}")),
        )
        if getattr(message, name) is not None and not (name == "queue_id" and of_all_queues)
    )
    return say("{known}", known=known) if known else say("a message")


def _row(thread: HeapThread) -> Row:
    message = thread.message or MessageInHand()
    none = None if thread.message else NO_VALUE
    state: Value = thread.state or ""
    if thread.hit_out_of_memory:
        state = say("{state}, hit the OutOfMemoryError", state=thread.state)
    place = (thread.call.frame if thread.call is not None else None) or next(iter(thread.frames), "")
    return (
        thread.name or _NAMELESS,
        thread.java_id,
        word(thread.role) if thread.role else "",
        state,
        message.topic or none,
        none if message.queue_id is None else queue_number(message.queue_id),
        none if message.offset is None else message.offset,
        none if message.age_ms is None else message.age_ms,
        place,
    )
