"""What was found: a card for each finding, with its evidence and what to change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mqdiag.findings import Action, EvidenceValue, Finding, Report, Severity
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.render import View
from mqdiag.render.parts import (
    Actions,
    AnyPart,
    Bullets,
    Card,
    Doing,
    Fold,
    Pairs,
    Paragraph,
    Section,
    Several,
    Words,
)
from mqdiag.render.wording.about import about, about_line
from mqdiag.render.wording.accepted import accepted_line, lapsed_line
from mqdiag.render.wording.actions import NOW, THEN, then_of
from mqdiag.render.wording.still_so import still_so
from mqdiag.render.wording.words import word
from mqdiag.text import Text, Value, quantity, say

_UNITS = {"_bytes": "bytes", "_share": "percent", "_ms": "ms", "_seconds": "seconds"}
"""how a number is written, by the end of its name"""
_LIMIT = lazy_pattern(r"_\d+_[a-z]+$")
_FIRST_ACTIONS, _FIRST_CHANGES = 3, 2
_FIRST_REASONS = 4
"""what the short form tells of the finding that is the answer"""
_OTHERS, _CONSEQUENCES = 3, 6
"""cards in the short form"""
_OF_FLEET = 60
"""cards of a fleet in the wide form: its tables have the rest, and a page with thousands of cards opens slowly"""


def findings_section(report: Report, view: View) -> Iterator[Section]:
    """All findings but the one that the answer shows: first those that nothing explains, then their consequences.

    The short form leaves out the links of the chain of causes, which it shows already.
    """
    answering = answering_finding(report)
    others = [found for found in report.findings if found is not answering]
    told = _told_before(report)
    known = {found.fingerprint for found in report.findings}
    causes = [found for found in others if not known & set(found.caused_by)]
    effects = [found for found in others if known & set(found.caused_by)]
    parts: list[AnyPart] = []
    if causes:
        cards = [finding_card(found, report, wide=found.fingerprint in told) for found in causes]
        most = len(cards) if report.fleet is None or report.fleet.one_service else _OF_FLEET
        rest = _more_findings if most == len(cards) else _more_of_fleet
        parts += [Several(parts=cards, shown=(_OTHERS, most), rest=rest)]
    if report.lapsed:
        parts.append(
            Bullets([lapsed_line(lapsed) for lapsed in report.lapsed], title=say("Accepted no longer"))
        )
    if parts:
        yield Section(
            name="findings",
            title=say("Findings") if len(others) == len(report.findings) else say("Also found"),
            parts=parts,
            wide=bool(causes) and not report.lapsed and all(found.fingerprint in told for found in causes),
        )
    if effects:
        yield Section(
            name="consequences",
            title=say("Consequences"),
            parts=(
                Several(
                    parts=[
                        consequence_card(found, report, wide=found.fingerprint in told) for found in effects
                    ],
                    shown=(_CONSEQUENCES, len(effects)),
                    rest=_more_findings,
                ),
            ),
        )


def _more_of_fleet(hidden: int) -> Text:
    return say(
        "and {hidden:count} more {hidden:finding|findings}: --detail full has {most:count}, --format json all",
        hidden=hidden,
        most=_OF_FLEET,
    )


def _more_findings(hidden: int) -> Text:
    return say("and {hidden:count} more {hidden:finding|findings} with --detail full", hidden=hidden)


def answering_finding(report: Report) -> Finding | None:
    """The finding that is the answer, or the root cause of it; None where the answer is a sentence of its own."""
    verdict = report.verdict
    if verdict is None or not verdict.chain:
        return next((found for found in report.findings if found.title == report.answer.text), None)
    return next((found for found in report.findings if found.fingerprint == verdict.chain[0].fingerprint), None)


def told_with_the_answer(report: Report) -> int:
    """How many findings the short form has no card for, as the answer or the chain of causes tells them."""
    answering, told = answering_finding(report), _told_before(report)
    return sum(found.fingerprint in told and found is not answering for found in report.findings)


def _told_before(report: Report) -> frozenset[str]:
    """Fingerprints of the findings that the chain of causes or the answer tells, as its cause or its reason."""
    reasons = frozenset(
        found.fingerprint for found in report.findings if _holds(report.answer.reason, found.title)
    )
    if report.verdict is not None:
        return reasons.union(told for step in report.verdict.chain for told in (step.fingerprint, *step.also))
    answering = answering_finding(report)
    return reasons if answering is None else reasons | {root_cause(answering, report).fingerprint}


def _holds(whole: Text, part: Text) -> bool:
    return whole == part or any(
        isinstance(value, Text) and _holds(value, part) for value in whole.values.values()
    )


def answer_card(finding: Finding, report: Report) -> Card:
    """The finding that is the answer: what to do about its cause comes first, then why."""
    root = root_cause(finding, report)
    parts = [*_opening(finding)]
    worst = _worst_effect(finding, report)
    if worst is not None:
        parts.append(
            Paragraph(
                say("It leads to an error: {title}", title=worst.title)
                if worst.severity is Severity.ERROR
                else say("It leads to a warning: {title}", title=worst.title),
                link=anchor(worst.fingerprint),
            )
        )
    sure = report.answer.reason
    if sure:
        parts.append(Paragraph(sure))
    if root is not finding:
        parts.append(Paragraph(say("The cause: {title}", title=root.title), link=anchor(root.fingerprint)))
    lasting = still_so(finding, report)
    if lasting:
        parts.append(Paragraph(lasting))
    # a team's runbook stands behind our own actions, and is what its people look for
    parts += _what_to_do(root, now=_FIRST_ACTIONS, then=None if root.team else _FIRST_CHANGES)
    why = say("Why") if sure else _why(finding)
    parts.append(Bullets(finding.explanation or _sentences(finding), title=why, shown=_FIRST_REASONS))
    parts += _sources(finding)
    return _card(finding, parts)


def _what_to_do(
    finding: Finding, *, now: int | None = None, then: int | None = None, wide: bool = False
) -> Iterator[Actions]:
    """What to do in this minute, and what to change.

    Args:
        finding: that it is about.
        now: actions of the short form.
        then: changes of the short form.
        wide: only the wide form has it.
    """
    for title, actions, shown in ((NOW, finding.now, now), (THEN, then_of(finding), then)):
        if actions:
            yield _actions(actions, title, shown=shown, wide=wide)


def _actions(
    actions: Sequence[Action], title: Text, *, shown: int | None, wide: bool = False, short: bool = False
) -> Actions:
    doings = [Doing(one.with_price, one.command) for one in actions]
    return Actions(actions=doings, title=title, shown=shown, wide=wide, short=short)


def root_cause(finding: Finding, report: Report) -> Finding:
    """What explains a finding, and what explains that; of several causes the worst one.

    Where evidence of several kinds was joined, the answer is the root cause: what would explain it was contradicted.
    """
    if report.verdict is not None:
        return finding
    # Here, not above: the catalogue of rules shows no findings.
    from mqdiag.causes.link import LONGEST, causes_before

    standing = [one for one in report.findings if not one.undecides and one.accepted is None]
    before = causes_before(finding, standing, lambda cause: cause.severity.rank, longest=LONGEST - 1)
    return (*before, finding)[0]


def _worst_effect(root: Finding, report: Report) -> Finding | None:
    """The worst of what a finding explains, where that is worse than itself or holds more threads."""
    explained = {root.fingerprint}
    worst, grows = root, True
    while grows:
        effects = [
            found
            for found in report.findings
            if found.fingerprint not in explained
            and explained & set(found.caused_by)
            and found.accepted is None
        ]
        explained |= {found.fingerprint for found in effects}
        worst, grows = min((worst, *effects), key=_rank), bool(effects)
    return None if worst is root else worst


def _rank(finding: Finding) -> tuple[int, float]:
    """Severity, then how many threads it explains; a weight below 1 is a share, and not compared."""
    return finding.severity.rank, -finding.weight if finding.weight >= 1 else 0.0


def finding_card(finding: Finding, report: Report, *, wide: bool = False) -> Card:
    """A finding that nothing else explains; the short form has the title alone of one that needs no action.

    Args:
        finding: what was found.
        report: that it is from.
        wide: only the wide form has it.
    """
    needs_none = finding.severity is Severity.INFO
    parts = [*_opening(finding, wide=needs_none)]
    parts.append(Bullets(finding.explanation or _sentences(finding), title=_why(finding), wide=True))
    parts += _what_to_do(finding, wide=True)
    if finding.remedy and not needs_none:
        sure = say("{confidence} confidence", confidence=word(finding.confidence.value))
        heading, actions = (NOW, finding.now) if finding.now else (THEN, then_of(finding))
        title = say("{heading} ({sure})", heading=heading, sure=sure)
        parts.append(_actions(actions, title, shown=1, short=True))
    parts += _sources(finding, wide=needs_none)
    return _card(finding, parts, wide=wide)


def consequence_card(finding: Finding, report: Report, *, wide: bool = False) -> Card:
    """A finding that another one explains: one line in the short form, and no advice, as its cause is to be removed.

    Args:
        finding: what was found.
        report: that has its causes.
        wide: only the wide form has it.
    """
    roots = {other.fingerprint: other for other in report.findings if other.fingerprint in finding.caused_by}
    rules = tuple(dict.fromkeys(root.rule for root in roots.values()))
    return _card(
        finding,
        [
            Paragraph(
                say("rule {rule}, explained by {rules:and}", rule=finding.rule, rules=rules),
                soft=True,
                link=anchor(next(iter(roots))),
                wide=True,
            ),
            Fold(
                _why(finding),
                (Bullets(finding.explanation or _sentences(finding)), *_evidence(finding)),
                wide=True,
            ),
        ],
        wide=wide,
    )


def _card(finding: Finding, parts: list[AnyPart], *, wide: bool = False) -> Card:
    severity = finding.severity
    label: Words = word(severity.value)
    if finding.accepted is not None:
        label = say("{severity} (known)", severity=label)
    return Card(
        name=anchor(finding.fingerprint),
        state=severity.value,
        label=label,
        title=finding.title,
        parts=parts,
        wide=wide,
    )


def _opening(finding: Finding, *, wide: bool = False) -> Iterator[AnyPart]:
    """What it is about, and why it does not count."""
    named = _about(finding)
    if named:
        yield Paragraph(named, wide=wide)
    if finding.accepted is not None:
        yield Paragraph(say("Accepted: {why}", why=accepted_line(finding.accepted)))


def _sources(finding: Finding, *, wide: bool = False) -> Iterator[AnyPart]:
    yield Fold(say("Evidence in numbers, and sources"), _evidence(finding), wide=True)
    rule = say("rule {rule}, cause {cause}", finding)
    yield Paragraph(rule, soft=True, wide=wide)


def anchor(fingerprint: str) -> str:
    """The id of a finding's card in a page."""
    return f"finding-{fingerprint}"


