"""Checks over the RocketMQ view say why they cannot look: no object graph, a cut dump, or gRPC clients alone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import wraps

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import TIME
from mqdiag.knowledge.words import Words
from mqdiag.rules.draft import Check, Findings, Limits, Skip

WORDS = Words("graph_needed")


def not_read(heap: HeapFacts, part: str) -> Skip:
    """Why a part of a dump was not read."""
    return Skip(reason=heap.unknown.get(part, WORDS.say("left_out")))


def without_graph(heap: HeapFacts) -> Skip | None:
    """A reason to skip when queues and holders were not read, as with `--quick`."""
    return not_read(heap, "process_queues") if heap.process_queues is None else None


def without_whole(facts: Facts) -> Skip | None:
    """A reason to skip for a check that concludes from what is not there: a cut dump lacks objects that the JVM had."""
    return None if facts.heap_is_whole else Skip(reason=WORDS.say("cut"))


def with_ages(parts: Iterator[HeapFacts | Skip]) -> Iterator[HeapFacts | Skip]:
    """The parts that a check of ages is given; before a heap in which no age is known, that it is so."""
    for part in parts:
        why = part.unknown.get(TIME) if isinstance(part, HeapFacts) else None
        if why is not None:
            yield Skip(reason=WORDS.say("no_ages", why=why))
        yield part


def needs_graph(check: Check) -> Check:
    """Make a check of all facts only where the queues and holders of the heap dump were read."""

    @wraps(check)
    def made(facts: Facts, limits: Limits) -> Findings:
        skip = None if facts.heap is None else without_graph(facts.heap)
        if skip is not None:
            yield skip
        else:
            yield from check(facts, limits)

    return made
