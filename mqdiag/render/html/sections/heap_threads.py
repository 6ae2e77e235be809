"""Threads of a heap dump with their stacks, those that hold a message or hit the OutOfMemoryError first."""

from __future__ import annotations

from mqdiag.facts.heap import HeapThread
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.html.page.cells import age_cell, offset_cell
from mqdiag.render.html.page.parts import AnyPart, Cell, Column, Fold, Section, Stack, Table
from mqdiag.text import say

MOST_STACKS = 40
MOST_THREADS = 2000


def heap_threads_section(report: Report, view: View) -> Section | None:
    """Nothing when the dump names no thread."""
    if report.heap is None or not report.heap.threads:
        return None
    threads = sorted(report.heap.threads, key=_order)
    told = [one for one in threads if view.all_threads or one.message or one.hit_out_of_memory]
    stacks = _by_frames(told)
    parts: list[AnyPart] = [_table(threads)]
    for frames, names in list(stacks.items())[:MOST_STACKS]:
        title = (
            names[0]
            if len(names) == 1
            else say("{names} and {names_2} more at the same place", names=names[0], names_2=len(names) - 1)
        )
        parts.append(
            Fold(
                summary=say("Stack of {title}", title=title),
                parts=[Stack(title=", ".join(names[:20]), frames=frames)],
            )
        )
    return Section(name="threads", title=say("Threads in the dump"), parts=parts)


def _order(thread: HeapThread) -> tuple[bool, int, str]:
    age = -1 if thread.message is None else thread.message.age_ms or 0
    return (not thread.hit_out_of_memory, -age, thread.name)


def _by_frames(threads: list[HeapThread]) -> dict[tuple[str, ...], list[str]]:
    groups: dict[tuple[str, ...], list[str]] = {}
    for thread in threads:
        if thread.frames:
            groups.setdefault(thread.frames, []).append(thread.name)
    return groups


def _table(threads: list[HeapThread]) -> Table:
    hidden = len(threads) - MOST_THREADS
    return Table(
        name="threads",
        caption=say("Threads"),
        columns=(
            Column(head=say("thread")),
            Column(head=say("role")),
            Column(head=say("state")),
            Column(head=say("topic")),
            Column(head=say("queue"), number=True),
            Column(head=say("offset"), number=True),
            Column(head=say("in hand"), number=True),
            Column(head=say("at")),
        ),
        rows=[_row(thread) for thread in threads[:MOST_THREADS]],
        note=say("and {hidden} more threads; --format json has them all", hidden=hidden) if hidden > 0 else "",
    )


def _row(thread: HeapThread) -> tuple[Cell | str, ...]:
    message = thread.message
    state = (thread.state or "") + (say(", hit the OutOfMemoryError") if thread.hit_out_of_memory else "")
    age = None if message is None else message.age_ms
    place = (thread.call.frame if thread.call is not None else None) or (
        thread.frames[0] if thread.frames else ""
    )
    return (
        thread.name,
        thread.role or "",
        state,
        "" if message is None else message.topic or "",
        offset_cell(None if message is None else message.queue_id),
        offset_cell(None if message is None else message.offset),
        age_cell(age),
        place,
    )
