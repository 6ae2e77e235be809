"""What holds for all rules; a new rule file is covered without a line here."""

from __future__ import annotations

import re
import sys

import msgspec

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Confidence, Finding
from mqdiag.fingerprints import fingerprint
from mqdiag.knowledge import packed
from mqdiag.knowledge.card_files import FOLDER
from mqdiag.language import english
from mqdiag.logs.statements import searched
from mqdiag.report_json import finding_from_json, finding_values
from mqdiag.rules.catalogue import rule_files
from mqdiag.rules.discovery import all_rules
from mqdiag.rules.engine import NAMES, Outcome, run_rules
from mqdiag.rules.rule import Rule
from mqdiag.text import KINDS, Text, say
from tests.folded import folded
from tests.layers import CHECK
from tests.rules.examples import example_of
from tests.rules.numbers import unproven

CARDS = {file.name: file.card for file in rule_files()}
every_rule = folded("rule", all_rules(), lambda rule: rule.name)


def _run(rule: Rule, facts: Facts) -> Outcome:
    outcome = run_rules([rule], facts)
    assert not outcome.failed, outcome.errors
    return outcome


def _finding(rule: Rule) -> Finding:
    (finding,) = _run(rule, example_of(rule).fires()).findings
    return finding


@every_rule
def test_fires(rule: Rule) -> None:
    assert _finding(rule).rule == rule.name


@every_rule
def test_is_silent(rule: Rule) -> None:
    outcome = _run(rule, example_of(rule).silent())
    assert outcome.findings == ()
    assert outcome.skipped == ()


@every_rule
def test_margins_of_a_silent_rule_are_below_their_limits(rule: Rule) -> None:
    for margin in _run(rule, example_of(rule).silent()).margins:
        assert margin.rule == rule.name
        assert margin.value <= margin.limit
        assert margin.kind in KINDS - {""}
        _check_text(margin.label)


@every_rule
def test_finding_keeps_to_the_card(rule: Rule) -> None:
    card = CARDS[rule.name]
    finding = _finding(rule)
    assert finding.cause in card.causes
    assert finding.severity in card.severities
    assert finding.fingerprint == fingerprint(card.name, finding.cause, finding.subject)


@every_rule
def test_texts(rule: Rule) -> None:
    card = CARDS[rule.name]
    assert card.references
    assert not english()(card.title).endswith(".")
    for text in (card.title, card.why, *card.remedy, *(action.in_a_line for action in card.now)):
        _check_text(text)
    finding = _finding(rule)
    assert finding.explanation
    assert finding.remedy
    assert finding.evidence
    assert finding.confidence_reason or finding.confidence is Confidence.HIGH
    for text in (*finding.explanation, *finding.remedy, finding.title, finding.in_chain):
        _check_text(text)


@every_rule
def test_a_card_says_what_to_do_now_or_that_nothing_helps_at_once(rule: Rule) -> None:
    written = msgspec.msgpack.decode(packed.read(FOLDER)[rule.name])
    assert "now" in written, "an empty list says that nothing helps in this minute"


def _check_text(text: Text) -> None:
    assert isinstance(text, Text)
    written = english()(text)
    assert written == written.strip()
    assert "  " not in written
    assert not re.search(r"\bNone\b|\{|\}", written), written


@every_rule
def test_every_number_of_a_sentence_is_evidence(rule: Rule) -> None:
    assert not unproven(_finding(rule))


def test_a_number_without_evidence_is_seen() -> None:
    finding = _finding(all_rules()[0])
    for nested in (say("{found:count} more", found=4711), say("{all}", all=(say("{found}", found="4711"),))):
        claimed = msgspec.structs.replace(finding, title=nested)
        assert unproven(claimed) == {4711}
        assert not unproven(msgspec.structs.replace(claimed, evidence={**finding.evidence, "found": (4711,)}))


