"""Executors, timers or clients are made for each call and never shut down: their threads pile up."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import cache

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.stacks import ThreadFacts
from mqdiag.findings import Severity, Subject
from mqdiag.log_events import events, files_of, lines_of
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.standstill import frame_shown

MADE = ("ThreadPoolExecutor.addWorker", "Thread.start", "ThreadPoolExecutor.execute")
"""calls that start a thread"""
NUMBER = "(\\d{1,9})"

RULE = Rule("executors-pile-up")


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Findings:
    """One finding for each way of naming."""
    stacks = facts.stacks
    assert stacks is not None
    for kind, what in RULE.meaning("made").items():
        by_number: dict[int, list[ThreadFacts]] = defaultdict(list)
        beginning = kind.partition("#")[0]
        for thread in stacks.threads:
            if not thread.name.startswith(beginning):
                continue
            found = _pattern(kind).fullmatch(thread.name)
            if found is not None and thread.samples[-1].state != "ABSENT":
                by_number[int(found[1])].append(thread)
        if not by_number:
            continue
        threads = [thread for own in by_number.values() for thread in own]
        resting = sum(thread.state == "idle" for thread in threads)
        made = len(by_number)
        if made < limits["executors"] or resting < limits["resting_share"] * len(threads):
            yield RULE.margin("executors", min(made, limits["executors"]), limits["executors"])
            continue
        if _came_to_an_end(threads, stacks.threads):
            continue
        sizes = sorted(len(own) for own in by_number.values())
        out = [] if facts.logs is None else events(facts.logs, "thread-limit-reached")
        frame = _maker(facts)
        yield RULE.case(
            "executor-each-call",
            subject=Subject(thread=kind),
            evidence={
                "kind": kind,
                "made": made,
                "largest_number": max(by_number),
                "thread_count": len(threads),
                "resting": resting,
                "each": sizes[len(sizes) // 2],
                "frame": frame,
                "out_of_threads": lines_of(out) if out else None,
            },
            words={"what": what, "maker": frame_shown(frame)},
            severity=Severity.ERROR if out else None,
            rests_on=(*(one.path for one in stacks.series), *files_of(out)) if out else (),
            weight=float(len(threads)),
        )


@RULE.stacks
def threads_in_stacks(stacks: StacksFacts, limits: Limits) -> Findings:
    """One finding: threads that a program starts itself, all of which wait at one place."""
    kind = RULE.names("started_by_hand")[0]
    beginning = kind.partition("#")[0]
    threads = [
        thread
        for thread in stacks.threads
        if thread.name.startswith(beginning)
        and thread.samples[-1].state != "ABSENT"
        and _pattern(kind).fullmatch(thread.name)
    ]
    if len(threads) < limits["threads"]:
        return
    waits = RULE.names("waits_inside")
    places = Counter((one.frame, one.samples[-1].top) for one in threads if one.doing in waits)
    if not places:
        return
    (frame, top), count = places.most_common(1)[0]
    if count < limits["resting_share"] * len(threads):
        return
    yield RULE.case(
        "thread-each-call",
        subject=Subject(thread=kind),
        evidence={"kind": kind, "thread_count": len(threads), "waiting": count, "frame": frame or top},
        words={"place": frame_shown(frame or top)},
        weight=float(len(threads)),
    )


def _came_to_an_end(threads: list[ThreadFacts], all_threads: tuple[ThreadFacts, ...]) -> bool:
    """Whether a process made more threads since the newest of these than before it: no call makes one any more.

    Clients that an application has by design are there from its start.
    """
    newest = max((thread.java_id for thread in threads if thread.java_id is not None), default=None)
    last = max((thread.java_id for thread in all_threads if thread.java_id is not None), default=None)
    return newest is not None and last is not None and last - newest > newest


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    """The name of a thread with numbers in place of #; the first one is that of its executor."""
    first, _, rest = kind.partition("#")
    return re.compile(re.escape(first) + NUMBER + re.escape(rest).replace(re.escape("#"), r"\d{1,9}"))


def _maker(facts: Facts) -> str | None:
    """The application's own frame that made them, where an exception or a sample shows it."""
    if facts.logs is not None:
        for thrown in facts.logs.listener_exceptions:
            if thrown.exception == "java.lang.OutOfMemoryError" and thrown.frame:
                return thrown.frame
    if facts.stacks is None:
        return None
    for thread in facts.stacks.threads:
        top = thread.samples[-1].top or ""
        if thread.frame is not None and top.endswith(MADE):
            return thread.frame
    return next((kind.made_by for kind in facts.stacks.growing_kinds if kind.made_by is not None), None)
