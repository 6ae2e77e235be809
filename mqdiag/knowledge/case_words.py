"""The words of a rule's case, for the page of the rule."""

from __future__ import annotations

import msgspec

from mqdiag.findings import Confidence, Severity
from mqdiag.text import Text


class CaseWords(msgspec.Struct, frozen=True, kw_only=True):
    """One way in which the fault of a rule shows, with the names of values in place of values."""

    name: str
    severity: Severity
    confidence: Confidence
    titles: tuple[Text, ...]
    explanation: tuple[Text, ...]
    now: tuple[Text, ...]
    """what to do, with commands and prices, where the case has words of its own for it"""
    then: tuple[Text, ...]
