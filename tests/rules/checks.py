"""Running one rule on facts that differ in one place; each finding must carry the numbers that it states."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import msgspec

from mqdiag.facts import Facts, HeapFacts
from mqdiag.findings import Finding, Margin, Severity
from mqdiag.language import english
from mqdiag.rocketmq.clients.lite_pull import LitePull
from mqdiag.rocketmq.clients.pop import Pop
from mqdiag.rocketmq.clients.pull import Pull
from mqdiag.rocketmq.clients.push import Push
from mqdiag.rules.catalogue import rule_files
from mqdiag.rules.discovery import load
from mqdiag.rules.engine import Outcome, run_rules
from mqdiag.rules.rule import Rule
from tests.rules.numbers import unproven


def outcome_of(rules: list[Rule], facts: Facts, **limits: float) -> Outcome:
    """What the rules say, with these limits for each of them."""
    outcome = run_rules(rules, facts, limits={rule.name: limits for rule in rules})
    assert not outcome.failed, outcome.errors
    for finding in outcome.findings:
        assert not unproven(finding), finding.title
    return outcome


def named(name: str) -> Rule:
    """A rule by its name."""
    return next(load(file) for file in rule_files() if file.name == name)


def _rule(rule: ModuleType | Rule) -> Rule:
    if isinstance(rule, Rule):
        return rule
    assert isinstance(rule.RULE, Rule)
    return rule.RULE


def findings(rule: ModuleType | Rule, facts: Facts, **limits: float) -> tuple[Finding, ...]:
    """What a rule, or the rule of a module, finds."""
    return outcome_of([_rule(rule)], facts, **limits).findings


def severities(rule: ModuleType | Rule, facts: Facts) -> list[Severity]:
    return [finding.severity for finding in findings(rule, facts)]


def reasons(rule: ModuleType | Rule, facts: Facts) -> list[str]:
    """Why the rule could not decide, in English."""
    return [english()(skipped.reason) for skipped in outcome_of([_rule(rule)], facts).skipped]


def margins(rule: ModuleType | Rule, facts: Facts, **limits: float) -> tuple[Margin, ...]:
    """How far from its limits the rule was."""
    return outcome_of([_rule(rule)], facts, **limits).margins


def said(finding: Finding) -> str:
    """All that a finding explains and advises, in English."""
    return " ".join(map(english(), (finding.title, *finding.explanation, *finding.remedy)))


def heap_of(facts: Facts) -> HeapFacts:
    assert facts.heap is not None
    return facts.heap


def with_heap(facts: Facts, **changes: object) -> Facts:
    return msgspec.structs.replace(facts, heap=msgspec.structs.replace(heap_of(facts), **changes))


def with_consumer(facts: Facts, **changes: object) -> Facts:
    """The same with changes in the first consumer."""
    first, *others = heap_of(facts).consumers
    return with_heap(facts, consumers=(msgspec.structs.replace(first, **changes), *others))


def with_queue(facts: Facts, **changes: object) -> Facts:
    """The same with changes in the first queue."""
    first, *others = heap_of(facts).queues
    return with_heap(facts, queues=(msgspec.structs.replace(first, **changes), *others))


def of_kind(kind: str) -> dict[str, Any]:
    """Fields of a consumer of one kind, as its reader sets them."""
    (traits,) = (one.traits for one in (LitePull, Pop, Pull, Push) if one.name == kind)
    return {"kind": kind, "traits": traits}
