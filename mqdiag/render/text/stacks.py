"""A thread dump series: the samples, who did what in each, equal stacks, who holds whom up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rich.box import Box
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from mqdiag.facts import StacksFacts
from mqdiag.facts.stacks import LockFacts, StackGroup, ThreadFacts
from mqdiag.render.text.page import Page
from mqdiag.render.wording.class_names import fit
from mqdiag.render.wording.safe import safe
from mqdiag.render.wording.words import word
from mqdiag.text import say

ROWS_SHOWN = 24
GROUPS_SHOWN = 5
LOCKS_SHOWN = 4
WAITERS_SHOWN = 6
SAMPLES_SHOWN = 12
STYLES = {"stuck": "bold red", "blocked": "magenta", "progressing": "green", "idle": "dim", "unknown": "yellow"}
GLYPHS = {
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
LEGEND = say(
    "R socket read, C connect, W write, # lock, P pool, w other wait, z sleep, * running,"
    " . idle, blank not there"
)
_HEAD_RULE = Box("    \n    \n ── \n    \n    \n    \n    \n    \n")
_NUMBER = re.compile(r"^(.*?)(\d+)$", re.S)


def show_stacks(page: Page, stacks: StacksFacts) -> None:
    """All sections of a series."""
    page.heading(say("The samples"))
    page.pairs(_summary(stacks))
    _timeline(page, stacks)
    _groups(page, stacks)
    _locks(page, stacks)


def _summary(stacks: StacksFacts) -> Iterator[tuple[str, str]]:
    span = "" if not stacks.seconds else say(" over {seconds:decimal} s", seconds=stacks.seconds)
    repeated = (
        say(", {repeated_samples} repeated left out", repeated_samples=stacks.repeated_samples)
        if stacks.repeated_samples
        else ""
    )
    yield say("samples"), f"{stacks.samples}{span}{repeated}"
    for sample in stacks.series[:SAMPLES_SHOWN]:
        when = sample.captured_at or sample.captured_local or say("no time")
        yield (
            "",
            say(
                "{path}: {when}, {threads} threads{value}",
                path=sample.path,
                when=when,
                threads=sample.threads,
                value="" if sample.complete else say(", cut"),
            ),
        )
    if len(stacks.series) > SAMPLES_SHOWN:
        yield "", say("and {series} more", series=len(stacks.series) - SAMPLES_SHOWN)
    for jvm in dict.fromkeys(sample.jvm for sample in stacks.series if sample.jvm):
        yield say("JVM"), jvm
    if not stacks.has_cpu:
        yield say("CPU time"), say("not in these dumps (cpu= comes with JDK 11): confidence is lower")
    states: dict[str, int] = {}
    for thread in stacks.threads:
        if thread.role == "consume-worker":
            states[thread.state] = states.get(thread.state, 0) + 1
    if states:
        yield say("consume threads"), ", ".join(f"{count} {word(state)}" for state, count in states.items())


def _timeline(page: Page, stacks: StacksFacts) -> None:
    """Thread by sample, threads with equal rows in one."""
    shown = stacks.threads if page.view.all_threads else tuple(_matters(stacks))
    if not shown:
        return
    page.heading(say("What the threads did, sample by sample"))
    rows: dict[tuple[str, ...], list[ThreadFacts]] = {}
    for thread in shown:
        marks = "".join(_glyph(at.state, at.doing) for at in thread.samples)
        rows.setdefault((thread.state, marks, thread.frame or "", thread.pool or thread.name), []).append(
            thread
        )
    table = Table(box=_HEAD_RULE, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False, header_style="bold")
    table.add_column(say("threads"), overflow="fold", ratio=4)
    table.add_column(say("samples"), no_wrap=stacks.samples <= SAMPLES_SHOWN * 2)
    table.add_column(say("state"), no_wrap=True)
    table.add_column(say("at"), overflow="fold", ratio=3)
    limit = len(rows) if page.view.all_threads else ROWS_SHOWN
    for (state, marks, frame, _), threads in list(rows.items())[:limit]:
        style = STYLES.get(state, "")
        table.add_row(
            Text(safe(names(thread.name for thread in threads))),
            Text(marks, style=style),
            Text(word(state), style=style),
            Text(safe(_short(frame or (threads[0].samples[-1].top or "")))),
        )
    page.draw(table)
    if len(rows) > limit:
        page.paragraph(say("and {rows} more rows; --threads shows all", rows=len(rows) - limit), style="dim")
    page.paragraph(say(LEGEND), style="dim")


def _matters(stacks: StacksFacts) -> Iterator[ThreadFacts]:
    """Consume threads, and every other thread that is held up or holds others up."""
    holders = {thread.held_by for thread in stacks.threads if thread.held_by}
    holders |= {standstill.holder for standstill in stacks.standstills if standstill.holder}
    spoken = {name for standstill in stacks.standstills for name in standstill.threads}
    order = {"stuck": 0, "blocked": 1, "unknown": 2, "progressing": 3, "idle": 4}
    found = [
        thread
        for thread in stacks.threads
        if thread.role in ("consume-worker", "broker-send")
        or thread.name in spoken
        or thread.name in holders
        or thread.state == "blocked"
    ]
    yield from sorted(found, key=lambda thread: order.get(thread.state, 5))


def _glyph(state: str, doing: str | None) -> str:
    if state == "ABSENT":
        return " "
    return GLYPHS.get(doing or "", "w")


def _groups(page: Page, stacks: StacksFacts) -> None:
    """Equal stacks once, with the user's own code marked."""
    held = {name for standstill in stacks.standstills for name in standstill.threads}
    wanted = [
        group
        for group in stacks.groups
        if group.role == "consume-worker" or held & set(group.threads) or page.view.all_threads
    ]
    wanted = [group for group in wanted if group.state != "idle" or page.view.all_threads]
    if not wanted:
        return
    page.heading(say("Equal stacks in the last sample, the application's own code marked with >"))
    for group in wanted[:GROUPS_SHOWN]:
        _group(page, group)
    if len(wanted) > GROUPS_SHOWN:
        page.paragraph(say("and {wanted} more stacks", wanted=len(wanted) - GROUPS_SHOWN), style="dim")


