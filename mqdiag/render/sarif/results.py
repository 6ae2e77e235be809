"""A finding as a SARIF result."""

from __future__ import annotations

from typing import Any

import msgspec

from mqdiag.acceptance import Acceptance
from mqdiag.facts import Input
from mqdiag.findings import Finding, Report
from mqdiag.language import Writer
from mqdiag.render.sarif.artifacts import uri
from mqdiag.render.sarif.messages import message
from mqdiag.render.sarif.rules import LEVELS
from mqdiag.render.wording.about import about, about_line

FINGERPRINT = "mqdiag/v1"
MOST_LOCATIONS = 20
_KINDS = {"heap": "heap", "stacks": "stacks", "logs": "log"}
"""Kinds of inputs by what a rule needs."""


def result(finding: Finding, report: Report, write: Writer) -> dict[str, Any]:
    """Where it is: in which input, and on which group, queue or thread."""
    written: dict[str, Any] = {
        "ruleId": finding.rule,
        "level": LEVELS[finding.severity],
        "message": message(" ".join((f"{write(finding.title)}.", *map(write, finding.explanation)))),
        "locations": _locations(finding, report),
        "partialFingerprints": {FINGERPRINT: finding.fingerprint},
        "properties": _properties(finding),
    }
    index = next((place for place, card in enumerate(report.rule_cards) if card.name == finding.rule), None)
    if index is not None:
        written["ruleIndex"] = index
    if finding.accepted is not None:
        written["suppressions"] = [_suppression(finding.accepted)]
    return written


def _properties(finding: Finding) -> dict[str, Any]:
    return {
        "cause": finding.cause,
        "confidence": finding.confidence,
        "confidenceReason": finding.confidence_reason,
        "subject": msgspec.to_builtins(finding.subject),
        "evidence": msgspec.to_builtins(finding.evidence),
        "remedy": finding.remedy,
        "now": [*map(msgspec.structs.asdict, finding.now)],
        "then": [*map(msgspec.structs.asdict, finding.then)],
        "causedBy": finding.caused_by,
    }


def _suppression(acceptance: Acceptance) -> dict[str, Any]:
    properties = {"source": acceptance.source}
    if acceptance.until is not None:
        properties["until"] = acceptance.until.isoformat()
    return {
        "kind": "external",
        "status": "accepted",
        "justification": acceptance.reason,
        "properties": properties,
    }


def _locations(finding: Finding, report: Report) -> list[dict[str, Any]]:
    """The inputs on which its rule rests; each names the subject too, as viewers show the first one only."""
    subject = about(finding.subject)
    logical = [{"fullyQualifiedName": about_line(finding.subject), "kind": subject[-1][0]}] if subject else []
    return [
        {"physicalLocation": {"artifactLocation": {"uri": uri(given.path), "index": place}}}
        | ({"logicalLocations": logical} if logical else {})
        for place, given in _evidence(finding, report)
    ]


def _evidence(finding: Finding, report: Report) -> list[tuple[int, Input]]:
    read = [(place, given) for place, given in enumerate(report.inputs) if given.was_read]
    if finding.rests_on:
        paths = set(finding.rests_on)
        return [(place, given) for place, given in read if given.path in paths][:MOST_LOCATIONS]
    named = finding.evidence.get("path")
    if any(given.path == named for _, given in read):
        return [(place, given) for place, given in read if given.path == named][:MOST_LOCATIONS]
    card = next((card for card in report.rule_cards if card.name == finding.rule), None)
    needs = () if card is None else (*card.needs, *card.any_of)
    kinds = {_KINDS.get(need, need) for need in needs}
    return [(place, given) for place, given in read if given.kind in kinds or not kinds][:MOST_LOCATIONS]
