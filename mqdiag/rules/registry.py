"""What a rule is made of, and the decorator that checks it is whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from mqdiag.facts import Facts
from mqdiag.findings import Confidence, EvidenceValue, RuleCard, Severity, Spell, Subject
from mqdiag.language import later

LITERALS = later("values set by hand, and real dumps without the fault; no real dump with it was at hand")
"""`proven_on` of rules whose fault could not be provoked"""
RIG = later(
    "real dumps of 4.9.7 and 5.3.3 that fixtures/rig/incidents makes again; they are too big to be kept"
)
"""`proven_on` of rules that were tried on dumps of the rig's cases faulty-*"""

Limits = Mapping[str, float]
"""A rule's thresholds by name, with the values of `mqdiag.toml` put over the defaults."""


@dataclass(frozen=True, kw_only=True)
class Draft:
    """What a rule says; the engine adds name, references and fingerprint to make it a finding."""

    severity: Severity
    cause: str
    confidence: Confidence
    title: str
    subject: Subject = field(default_factory=Subject)
    evidence: Mapping[str, EvidenceValue] = field(default_factory=dict)
    explanation: tuple[str, ...] = ()
    remedy: tuple[str, ...]
    confidence_reason: str = ""
    weight: float = 0.0
    seen_in: tuple[str, ...] = ()
    """parts of `Facts` that it was found in; empty for all that the rule needs"""
    rests_on: tuple[str, ...] = ()
    """the logs that have its lines, where they tell of which process it is"""
    spells: tuple[Spell, ...] = ()
    """when it was, by the lines of logs; the engine fills in the time of a dump"""


@dataclass(frozen=True, kw_only=True)
class Skip:
    """Part of a rule that could not be decided, and why."""

    reason: str


Check = Callable[[Facts, Limits], Iterator[Draft | Skip]]


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A check with its card."""

    card: RuleCard
    check: Check
    explained_by: tuple[str, ...]
    """rules whose finding on the same subject is the root cause of this one"""
    of_process: bool = False


NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def rule(
    *,
    name: str,
    title: str,
    why: str,
    causes: tuple[str, ...],
    severities: tuple[Severity, ...],
    remedy: tuple[str, ...],
    references: tuple[str, ...],
    needs: tuple[str, ...] = (),
    any_of: tuple[str, ...] = (),
    limits: dict[str, float] | None = None,
    explained_by: tuple[str, ...] = (),
    of_process: bool = False,
    since: str = "0.1.0",
    proven_on: str = "",
) -> Callable[[Check], Rule]:
    """Make a rule of a check.

    Args:
        name: stable kebab-case name of the fault; the file carries it with underscores.
        title: the fault as one sentence.
        why: what goes wrong and why it matters, for the rule's page.
        causes: all values that `cause` can have.
        severities: all severities that it can give, worst first.
        remedy: what to change in general; a finding's own remedy names the values.
        references: articles, issues, classes that the rule rests on.
        needs: parts of `Facts` without which the rule is skipped: "heap", "stacks", "logs".
        any_of: parts of which one is enough; the rule asks the facts which are there.
        limits: thresholds by name; `mqdiag.toml` can set each.
        explained_by: rules whose finding on the same subject causes this one; "rule:cause" where only one of its
            causes does.
        of_process: it names a thread, yet hits the whole process: it may explain what any group of it suffers.
        since: first version that has the rule.
        proven_on: said where no real evidence of the fault was at hand: what the rule was tried on instead.
    """
    if not NAME.fullmatch(name):
        raise ValueError(f"rule name {name!r} is not kebab-case")
    for label, text in (("title", title), ("why", why), ("causes", causes), ("remedy", remedy)):
        if not text:
            raise ValueError(f"rule {name}: {label} is empty")
    card = RuleCard(
        name=name,
        title=str(title),
        why=why,
        causes=causes,
        severities=severities,
        remedy=tuple(map(str, remedy)),
        references=references,
        needs=needs,
        any_of=any_of,
        limits=limits or {},
        since=since,
        proven_on=str(proven_on),
    )

    def make(check: Check) -> Rule:
        return Rule(card=card, check=check, explained_by=explained_by, of_process=of_process)

    return make
