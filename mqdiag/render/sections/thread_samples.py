"""Threads over the samples of thread dumps: what each did, equal stacks, and the locks between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING

from mqdiag.facts import StacksFacts
from mqdiag.facts.stacks import SampleFacts, StackGroup, ThreadFacts
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import (
    AnyPart,
    Figure,
    Fold,
    Pairs,
    Paragraph,
    Row,
    Section,
    Several,
    Stack,
    Table,
)
from mqdiag.render.sections.thread_locks import lock_parts
from mqdiag.render.tables import Tables
from mqdiag.render.wording.short_paths import shared_folder
from mqdiag.render.wording.words import word
from mqdiag.text import NOTHING, Text, Value, say
from mqdiag.thread_names import grouped_names, shared_prefix

TABLES = Tables("thread_samples")

if TYPE_CHECKING:
    from markupsafe import Markup

    from mqdiag.language import Writer

_STATES = ("stuck", "blocked", "unknown", "progressing", "idle")
"""in the order in which they matter"""
_MATTERING_ROLES = frozenset(("consume-worker", "broker-send"))
_ROWS = (24, 2000)
_STACKS = (5, 40)
_MOST_PICTURED = 60
_GLYPHS = {
    "running": "*",
    "idle": ".",
    "sleep": "z",
    "monitor": "#",
    "lock": "#",
    "log": "#",
    "pool": "P",
    "socket-read": "R",
    "socket-write": "W",
    "connect": "C",
    "dns": "C",
    "future": "w",
}
_LEGEND = say(
    "R socket read, C connect, W write, # lock, P pool, w other wait, z sleep, * running, . idle, blank not there"
)


def stacks_section(report: Report, view: View) -> Iterator[Section]:
    """One section for the samples, one for the threads, one for the locks."""
    stacks = report.stacks
    if stacks is None:
        return
    yield Section(name="samples", title=say("The samples"), parts=[*_summary(stacks)])
    threads = _threads(stacks, view)
    if threads:
        yield Section(
            name="stacks",
            title=say("What the threads did, sample by sample"),
            short_title=say("Sample by sample"),
            parts=threads,
        )
    locks = lock_parts(stacks)
    if locks:
        yield Section(name="locks", title=say("Who blocks whom"), parts=locks)


def _summary(stacks: StacksFacts) -> Iterator[AnyPart]:
    span: Value = stacks.samples
    if stacks.seconds:
        span = say("{samples:count} over {seconds:seconds}", stacks)
    rows: list[tuple[Text, Value]] = [(say("samples"), span)]
    if stacks.repeated_samples:
        rows.append((say("repeated samples left out"), stacks.repeated_samples))
    if stacks.cut_samples:
        rows.append((say("cut samples left out"), stacks.cut_samples))
    rows += [(say("JVM"), jvm) for jvm in dict.fromkeys(one.jvm for one in stacks.series if one.jvm)]
    if stacks.servers:
        rows.append((say("servers"), tuple(map(word, stacks.servers))))
    if not stacks.has_cpu:
        rows.append(
            (say("CPU time"), say("not in these dumps (cpu= comes with JDK 11), so confidence is lower"))
        )
    for words, role in ((say("consume threads"), "consume-worker"), (say("all threads"), None)):
        counts = _counts(stacks, role)
        if counts:
            rows.append((words, counts))
    yield Pairs(rows)
    folder = shared_folder([sample.path for sample in stacks.series])
    yield TABLES.table(
        "samples",
        rows=[_sample(place, one, len(folder)) for place, one in enumerate(stacks.series, 1)],
        note=say("All of them are in {folder}", folder=folder) if folder else NOTHING,
    )


def _counts(stacks: StacksFacts, role: str | None) -> Text | None:
    """Threads by state."""
    states = [one.state for one in stacks.threads if role is None or one.role == role]
    found = tuple(
        say("{threads:count} {state}", threads=states.count(state), state=word(state))
        for state in _STATES
        if state in states
    )
    return say("{found}", found=found) if found else None


def _sample(place: int, sample: SampleFacts, cut: int) -> Row:
    when = sample.captured_at or sample.captured_local
    return (
        place,
        sample.path[cut:],
        when,
        sample.format,
        sample.threads,
        _heap(sample),
        "" if sample.complete else say("cut"),
    )


def _heap(sample: SampleFacts) -> Value:
    if sample.heap_used_bytes is None or sample.heap_size_bytes is None:
        return ""
    return say(
        "{used:bytes} of {size:bytes}",
        used=sample.heap_used_bytes,
        size=sample.heap_size_bytes,
    )


def _threads(stacks: StacksFacts, view: View) -> list[AnyPart]:
    involved = _involved(stacks)
    ordered = _ordered(stacks)
    chosen = [one for one in ordered if view.all_threads or _matters(one) or one.name in involved]
    parts: list[AnyPart] = []
    if chosen:
        parts += _timeline(stacks, chosen, view)
    standing = {name for one in stacks.standstills for name in (*one.threads, one.holder)}
    groups = [one for one in stacks.groups if view.all_threads or _is_shown(one, standing)]
    if groups:
        parts.append(
            Paragraph(say("Equal stacks in the last sample; > marks the application's own code"), soft=True)
        )
        parts.append(
            Several(
                parts=[_stack(group) for group in groups],
                shown=(len(groups), len(groups)) if view.all_threads else _STACKS,
                rest=lambda hidden: say("and {hidden:count} more {hidden:stack|stacks}", hidden=hidden),
            )
        )
    parts.append(
        TABLES.table("stack-threads", ordered, frame=lambda one: one.frame or one.samples[-1].top or "")
    )
    return parts


def _ordered(stacks: StacksFacts) -> list[ThreadFacts]:
    return sorted(stacks.threads, key=lambda one: _STATES.index(one.state))


def _matters(thread: ThreadFacts) -> bool:
    """Consume and send threads, and every other thread that is stuck or blocked."""
    return thread.role in _MATTERING_ROLES or thread.state in ("stuck", "blocked")


def _involved(stacks: StacksFacts) -> set[str | None]:
    """Names of threads that block others, or stand still with them."""
    standing = {name for one in stacks.standstills for name in (*one.threads, one.holder)}
    return standing | {one.held_by for one in stacks.threads}


def _is_shown(group: StackGroup, standing: Set[str | None]) -> bool:
    if group.state == "idle":
        return False
    return group.role == "consume-worker" or not standing.isdisjoint(group.threads)


def _timeline(stacks: StacksFacts, threads: list[ThreadFacts], view: View) -> list[AnyPart]:
    """Threads over the samples, as a picture where they differ."""
    words: tuple[AnyPart, ...] = (_glyph_table(threads, view), Paragraph(_LEGEND, soft=True))
    # threads that show the same share their samples
    distinct = {(one.state, id(one.samples)): one for one in threads}
    if len({_shape(one) for one in distinct.values()}) == 1:
        return [*words]
    stuck = sum(one.state in ("stuck", "blocked") for one in threads)
    title = say("{stuck:count} of {threads:count} threads make no progress", stuck=stuck, threads=len(threads))
    heads = [_head(place, stacks) for place in range(stacks.samples)]
    pictured = threads[:_MOST_PICTURED]
    left_out = len(threads) - len(pictured)
    caption = say(
        "Threads over the samples. A bar without a gap is the same top frame in each sample. Colour and letter are the"
        " judgement over all samples: S stuck, B blocked, P progressing, which a thread can be at the same frame too,"
        " by its CPU time for example, i idle, ? unknown."
    )
    if left_out:
        caption = say(
            "{caption} The table has {left_out:count} more {left_out:thread|threads}.",
            caption=caption,
            left_out=left_out,
        )
    return [
        Figure(draw=lambda write: _drawn_timeline(write, title, heads, pictured), caption=caption, words=words)
    ]


def _shape(thread: ThreadFacts) -> tuple[object, ...]:
    """What its row looks like, apart from its name."""
    return thread.state, tuple(at.state for at in thread.samples), tuple(_same(thread))


def _same(thread: ThreadFacts) -> list[bool]:
    """For each sample whether the top frame is that of the sample before."""
    tops = [at.top for at in thread.samples]
    return [place > 0 and top is not None and top == tops[place - 1] for place, top in enumerate(tops)]


def _head(place: int, stacks: StacksFacts) -> Text:
    sample = stacks.series[place] if place < len(stacks.series) else None
    if sample is None or sample.seconds is None:
        return say("#{sample}", sample=place + 1)
    return say("+{seconds:seconds}", seconds=sample.seconds)


def _drawn_timeline(
    write: Writer, title: Text, heads: Sequence[Text], threads: Sequence[ThreadFacts]
) -> Markup:
    from mqdiag.render.figures.thread_timeline import TimelineRow, thread_timeline  # a page alone has pictures

    rows = [
        TimelineRow(
            name=thread.name,
            state=thread.state,
            tops=[at.top for at in thread.samples],
            states=[at.state for at in thread.samples],
            same=_same(thread),
        )
        for thread in threads
    ]
    return thread_timeline(write, title, heads, rows)


def _glyph_table(threads: list[ThreadFacts], view: View) -> Table:
    """Threads with equal rows in one row."""
    # threads that show the same share their samples
    marks_of = {
        key: "".join(_glyph(at.state, at.doing) for at in samples)
        for key, samples in {id(one.samples): one.samples for one in threads}.items()
    }
    rows: dict[tuple[str, str, str, str], list[ThreadFacts]] = {}
    for one in threads:
        key = (one.state, marks_of[id(one.samples)], one.frame or "", one.pool or one.name)
        rows.setdefault(key, []).append(one)
    prefix = shared_prefix([one.name for one in threads])
    cut = len(prefix)
    return TABLES.table(
        "timeline",
        rows=[
            (
                grouped_names([f"…{one.name[cut:]}" if cut else one.name for one in same]),
                marks,
                word(state),
                frame or same[0].samples[-1].top or "",
            )
            for (state, marks, frame, _), same in rows.items()
        ],
        note=say("All of these names begin with {prefix}", prefix=prefix) if prefix else NOTHING,
        shown=(len(rows), len(rows)) if view.all_threads else _ROWS,
    )


def _glyph(state: str, doing: str | None) -> str:
    return " " if state == "ABSENT" else _GLYPHS.get(doing or "", "w")


def _stack(group: StackGroup) -> Fold:
    return Fold(
        say(
            "{threads:count} x {names} ({state})",
            threads=len(group.threads),
            names=grouped_names(group.threads),
            state=word(group.state),
        ),
        (Stack(group.frames, own=group.own, shown=(1000, 1000)),),
        state=group.state,
    )