def _group(page: Page, group: StackGroup) -> None:
    count = len(group.threads)
    page.hanging(
        f"{count:>4} x", f"{names(group.threads)} ({word(group.state)})", style=STYLES.get(group.state, "")
    )
    own = set(group.own)
    for place, frame in enumerate(group.frames):
        mark, style = (">", "bold") if place in own else (" ", "dim")
        page.hanging(mark, fit(frame, page.view.width - 10), indent=7, style=style, mark_style="bold")


def _locks(page: Page, stacks: StacksFacts) -> None:
    """Who holds whom up, each chain as a tree from its root."""
    locks = [lock for lock in stacks.locks if lock.owner is not None or len(lock.waiters) > 1]
    roots = [lock for lock in locks if lock.owner is None or lock.owner_waits_for is None]
    cyclic = [lock for lock in locks if lock not in roots and _in_cycle(lock, locks)]
    chains = (cyclic[:1] if cyclic else []) + roots
    if not chains:
        return
    page.heading(say("Who holds whom up"))
    for lock in chains[:LOCKS_SHOWN]:
        tree = Tree(_owner(lock))
        _grow(tree, lock, locks, seen={lock.object_id})
        page.draw(tree)
    if len(chains) > LOCKS_SHOWN:
        page.paragraph(say("and {chains} more locks", chains=len(chains) - LOCKS_SHOWN), style="dim")


def _in_cycle(lock: LockFacts, locks: list[LockFacts]) -> bool:
    by_id = {other.object_id: other for other in locks}
    seen: set[str] = set()
    here: LockFacts | None = lock
    while here is not None and here.object_id not in seen:
        seen.add(here.object_id)
        here = by_id.get(here.owner_waits_for or "")
    return here is lock


def _owner(lock: LockFacts) -> Text:
    text = Text()
    if lock.owner is None:
        text.append(say("holder not named by the dump"), style="yellow")
    else:
        text.append(safe(lock.owner), style="bold")
        guess = say(" (found by its frames)") if lock.inferred else ""
        text.append(
            safe(
                say(
                    " {owner_doing} at {owner_frame}{guess}",
                    owner_doing=lock.owner_doing or "",
                    owner_frame=_short(lock.owner_frame or "?"),
                    guess=guess,
                )
            )
        )
    return text


def _grow(tree: Tree, lock: LockFacts, locks: list[LockFacts], seen: set[str]) -> None:
    moving = say(", its owner changes") if lock.moving else ""
    branch = tree.add(
        Text(
            safe(
                say(
                    "holds {class_name} <{object_id}>{moving}",
                    class_name=lock.class_name or lock.kind,
                    object_id=lock.object_id,
                    moving=moving,
                )
            ),
            style="dim",
        )
    )
    onward = {other.owner: other for other in locks if other.owner in lock.waiters}
    plain = [waiter for waiter in lock.waiters if waiter not in onward]
    for owner, other in onward.items():
        waiter = branch.add(Text(safe(say("{owner} waits, and holds up", owner=owner)), style="magenta"))
        if other.object_id not in seen:
            seen.add(other.object_id)
            _grow(waiter, other, locks, seen)
        else:
            waiter.add(Text(say("the chain closes here: a deadlock"), style="bold red"))
    if plain:
        shown = names(plain) if len(plain) > WAITERS_SHOWN else ", ".join(plain)
        branch.add(Text(safe(say("{plain} waiting: {shown}", plain=len(plain), shown=shown)), style="magenta"))


def names(given: Iterable[str]) -> str:
    """Names with their numbers drawn together: "ConsumeMessageThread_CID_1..20"; repeated ones are counted."""
    counts: dict[str, set[int]] = {}
    plain: list[str] = []
    total = 0
    for name in given:
        total += 1
        found = _NUMBER.match(name)
        if found and len(found[2]) < 10:
            counts.setdefault(found[1], set()).add(int(found[2]))
        else:
            plain.append(name)
    parts = [prefix + _ranges(sorted(numbers)) for prefix, numbers in counts.items()]
    unique = sum(len(numbers) for numbers in counts.values()) + len(plain)
    more = say(" ({total} threads)", total=total) if total > unique else ""
    parts += plain[:WAITERS_SHOWN]
    if len(plain) > WAITERS_SHOWN:
        parts.append(say("{plain} more", plain=len(plain) - WAITERS_SHOWN))
    return ", ".join(parts) + more


def _ranges(numbers: list[int]) -> str:
    parts: list[str] = []
    start = last = numbers[0]
    for number in [*numbers[1:], -1]:
        if number == last + 1:
            last = number
            continue
        parts.append(str(start) if start == last else f"{start}..{last}")
        start = last = number
    return ",".join(parts)


def _short(frame: str) -> str:
    """Class.method:line of a frame."""
    method, _, place = frame.partition("(")
    line = place.rstrip(")").rpartition(":")[2]
    name = ".".join(method.split(".")[-2:])
    return f"{name}:{line}" if line.isdigit() else name