@every_rule
def test_finding_survives_json(rule: Rule) -> None:
    values = finding_values(_finding(rule))
    assert finding_values(finding_from_json(msgspec.json.encode(values))) == values


@every_rule
def test_needs_and_limits(rule: Rule) -> None:
    card = CARDS[rule.name]
    assert {*card.needs, *card.any_of} <= {*NAMES, "inputs"}
    assert all(isinstance(value, int | float) for value in card.limits.values())
    if card.needs or card.any_of:
        assert _run(rule, Facts()).skipped, "without its evidence a rule says so"


@every_rule
def test_other_rules_that_are_named_exist(rule: Rule) -> None:
    rules = {one.name: one.texts.all_causes for one in all_rules()}
    own = CARDS[rule.name]
    for named in (*own.explained_by, *own.leads_to, *own.same_as):
        name, _, cause = named.partition(":")
        assert name in rules
        assert not cause or cause in rules[name]


@every_rule
def test_a_limit_may_be_set_to_the_ends_of_its_range(rule: Rule) -> None:
    example, ranges = example_of(rule), rule.texts.ranges
    for name in rule.limits:
        for value in ranges.get(name, (0, 1e9)):
            for facts in (example.fires(), example.silent()):
                outcome = run_rules([rule], facts, limits={rule.name: {name: value}})
                assert not outcome.failed, (name, value, outcome.failed)


@every_rule
def test_docstrings(rule: Rule) -> None:
    file = sys.modules.get(f"mqdiag.rules.{rule.name.replace('-', '_')}")
    assert file is None or file.__doc__
    assert example_of(rule).fires.__doc__
    assert example_of(rule).silent.__doc__


def test_names_are_unique() -> None:
    names = [rule.name for rule in all_rules()]
    assert names == sorted(set(names))


@every_rule
def test_does_not_crash_on_what_is_unknown(rule: Rule) -> None:
    """Facts in which everything that may be unknown is."""
    facts = example_of(rule).fires()
    if facts.heap is not None:
        bare = {
            field.name: None
            for field in msgspec.structs.fields(facts.heap)
            if not field.required and field.default is None
        }
        _run(rule, msgspec.structs.replace(facts, heap=msgspec.structs.replace(facts.heap, **bare)))
        hollow = [
            msgspec.structs.replace(facts.heap, consumers=(), queues=(), suspects=(), threads=()),
            msgspec.structs.replace(facts.heap, shallow_bytes=None, unreachable_bytes=None),
            msgspec.structs.replace(facts.heap, shallow_bytes=0, unreachable_bytes=0, heap_bytes=None),
            msgspec.structs.replace(
                facts.heap,
                consumers=tuple(_unknown(one) for one in facts.heap.consumers),
                queues=tuple(_unknown(one) for one in facts.heap.queues),
            ),
        ]
        for heap in hollow:
            _run(rule, msgspec.structs.replace(facts, heap=heap))


def _unknown(value: msgspec.Struct) -> msgspec.Struct:
    """The same with every optional part unknown and no settings."""
    empty = {
        field.name: None
        for field in msgspec.structs.fields(value)
        if not field.required and field.default is None
    }
    names = {field.name for field in msgspec.structs.fields(value)}
    return msgspec.structs.replace(value, **empty, **({"config": {}} if "config" in names else {}))


@CHECK
def test_an_event_without_numbers_and_words_crashes_no_rule() -> None:
    """What a line lacks, or a redacted report left out, leaves a sentence out and not the finding."""
    kinds = {event.kind for event in searched().events if event.kind} | {
        "commit-log-tail-lost",
        "consume-queue-order",
    }
    for kind in sorted(kinds):
        event = LogEvent(kind=kind, side="broker", count=1000, first=None, last=None)
        outcome = run_rules(all_rules(), Facts(logs=LogsFacts(events=(event,), lines=2000)))
        assert not outcome.failed, (kind, outcome.failed)
