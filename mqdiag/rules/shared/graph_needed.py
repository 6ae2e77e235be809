"""Rules over the RocketMQ view say so when a run left the object graph out."""

from __future__ import annotations

from mqdiag.facts import Facts, HeapFacts
from mqdiag.rules.registry import Skip
from mqdiag.text import say


def without_graph(heap: HeapFacts) -> Skip | None:
    """A reason to skip when queues and holders were not read, as with `--quick`."""
    if heap.process_queues is None:
        return Skip(reason=heap.unknown.get("process_queues", say("the object graph was left out (--quick)")))
    return None


def without_whole_graph(facts: Facts) -> Skip | None:
    """The same for rules that conclude from what is not there: a cut dump lacks objects that the JVM had."""
    assert facts.heap is not None
    if any(one.kind == "heap" and not one.complete for one in facts.inputs):
        return Skip(reason=say("the dump is cut or damaged: what it lacks proves nothing"))
    return without_graph(facts.heap)
