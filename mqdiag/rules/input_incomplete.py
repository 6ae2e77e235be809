"""An input is cut or partly corrupt: it was analysed as far as it goes."""

from __future__ import annotations

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.services import ServicesFacts
from mqdiag.language import english
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("input-incomplete")


@RULE.sees()
def in_inputs(facts: Facts, limits: Limits) -> Findings:
    """One finding for each incomplete input."""
    name = "incomplete-input" if _something_to_judge(facts) else "nothing-decided"
    for given in facts.inputs:
        if given.complete or given.error is not None:
            continue
        found = given.found_references_share
        yield RULE.case(
            "incomplete-capture" if given.kind == "capture" else name,
            given,
            evidence={
                "lost_references_share": None if found is None else round(1 - found, 4),
                "problem": None if given.problem is None else english()(given.problem),
            },
            words={
                "whole": given.path.partition("!")[0],
                "of_heap": given.kind == "heap",
                "of_recording": given.kind == "recording",
                "of_dumps": given.has_two_processes,
                "length_unknown": given.read_share is None,
            },
            rows={"problems": ({"problem": given.problem},)},
        )


def _something_to_judge(facts: Facts) -> bool:
    """Whether what was read holds anything that a rule decides about, or one input is whole.

    A heap dump that was read without the graph has counts only, as its user wanted.
    """
    if any(given.complete and given.was_read for given in facts.inputs):
        return True
    heap, stacks, logs = facts.heap, facts.stacks, facts.logs
    return (
        (heap is not None and (heap.process_queues is None or _holds_rocketmq(heap)))
        or (stacks is not None and bool(stacks.threads))
        or (logs is not None and logs.lines > 0)
        or facts.admin is not None
        or facts.crash is not None
        or facts.stores is not None
        or (facts.services is not None and facts.services != ServicesFacts())
        or _holds_samples(facts)
    )


def _holds_samples(facts: Facts) -> bool:
    """Whether a recording or a profile shows what threads did."""
    recordings = () if facts.recordings is None else facts.recordings.recordings
    profiles = () if facts.profiles is None else facts.profiles.profiles
    return any(one.budgets or one.hot_methods for one in recordings) or any(
        one.groups or one.hot_methods for one in profiles
    )


def _holds_rocketmq(heap: HeapFacts) -> bool:
    return bool(
        heap.consumers or heap.queues or heap.messages or heap.sending or heap.broker or heap.out_of_memory
    )
