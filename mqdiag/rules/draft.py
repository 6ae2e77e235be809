"""What a check of a rule says: findings, parts that it could not decide, and how far a value was from its limit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import msgspec

from mqdiag.facts import Facts
from mqdiag.findings import Confidence, EvidenceValue, Margin, Severity, Subject, TimeRange
from mqdiag.text import NOTHING, Text

Limits = Mapping[str, float]
"""A rule's thresholds by name, with the values of `mqdiag.toml` put over the defaults."""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """An action with the ways to say it; of each part the engine takes the first whose values the evidence has."""

    texts: tuple[Text, ...]
    """without one that can be said the step is left out"""
    commands: tuple[Text, ...] = ()
    risks: tuple[Text, ...] = ()
    then: tuple[Text, ...] = ()
    """stands behind the text"""


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """What a rule says; the engine adds name, references and fingerprint to make it a finding."""

    severity: Severity
    cause: str
    confidence: Confidence
    title: Text
    subject: Subject = msgspec.field(default_factory=Subject)
    evidence: Mapping[str, EvidenceValue] = msgspec.field(default_factory=dict)
    """the numbers and names that the sentences state"""
    explanation: tuple[Text, ...] = ()
    now: tuple[Step, ...] = ()
    """what to do in this minute"""
    then: tuple[Step, ...] = ()
    """what to change so that it does not come back"""
    confidence_reason: Text = NOTHING
    processes: tuple[str, ...] = ()
    """names of the processes that it is about, where a rule over evidence of none knows them"""
    felt_in: tuple[str, ...] = ()
    """names of other processes that are known to wait for what it is about"""
    unsigned: bool = False
    """all lines that show it may be a part of a message that somebody wrote"""
    may_be_quoted: bool = False
    """a user may have written all that shows it into a value of the evidence"""
    sure_in_excerpt: bool = False
    """lines of an excerpt are enough for high confidence"""
    weight: float = 0.0
    """share of the heap or of the threads that it explains"""
    seen_in: tuple[str, ...] = ()
    """kinds of evidence that show it, where they are not those of the check"""
    rests_on: tuple[str, ...] = ()
    """the logs that have its lines, where they tell of which process it is"""
    when: tuple[TimeRange, ...] = ()
    """when it was, by the lines of logs; the engine fills in the time of a dump"""
    age_ms: float | None = None
    """for how long the fault had lasted when a dump was taken"""
    consequence: Text = NOTHING
    """its impact now, for the operator: what a restart costs, what is delivered again"""
    tells_most: bool = False
    """among findings of this rule it is the one that tells a chain of causes best"""
    undecides: bool = False
    """it says that the evidence does not tell a fault from work, not that something is wrong"""
    gives_way_to: tuple[str, ...] = ()
    """rules of which a finding takes its place, and marks, as in the card"""
    in_chain: Text = NOTHING
    """the fault as a link of a chain of causes; empty for the words of the rule"""


class Skip(msgspec.Struct, frozen=True, kw_only=True):
    """Part of a rule that could not be decided, and why."""

    reason: Text


Result = Draft | Skip | Margin
"""What a check yields: a finding, a part that it could not decide, how far it was from a limit."""
Findings = Iterator[Result]
"""All that a check yields."""
Check = Callable[[Facts, Limits], Findings]
