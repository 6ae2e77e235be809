"""An input is cut or partly corrupt: it was analysed as far as it goes."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts, Input
from mqdiag.findings import Confidence, Severity
from mqdiag.language import english
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.text import Text, say

RULE = Rule(
    name="input-incomplete",
    title="The input is cut or partly corrupt",
    why=(
        "A JVM that is killed while it writes a dump, a full disk or an interrupted copy leave a file that ends early."
        " mqdiag analyses what comes before the cut. Counts are lower bounds, and what only the missing part holds"
        " (often the GC roots, which the JVM writes last) cannot be judged. Where the part that is there holds nothing"
        " of RocketMQ, nothing at all could be decided."
    ),
    causes=("incomplete-input",),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Compare the file's size with the original on the host where it was written, and copy it again.",
        "If the original is cut too, take the dump again with enough free disk (about as much as the used heap).",
    ),
    references=("hprof 1.0.2: HEAP_DUMP_END closes a complete dump",),
    lies_at="any",
    undecides=True,
)


def fires() -> Facts:
    """A dump cut at half its length."""
    cut = Input(
        path="dump.hprof",
        kind="heap",
        bytes=1000,
        complete=False,
        stopped_at_byte=500,
        read_share=0.5,
        problem=say("a record of 200 bytes ends beyond the file"),
    )
    return Facts(inputs=(cut,))


def silent() -> Facts:
    """A whole dump."""
    return Facts(inputs=(Input(path="dump.hprof", kind="heap", bytes=1000),))


@RULE.sees()
def in_inputs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each incomplete input."""
    decided = _something_to_judge(facts)
    for given in facts.inputs:
        if not given.complete and given.error is None:
            yield _draft(given, decided=decided)


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
    )


def _holds_rocketmq(heap: HeapFacts) -> bool:
    return bool(
        heap.consumers or heap.queues or heap.messages or heap.sending or heap.broker or heap.out_of_memory
    )


def _title(given: Input, *, decided: bool) -> Text:
    unknown = given.read_share is None
    if not decided and unknown:
        return say("{path} is incomplete, and what is there does not suffice to decide anything")
    if not decided:
        return say(
            "{path} is incomplete, and the {read_share:percent} that were read do not suffice to decide anything"
        )
    if given.kind != "heap":
        return say("{path} is incomplete; what the rest would show is not in this report")
    if unknown:
        return say("{path} is incomplete; all counts but those of unreachable objects are lower bounds")
    return say(
        "{path} is incomplete, {read_share:percent} of it was read; all counts but those of unreachable objects are"
        " lower bounds"
    )


def _draft(given: Input, *, decided: bool) -> Draft:
    lost = None if given.found_references_share is None else round(1 - given.found_references_share, 4)
    lines = [
        say("It is incomplete: {problem}.", problem=given.problem)
        if given.stopped_at_byte is None
        else say("Reading stopped at byte {stopped_at_byte}: {problem}.", problem=given.problem)
    ]
    if given.read_share is None:
        lines.append(say("Nothing tells how many bytes are missing."))
    if lost is not None:
        lines.append(
            say("{lost_references_share:percent} of the references lead to objects that the file lacks.")
        )
    return Draft(
        severity=Severity.WARNING if decided else Severity.ERROR,
        cause="incomplete-input",
        confidence=Confidence.HIGH,
        title=_title(given, decided=decided),
        evidence={
            "path": given.path,
            "stopped_at_byte": given.stopped_at_byte,
            "bytes": given.bytes,
            "read_share": given.read_share,
            "found_references_share": given.found_references_share,
            "lost_references_share": lost,
            "problem": None if given.problem is None else english()(given.problem),
        },
        explanation=tuple(lines),
        remedy=RULE.remedy,
    )
