"""What was found: a card for each finding, with its evidence and what to change."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.findings import EvidenceValue, Finding, Report
from mqdiag.render import View
from mqdiag.render.parts import AnyPart, Bullets, Card, Fold, Pairs, Paragraph, Section, Steps, Words
from mqdiag.render.wording.about import about, about_line
from mqdiag.render.wording.accepted import accepted_line, lapsed_line
from mqdiag.render.wording.words import word
from mqdiag.text import Text, Value, say

_KINDS = (("_bytes", "bytes"), ("_share", "percent"), ("_ms", "ms"), ("_seconds", "seconds"))

RULES_HINT = Paragraph(say("`mqdiag rules NAME` explains a rule and its sources."), soft=True)


def findings_section(report: Report, view: View) -> Iterator[Section]:
    """All findings but the one that the answer shows, in the report's order."""
    answering = answering_finding(report)
    others = [found for found in report.findings if found is not answering]
    parts: list[AnyPart] = [finding_card(found, report) for found in others]
    if others:
        parts.append(RULES_HINT)
    if report.lapsed:
        parts.append(
            Bullets([lapsed_line(lapsed) for lapsed in report.lapsed], title=say("Accepted no longer"))
        )
    if parts:
        title = say("Findings") if len(others) == len(report.findings) else say("Also found")
        yield Section(name="findings", title=title, parts=parts)


def answering_finding(report: Report) -> Finding | None:
    """The finding that is the whole answer; None where the answer joins several, or is a sentence of its own."""
    verdict = report.verdict
    if verdict is None or len(verdict.chain) != 1:
        return next((found for found in report.findings if found.title == report.answer.text), None)
    (step,) = verdict.chain
    return next((found for found in report.findings if found.fingerprint == step.fingerprint), None)


def finding_card(finding: Finding, report: Report) -> Card:
    """One finding whole."""
    label: Words = word(finding.severity.value)
    parts: list[AnyPart] = []
    named = _about(finding)
    if named:
        parts.append(Paragraph(named))
    if finding.accepted is not None:
        label = say("{severity} (known)", severity=label)
        parts.append(Paragraph(say("Accepted: {why}", why=accepted_line(finding.accepted))))
    parts.append(Bullets(finding.explanation or _sentences(finding), title=_why(finding)))
    titles = {other.fingerprint: other.title for other in report.findings}
    parts += [
        Paragraph(say("Follows from: {title}", title=titles[root]), link=anchor(root))
        for root in finding.caused_by
        if root in titles
    ]
    if finding.remedy:
        parts.append(Steps(finding.remedy, title=say("What to change")))
    parts.append(Fold(say("Evidence in numbers, and sources"), _evidence(finding), wide=True))
    parts.append(
        Paragraph(
            say("rule {rule}, cause {cause}", rule=finding.rule, cause=finding.cause),
            soft=True,
        )
    )
    return Card(
        name=anchor(finding.fingerprint),
        state=finding.severity.value,
        label=label,
        title=finding.title,
        parts=parts,
    )


def anchor(fingerprint: str) -> str:
    """The id of a finding's card in a page."""
    return f"finding-{fingerprint}"


def _about(finding: Finding) -> Text | None:
    """What it is about, unless its title names all of it."""
    named = set(map(str, finding.title.values.values()))
    if all(value in named for _, value in about(finding.subject)):
        return None
    return about_line(finding.subject)


def _why(finding: Finding) -> Text:
    sure = say("{confidence} confidence", confidence=word(finding.confidence.value))
    if not finding.confidence_reason:
        return say("Why ({sure})", sure=sure)
    return say("Why ({sure}: {reason})", sure=sure, reason=finding.confidence_reason)


def _evidence(finding: Finding) -> list[AnyPart]:
    parts: list[AnyPart] = [
        Pairs(
            [(_name(key), _value(key, value)) for key, value in finding.evidence.items() if value is not None]
        )
    ]
    if finding.references:
        parts.append(Bullets(finding.references))
    parts.append(Paragraph(say("fingerprint {fingerprint}", fingerprint=finding.fingerprint), soft=True))
    return parts


def _sentences(finding: Finding) -> list[Text]:
    """The raw evidence, for a rule that has no sentences of its own."""
    return [
        say("{name}: {value}", name=_name(key), value=_value(key, value))
        for key, value in finding.evidence.items()
        if value is not None
    ]


def _name(key: str) -> str:
    return key.replace("_", " ")


def _value(key: str, value: EvidenceValue) -> Value:
    """A number in the format that its name asks for."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    kind = next((kind for ending, kind in _KINDS if key.endswith(ending)), "")
    if kind == "bytes":
        return say("{value:count} ({value:bytes})", value=value)
    if kind:
        return Text(f"{{value:{kind}}}", {"value": value})
    return value
