"""Findings that a team has looked at and lives with, and acceptances without effect."""

from __future__ import annotations

from datetime import date

import msgspec

from mqdiag.facts.redaction import Public
from mqdiag.facts.vocabulary import LapseKind


class Acceptance(msgspec.Struct, frozen=True, kw_only=True):
    """Why a finding does not fail the run: a team has looked at it and lives with it, for now."""

    source: Public
    """the baseline or configuration file that says so"""
    reason: Public
    until: date | None = None
    """last day on which it holds; null if it has no end"""


class Lapsed(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of a baseline, or an ignored rule, that has no effect any more."""

    rule: Public
    fingerprint: Public | None = None
    """null for an ignored rule"""
    why: LapseKind
    """expired: its last day has passed; gone: the rule was checked and found nothing of the kind; worse: the
    finding is there, and of a worse severity than was accepted"""
    acceptance: Acceptance
