"""Names of the kinds of evidence, which a saved report of another version may not share."""

from __future__ import annotations

from mqdiag.facts.evidence_kinds import NAMES, evidence_names


def test_an_unknown_kind_stands_for_itself() -> None:
    assert evidence_names(["heap", "dreams"]) == (NAMES["heap"], "dreams")
