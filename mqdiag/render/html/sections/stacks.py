"""A series of thread dumps: the timeline, who holds whom up, equal stacks."""

from __future__ import annotations

from mqdiag.facts import StacksFacts
from mqdiag.facts.stacks import ThreadFacts
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.html.figures.lock_graph import LockNode, lock_graph
from mqdiag.render.html.figures.thread_timeline import TimelineRow, thread_timeline
from mqdiag.render.html.page.parts import AnyPart, Cell, Column, Figure, Fold, Pairs, Section, Stack, Table
from mqdiag.render.wording.class_names import fit
from mqdiag.render.wording.words import word
from mqdiag.text import say

MOST_ROWS = 60
MOST_LOCKS = 8
MOST_GROUPS = 40
MOST_THREADS = 2000
_STATES = ("stuck", "blocked", "progressing", "unknown", "idle")


def stacks_section(report: Report, view: View) -> Section | None:
    """Nothing without thread dumps."""
    stacks = report.stacks
    if stacks is None:
        return None
    parts: list[AnyPart] = [Pairs(_summary(stacks))]
    rows = [one for one in stacks.threads if view.all_threads or _matters(one, stacks)]
    rows.sort(key=lambda one: (_STATES.index(one.state) if one.state in _STATES else 9, one.name))
    if rows:
        parts.append(_timeline(stacks, rows))
    locks = [lock for lock in stacks.locks if lock.waiters]
    if locks:
        parts.append(_locks(stacks))
    parts += [
        Fold(
            summary=say("Stack of {threads}", threads=group.threads[0])
            + _more(len(group.threads))
            + f": {word(group.state)}",
            parts=[Stack(title=", ".join(group.threads[:20]), frames=group.frames, own=group.own)],
        )
        for group in stacks.groups[:MOST_GROUPS]
    ]
    parts.append(_table(stacks))
    return Section(name="stacks", title=say("Threads over the samples"), parts=parts)


def _more(count: int) -> str:
    return "" if count == 1 else say(" and {count} more", count=count - 1)


def _summary(stacks: StacksFacts) -> list[tuple[str, str]]:
    span = "" if not stacks.seconds else say(" over {seconds:decimal} s", seconds=stacks.seconds)
    rows = [(say("samples"), f"{stacks.samples}{span}")]
    rows += [(say("JVM"), jvm) for jvm in dict.fromkeys(one.jvm for one in stacks.series if one.jvm)]
    counts = {state: sum(one.state == state for one in stacks.threads) for state in _STATES}
    rows.append(
        (say("threads"), ", ".join(f"{count} {word(state)}" for state, count in counts.items() if count))
    )
    if not stacks.judged:
        rows.append(
            (
                say("progress"),
                say(
                    "cannot be judged: {not_judged_because}",
                    not_judged_because=stacks.not_judged_because or say("too few samples"),
                ),
            )
        )
    return rows


def _matters(thread: ThreadFacts, stacks: StacksFacts) -> bool:
    """Consume threads, and others that are held up or hold others up."""
    if thread.role == "consume-worker" or thread.state in ("stuck", "blocked"):
        return True
    holders = {one.held_by for one in stacks.threads if one.held_by}
    return thread.name in holders


def _timeline(stacks: StacksFacts, rows: list[ThreadFacts]) -> Figure:
    shown = rows[:MOST_ROWS]
    stuck = sum(one.state in ("stuck", "blocked") for one in rows)
    heads = [_head(place, stacks) for place in range(stacks.samples)]
    drawn = []
    for one in shown:
        tops = [at.top for at in one.samples]
        same = [place > 0 and top is not None and top == tops[place - 1] for place, top in enumerate(tops)]
        states = [at.state for at in one.samples]
        drawn.append(TimelineRow(name=one.name, state=one.state, tops=tops, states=states, same=same))
    left_out = len(rows) - len(shown)
    return Figure(
        svg=thread_timeline(
            say("{stuck} of {rows} threads make no progress", stuck=stuck, rows=len(rows)), heads, drawn
        ),
        caption=(
            say(
                "Threads over the samples; one unbroken bar is the same place in all of them. S"
                " stuck, B blocked, P progressing, i idle, ? not known."
            )
            + (say(" {left_out} more threads stand in the table.", left_out=left_out) if left_out else "")
        ),
    )


def _head(place: int, stacks: StacksFacts) -> str:
    sample = stacks.series[place] if place < len(stacks.series) else None
    return f"+{sample.seconds:.0f} s" if sample is not None and sample.seconds is not None else f"#{place + 1}"


def _locks(stacks: StacksFacts) -> Figure:
    locks = sorted((one for one in stacks.locks if one.waiters), key=lambda one: -len(one.waiters))
    nodes = [
        LockNode(
            lock=f"{fit(one.class_name or one.kind, 30)} {one.object_id}",
            owner=one.owner or say("not named by the dump"),
            owner_does=say(" at ").join(filter(None, (one.owner_doing, one.owner_frame))),
            waiters=one.waiters,
        )
        for one in locks[:MOST_LOCKS]
    ]
    first = locks[0]
    return Figure(
        svg=lock_graph(
            say(
                "{waiters} threads wait for a lock of {owner}",
                waiters=len(first.waiters),
                owner=first.owner or say("an unknown thread"),
            ),
            nodes,
        ),
        caption=say(
            "Who waits for whom: waiting threads, the lock, the thread that holds it and what it does."
        ),
    )


def _table(stacks: StacksFacts) -> Table:
    threads = sorted(
        stacks.threads, key=lambda one: (_STATES.index(one.state) if one.state in _STATES else 9, one.name)
    )
    hidden = len(threads) - MOST_THREADS
    return Table(
        name="stack-threads",
        caption=say("All threads"),
        columns=(
            Column(head=say("thread")),
            Column(head=say("state")),
            Column(head=say("role")),
            Column(head=say("group")),
            Column(head=say("does")),
            Column(head=say("at")),
            Column(head=say("CPU ms"), number=True),
            Column(head=say("held by")),
            Column(head=say("why")),
        ),
        rows=[
            (
                one.name,
                word(one.state),
                one.role,
                one.group or "",
                one.doing or "",
                one.frame or one.samples[-1].top or "",
                Cell("", -1)
                if one.cpu_growth_ms is None
                else Cell(f"{one.cpu_growth_ms:,.0f}", one.cpu_growth_ms),
                one.held_by or "",
                one.reason,
            )
            for one in threads[:MOST_THREADS]
        ],
        note=say("and {hidden} more threads; --format json has them all", hidden=hidden) if hidden > 0 else "",
    )
