"""Checks over the RocketMQ view say why they cannot look: no object graph, a cut dump, or gRPC clients alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial, wraps

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import TIME
from mqdiag.rules.said import Check, Limits, Said, Skip
from mqdiag.rules.shared.words import Words
from mqdiag.text import Text

WORDS = Words("graph_needed")


def not_read(heap: HeapFacts, part: str) -> Skip:
    """Why a part of a dump was not read."""
    return Skip(reason=heap.unknown.get(part, WORDS.say("left_out")))


def without_graph(heap: HeapFacts) -> Skip | None:
    """A reason to skip when queues and holders were not read, as with `--quick`."""
    return not_read(heap, "process_queues") if heap.process_queues is None else None


def needs_graph(check: Check) -> Check:
    """Make a check of a heap only where its queues and holders were read."""
    return _unless(lambda facts: without_graph(_heap(facts)), check)


def needs_whole_graph(check: Check) -> Check:
    """The same for a check that concludes from what is not there: a cut dump lacks objects that the JVM had."""
    return _unless(_without_whole_graph, check)


def counts_ages(check: Check) -> Check:
    """Say of a check that counts ages where none is known; what it finds without them it tells all the same."""

    @wraps(check)
    def made(facts: Facts, limits: Limits) -> Iterator[Said]:
        why = _heap(facts).unknown.get(TIME)
        if why is not None:
            yield Skip(reason=WORDS.say("no_ages", why=why))
        yield from check(facts, limits)

    return made


def of_remoting_only(reason: Text) -> Callable[[Check], Check]:
    """Make a check of a heap only where a consumer is not of the gRPC client.

    Args:
        reason: why the check does not apply to the gRPC client.
    """

    def why_not(facts: Facts) -> Skip | None:
        consumers = () if facts.heap is None else facts.heap.consumers
        alone = bool(consumers) and all(one.traits.library == "grpc" for one in consumers)
        return Skip(reason=reason) if alone else None

    return partial(_unless, why_not)


def _unless(why_not: Callable[[Facts], Skip | None], check: Check) -> Check:
    @wraps(check)
    def made(facts: Facts, limits: Limits) -> Iterator[Said]:
        skip = why_not(facts)
        if skip is not None:
            yield skip
        else:
            yield from check(facts, limits)

    return made


def _without_whole_graph(facts: Facts) -> Skip | None:
    if not facts.heap_is_whole:
        return Skip(reason=WORDS.say("cut"))
    return without_graph(_heap(facts))


def _heap(facts: Facts) -> HeapFacts:
    assert facts.heap is not None
    return facts.heap
