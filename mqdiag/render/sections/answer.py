"""The answer of the run, with the finding that it names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from mqdiag.findings import Action, Answer, Finding, Margin, Report, Seen, Severity
from mqdiag.language import Writer
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.render import View
from mqdiag.render.parts import Actions, AnyPart, Bullets, Card, Doing, Paragraph, Section, Table
from mqdiag.render.sections.finding_cards import answer_card, answering_finding, root_cause
from mqdiag.render.tables import Tables
from mqdiag.render.wording.actions import NEXT, NOW, SEEN, THEN, then_of
from mqdiag.render.wording.totals import totals_line
from mqdiag.render.wording.words import word
from mqdiag.text import Text, quantity, say

TABLES = Tables("answer")

_CLAUSE_END = lazy_pattern(r"[.:;](?:\s|$)|[。：；]")
_LABELS = {"healthy": say("OK"), "undecided": say("undecided")}


def answer_section(report: Report, view: View) -> Iterator[Section]:
    """The answer as a card; where one finding is the answer, that finding's card."""
    yield Section(name="answer", title=say("Answer"), headed=False, parts=(_card(report, view.write),))


def brief_section(report: Report, view: View) -> Section:
    """The answer alone: how sure it is, the first action, and how much more there is to read."""
    named = answering_finding(report)
    parts: list[AnyPart] = [Paragraph(report.answer.reason)] if report.answer.reason else []
    root = None if named is None else root_cause(named, report)
    if root is not None and root.remedy:
        parts.append(Paragraph(_first_clause(root, view.write)))
    parts.append(Paragraph(say("{totals}; --detail normal shows why", totals=totals_line(report)), soft=True))
    card = _card(report, view.write)
    return Section(
        name="answer",
        title=say("Answer"),
        headed=False,
        parts=(msgspec.structs.replace(card, parts=tuple(parts)),),
    )


def closing_section(report: Report, more: Text, write: Writer) -> Section:
    """The answer once more, for the end of a text that has scrolled it away.

    Args:
        report: of the run.
        more: where the rest of it is.
        write: in the reader's language.
    """
    named = answering_finding(report)
    title = report.answer.text
    root = None if named is None else root_cause(named, report)
    if named is not None and root is not None and root.remedy:
        title = say("{answer}. {first}", answer=named.title, first=_first_clause(root, write))
    elif report.answer.next is not None:
        title = say("{answer} {first}", answer=title, first=_clause(NEXT, report.answer.next, write))
    if more:
        title = say("{answer} {more}", answer=title, more=more)
    card = Card(name="closing-card", state=_state(report), label=_label(report), title=title, parts=())
    return Section(name="closing", title=say("Answer"), headed=False, parts=(card,))


def _first_clause(finding: Finding, write: Writer) -> Text:
    """The first action up to the end of its first clause, with its command."""
    heading, actions = (NOW, finding.now) if finding.now else (THEN, then_of(finding))
    return _clause(heading, actions[0], write)


def _clause(heading: Text, action: Action, write: Writer) -> Text:
    """An action up to the end of its first clause, with its command."""
    clause = _CLAUSE_END.split(write(action.text), maxsplit=1)[0]
    if action.command:
        return say("{heading}: {clause}: `{command}`.", heading=heading, clause=clause, command=action.command)
    return say("{heading}: {clause}.", heading=heading, clause=clause)


def _card(report: Report, write: Writer) -> Card:
    answer = report.answer
    named = answering_finding(report)
    if named is not None:
        return answer_card(named, report)
    parts: list[AnyPart] = []
    if answer.reason:
        parts.append(Paragraph(answer.reason))
    if answer.next is not None:
        parts.append(Actions(actions=[Doing(answer.next.with_price, answer.next.command)], title=NEXT))
    if answer.seen:
        parts.append(Bullets([*map(_as_it_stands, answer.seen)], title=SEEN))
    if report.findings or report.lowered:
        parts.append(Paragraph(say("{totals}.", totals=totals_line(report)), soft=True, wide=True))
    if answer.margins:
        parts.append(_margins(answer, write, wide=answer.state == "fault"))
    return Card(
        name="answer-card", state=_state(report), label=_label(report), title=answer.text, parts=tuple(parts)
    )


def _as_it_stands(seen: Seen) -> Text:
    if seen.line is None:
        return say("{path}: {text}", seen)
    return say("{path}:{line}: {text}", seen, line=str(seen.line))


def _state(report: Report) -> Literal["error", "warning", "info", "healthy", "undecided"]:
    if report.answer.state != "fault":
        return report.answer.state
    return "info" if _only_accepted(report) else _severity(report).value


def _label(report: Report) -> Text | str:
    if report.answer.state != "fault":
        return _LABELS[report.answer.state]
    return say("known") if _only_accepted(report) else word(_severity(report).value)


def _only_accepted(report: Report) -> bool:
    faults = (found for found in report.findings if found.severity is not Severity.INFO and not found.undecides)
    return all(found.accepted is not None for found in faults)


def _severity(report: Report) -> Severity:
    """Severity of the finding that is the answer; where that is a sentence of its own, of the first that counts."""
    named = answering_finding(report)
    if named is not None:
        return named.severity
    return next(found.severity for found in report.findings if found.accepted is None)


def _margins(answer: Answer, write: Writer, *, wide: bool) -> Table:
    return TABLES.table(
        "margins",
        _worst(answer.margins, write),
        wide=wide,
        now=lambda one: _now(one, write),
        limit=lambda one: quantity(one.limit, one.kind),
    )


def _worst(margins: tuple[Margin, ...], write: Writer) -> tuple[Margin, ...]:
    """One of those that read the same, as of several instances, dumps or logs: the one nearest to its limit."""
    kept: dict[str, Margin] = {}
    for one in margins:
        label = write(one.label)
        other = kept.setdefault(label, one)
        if one.value * other.limit > other.value * one.limit:
            kept[label] = one
    return tuple(kept.values())


def _now(margin: Margin, write: Writer) -> Text:
    """What was measured; a number that rounding makes equal to the limit is said to be below or above it."""
    now, limit = quantity(margin.value, margin.kind), quantity(margin.limit, margin.kind)
    if margin.value == margin.limit or write(now) != write(limit):
        return now
    return Text("<{limit}" if margin.value < margin.limit else ">{limit}", {"limit": limit})
