"""What could not be checked, and why."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from mqdiag.facts import HeapFacts
from mqdiag.facts.evidence_kinds import NAMES, evidence_names
from mqdiag.facts.heap import ConsumerFacts
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import AnyPart, Bullets, Fold, Paragraph, Section, Table, Words
from mqdiag.render.tables import Tables
from mqdiag.text import Text, say

TABLES = Tables("unchecked_rules")

_UNKNOWN = 3
"""reasons in the short form"""
_MANY_LINES = 10
"""beside a finding fewer lines that no rule judges are not worth a reader's time"""
_MOST_TEXTS = 1
_MOST_GROUPS = 3
"""groups that a line names"""
_BOUND, _BOUND_AT_MOST = "bound_bytes", "bound_max_bytes"


def unchecked_section(report: Report, view: View) -> Iterator[Section]:
    """Rules that failed, rules by the evidence that they lack, lines that no rule judges, and unknown values."""
    parts: list[AnyPart] = []
    if report.failed:
        parts.append(
            Bullets([say("{rule} failed, which is a fault of mqdiag: {error}", one) for one in report.failed])
        )
    if report.skipped and any(given.was_read for given in report.inputs):
        skipped = _skipped(report)
        if not tells_what_was_checked(report):
            parts.append(Paragraph(_summary(report, listed=view.why), short=True))
        parts += [
            Fold(_summary(report, listed=True), (skipped,), wide=True),
        ]
        if view.why:
            parts.append(msgspec.structs.replace(skipped, short=True))
    lines = None if report.logs is None else report.logs.level_lines
    if lines is not None and lines.not_understood >= _MANY_LINES and report.answer.state == "fault":
        from mqdiag.facts.unjudged_lines import unjudged_lines

        parts.append(Paragraph(unjudged_lines(lines, _MOST_TEXTS)))
    if report.heap is not None:
        unknown = _unknown(report.heap)
        if unknown:
            parts.append(Bullets(unknown, title=say("Values that could not be read"), shown=_UNKNOWN))
    if parts:
        yield Section(
            name="unchecked",
            title=say("Not checked, and why"),
            short_title=say("Not checked"),
            parts=parts,
            paper=False,
        )


def tells_what_was_checked(report: Report) -> bool:
    """Whether the answer itself tells which evidence was looked at."""
    return report.answer.state == "healthy" and "kinds" in report.answer.text.values


def _summary(report: Report, *, listed: bool) -> Text:
    """How many rules were not checked, what lists them, and which other evidence they would look at."""
    rules = len({skipped.rule for skipped in report.skipped})
    lacking = {kind for skipped in report.skipped for kind in skipped.needs}
    if not lacking:
        if listed:
            return say("{rules:count} {rules:rule was|rules were} not checked.", rules=rules)
        return say("{rules:count} {rules:rule was|rules were} not checked; --why lists them.", rules=rules)
    template = (
        say("{rules:count} {rules:rule was|rules were} not checked. They would also look at {lacking:and}.")
        if listed
        else say(
            "{rules:count} {rules:rule was|rules were} not checked; --why lists them. They would also look at"
            " {lacking:and}."
        )
    )
    names = evidence_names(kind for kind in NAMES if kind in lacking)
    return template.filled({"rules": rules, "lacking": names})


def _skipped(report: Report) -> Table:
    by_reason: dict[Text, set[str]] = {}
    for skipped in report.skipped:
        by_reason.setdefault(skipped.reason, set()).add(skipped.rule)
    return TABLES.table(
        "unchecked", rows=[(reason, len(rules), tuple(sorted(rules))) for reason, rules in by_reason.items()]
    )


def _unknown(heap: HeapFacts) -> list[Text]:
    """Values by the reason that they share, and those of consumers by value and reason."""
    by_reason: dict[Text, list[str]] = {}
    for name, reason in heap.unknown.items():
        by_reason.setdefault(reason, []).append(name.replace("_", " "))
    groups: dict[tuple[str, Text], list[str]] = {}
    for consumer in heap.consumers:
        for name, reason in consumer.unknown.items():
            if _is_missing(name, consumer):
                groups.setdefault((name, reason), []).append(consumer.group)
    return [
        *(
            say("{values}: {reason}", values=tuple(values), reason=reason)
            for reason, values in by_reason.items()
        ),
        *(_of_groups(name, reason, tuple(dict.fromkeys(named))) for (name, reason), named in groups.items()),
    ]


def _is_missing(name: str, consumer: ConsumerFacts) -> bool:
    """A consumer that caches nothing has no bound; where the bound is unknown, so is the one at worst."""
    if name == _BOUND_AT_MOST:
        return _BOUND not in consumer.unknown
    return name != _BOUND or consumer.traits.caches_messages


def _of_groups(name: str, reason: Text, groups: tuple[str, ...]) -> Text:
    value: Words = say('the bound by thresholds ("allowed")') if name == _BOUND else name.replace("_", " ")
    more = len(groups) - _MOST_GROUPS
    if more > 0:
        return say(
            "{value} of {groups} and {more:count} more {more:group|groups}: {reason}",
            value=value,
            groups=groups[:_MOST_GROUPS],
            more=more,
            reason=reason,
        )
    return say("{value} of {groups:and}: {reason}", value=value, groups=groups, reason=reason)
