"""One verdict out of all evidence: what happened, how it follows, how sure it is, and what would make it surer."""

from __future__ import annotations

import msgspec


class ChainStep(msgspec.Struct, frozen=True, kw_only=True):
    """One link of the chain from the root cause to what people noticed."""

    fingerprint: str
    """the finding that proves it"""
    also: tuple[str, ...] = ()
    """findings that show the same in other evidence"""
    says: str
    """the step in a few words"""
    word: str = ""
    """how it follows from the step before; empty for the root cause"""
    tied_by: tuple[str, ...] = ()
    """what the two steps have in common: group, queue, message, thread"""
    seen_in: tuple[str, ...] = ()
    """kinds of evidence"""


class CollectCommand(msgspec.Struct, frozen=True, kw_only=True):
    """How to collect one piece of evidence in one kind of place."""

    where: str
    """host, container or kubernetes"""
    lines: tuple[str, ...]
    """for a shell; words in capitals stand for what the evidence does not tell"""


class MissingEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """What would make the verdict surer."""

    what: str
    why: str
    caution: str = ""
    """what collecting it costs the process"""
    commands: tuple[CollectCommand, ...] = ()


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """The one answer of `mqdiag diagnose`."""

    healthy: bool
    """no fault was found by the rules that had evidence"""
    statement: str
    """one or two sentences"""
    confidence: str | None = None
    """high, medium or low; null where nothing is claimed"""
    confidence_reason: str = ""
    chain: tuple[ChainStep, ...] = ()
    """root cause first"""
    consequences: tuple[str, ...] = ()
    """what follows for the operator now: backlog, messages that a restart delivers again"""
    agreements: tuple[str, ...] = ()
    """where independent evidence says the same"""
    contradictions: tuple[str, ...] = ()
    """where evidence disagrees, with what may explain it"""
    elsewhere: tuple[str, ...] = ()
    """faults of other times or other brokers, which the chain has nothing to do with"""
    checked: tuple[str, ...] = ()
    """the evidence that it rests on, one line each"""
    surer: tuple[MissingEvidence, ...] = ()
