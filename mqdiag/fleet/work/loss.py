"""Files that give no rows, and why."""

from __future__ import annotations

import msgspec

from mqdiag.facts.vocabulary import LossKind
from mqdiag.fleet.files.incidents import IncidentFile
from mqdiag.language import english
from mqdiag.text import Text


class Lost(msgspec.Struct, frozen=True, kw_only=True):
    """A file that could not be analysed."""

    file: IncidentFile
    kind: LossKind
    reason: Text


class NotAnalysed(Exception):
    """A file could not be fetched, or the analysing process gave no rows.

    Args:
        kind: what was lacking, or what happened.
        reason: the same, as the tables tell it.
    """

    def __init__(self, *, kind: LossKind, reason: Text) -> None:
        self.kind = kind
        self.reason = reason
        super().__init__(english()(reason))
