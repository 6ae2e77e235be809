"""The story behind the answer: the chain of causes, how sure it is, and which evidence is missing."""

from __future__ import annotations

import msgspec

from mqdiag.facts.redaction import Public
from mqdiag.facts.vocabulary import CommandPlace, ConfidenceLevel
from mqdiag.text import Text, no_words


class ChainStep(msgspec.Struct, frozen=True, kw_only=True):
    """One link of the chain from the root cause to what people noticed."""

    fingerprint: Public
    """the finding that proves it"""
    also: tuple[Public, ...] = ()
    """findings that show the same in other evidence"""
    says: Text
    """the step in a few words"""
    word: Text = msgspec.field(default_factory=no_words)
    """how it follows from the step before; empty for the root cause"""
    tied_by: tuple[Text, ...] = ()
    """what the two steps have in common: group, queue, message, thread"""
    seen_in: tuple[Public, ...] = ()
    """kinds of evidence"""


class CollectCommand(msgspec.Struct, frozen=True, kw_only=True):
    """How to collect one piece of evidence in one kind of place."""

    where: CommandPlace
    lines: tuple[Text, ...]
    """for a shell; words in capitals stand for what the evidence does not tell"""


class MissingEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """Evidence that would make the verdict surer."""

    what: Text
    why: Text
    caution: Text = msgspec.field(default_factory=no_words)
    """what collecting it costs the process"""
    commands: tuple[CollectCommand, ...] = ()


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """The chain of causes that `mqdiag diagnose` found in all evidence together."""

    statement: Text = msgspec.field(default_factory=no_words)
    """the root cause and what it led to; empty where no fault was found"""
    confidence: ConfidenceLevel | None = None
    """null where nothing is claimed"""
    confidence_reason: Text = msgspec.field(default_factory=no_words)
    chain: tuple[ChainStep, ...] = ()
    """root cause first"""
    consequences: tuple[Text, ...] = ()
    """the impact now: backlog, messages that a restart delivers again"""
    agreements: tuple[Text, ...] = ()
    """where independent evidence shows the same"""
    contradictions: tuple[Text, ...] = ()
    """where evidence disagrees, with what may explain it"""
    elsewhere: tuple[Text, ...] = ()
    """faults of other times or other brokers, which the chain has nothing to do with"""
    read_evidence: tuple[Text, ...] = ()
    """the evidence that it rests on, one line each"""
    missing_evidence: tuple[MissingEvidence, ...] = ()
