"""What is said of how much is missing: bytes where the file states its size, references where only they tell."""

from __future__ import annotations

import msgspec

from mqdiag.facts import Facts
from mqdiag.findings import Finding, Severity
from mqdiag.language import english
from mqdiag.rules import input_incomplete
from mqdiag.rules.engine import run_rules
from mqdiag.text import say
from tests.rules.examples import example_of
from tests.rules.examples.consumer import example


def finding(read_share: float | None, found_references_share: float | None) -> Finding:
    given = msgspec.structs.replace(
        example_of(input_incomplete).fires().inputs[0],
        read_share=read_share,
        found_references_share=found_references_share,
    )
    return run_rules([input_incomplete.RULE], Facts(inputs=(given,), heap=example().heap)).findings[0]


def lines(found: Finding) -> list[str]:
    return [english()(line) for line in found.explanation]


def test_a_stated_size_gives_the_share_of_its_bytes() -> None:
    said = finding(0.8, None)
    assert "80 % of it was read" in english()(said.title)
    assert not any("missing bytes" in line for line in lines(said))


def test_references_are_told_as_references_never_as_bytes() -> None:
    said = finding(None, 0.8)
    assert "was read" not in english()(said.title)
    assert "The number of missing bytes is unknown." in lines(said)
    assert any(line.startswith("20 % of the references lead to objects") for line in lines(said))


def test_a_well_formed_dump_that_lacks_objects_stopped_at_no_byte() -> None:
    given = msgspec.structs.replace(
        example_of(input_incomplete).fires().inputs[0],
        stopped_at_byte=None,
        read_share=None,
        problem=say("records of objects are missing"),
    )
    said = run_rules([input_incomplete.RULE], Facts(inputs=(given,), heap=example().heap)).findings[0]
    assert "It is incomplete: records of objects are missing." in lines(said)
    assert not any("None" in line or "byte {" in line for line in lines(said))


def test_a_cut_input_that_decides_nothing_is_an_error() -> None:
    """With a consumer in what was read, or a whole input beside it, it is a warning."""
    (cut,) = example_of(input_incomplete).fires().inputs
    whole = msgspec.structs.replace(cut, path="j1.log", kind="stacks", complete=True, problem=None)
    heap = example().heap
    assert heap is not None
    without = msgspec.structs.replace(heap, consumers=(), queues=(), messages=0, sending=None, broker=None)
    severities = {
        name: run_rules([input_incomplete.RULE], facts).findings[0].severity
        for name, facts in {
            "a consumer": Facts(inputs=(cut,), heap=heap),
            "a whole input": Facts(inputs=(cut, whole), heap=without),
            "nothing of RocketMQ": Facts(inputs=(cut,), heap=without),
        }.items()
    }
    assert severities == {
        "a consumer": Severity.WARNING,
        "a whole input": Severity.WARNING,
        "nothing of RocketMQ": Severity.ERROR,
    }
