"""An input is cut or partly corrupt: it was analysed as far as it goes."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, Input
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.text import say


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


@rule(
    name="input-incomplete",
    title="The input is cut or partly corrupt",
    why=(
        "A JVM that is killed while it writes a dump, a full disk or an interrupted copy leave a file that ends"
        " early. What comes before the cut is analysed; counts are lower bounds, and what only the missing part"
        " holds (often the GC roots, which the JVM writes last) cannot be judged."
    ),
    causes=("incomplete-input",),
    severities=(Severity.WARNING,),
    remedy=(
        "Compare the file's size with the one on the host where it was written; copy it again.",
        "If it is cut there too: take the dump again with enough free disk (about the used heap).",
    ),
    references=("hprof 1.0.2: HEAP_DUMP_END closes a complete dump",),
    needs=(),
    undecides=True,
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each incomplete input."""
    for given in facts.inputs:
        if given.complete or given.error is not None:
            continue
        share = ""
        if given.read_share is not None:
            share = say(", {read_share:percent} of it was read", read_share=given.read_share)
        lines = [
            say(
                "Reading stopped at byte {stopped_at_byte}: {problem}.",
                stopped_at_byte=given.stopped_at_byte,
                problem=given.problem,
            )
        ]
        if given.read_share is None:
            lines.append(say("How many of its bytes are missing cannot be told."))
        if given.found_references_share is not None:
            lines.append(
                say(
                    (
                        "{found_references_share:percent} of the references lead to objects that the file does not"
                        " hold."
                    ),
                    found_references_share=1 - given.found_references_share,
                )
            )
        yield Draft(
            severity=Severity.WARNING,
            cause="incomplete-input",
            confidence=Confidence.HIGH,
            title=say(
                "{path} is incomplete{share}; all numbers are lower bounds", path=given.path, share=share
            ),
            evidence={
                "path": given.path,
                "stopped_at_byte": given.stopped_at_byte,
                "bytes": given.bytes,
                "read_share": given.read_share,
                "found_references_share": given.found_references_share,
                "problem": given.problem,
            },
            explanation=tuple(lines),
            remedy=check.card.remedy,
        )