def _about(finding: Finding) -> Text | None:
    """What it is about, unless its title names all of it."""
    named = set(_said(finding.title))
    if all(value in named for _, value in about(finding.subject)):
        return None
    return about_line(finding.subject)


def _said(text: Text) -> Iterator[str]:
    """All values of a text and of the texts inside it."""
    for value in text.values.values():
        if isinstance(value, Text):
            yield from _said(value)
        else:
            yield str(value)


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
    """The name in words, without the unit that its value is written with: "age_ms" is "age"."""
    unit = _unit(key)
    short = key.removesuffix(unit) if key.endswith(unit) else key.replace(f"{unit}_by_", "_by_")
    return short.replace("_", " ")


def _value(key: str, value: EvidenceValue) -> Value:
    """A number, or each of several, in the format that its name asks for."""
    if isinstance(value, tuple):
        return tuple(_value(key, one) for one in value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    kind = "percent" if key == "share" else _UNITS.get(_unit(key), "")
    if kind == "bytes":
        return say("{value:count} ({value:bytes})", value=value)
    return quantity(value, kind) if kind else value


def _unit(key: str) -> str:
    """The unit in a name, at its end or before "_by_"; empty where it has none.

    A unit behind a number is part of a limit: "puts_from_100_ms" is a count.
    """
    if _LIMIT.search(key):
        return ""
    return next((unit for unit in _UNITS if key.endswith(unit) or f"{unit}_by_" in key), "")
