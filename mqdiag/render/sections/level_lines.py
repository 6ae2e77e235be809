"""Lines at WARN and ERROR: how many are harmless, how many a rule judges, and the texts that no rule judges."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.log_lines import LevelLineFacts
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import AnyPart, Pairs, Paragraph, Section, Table
from mqdiag.render.tables import Tables
from mqdiag.text import Text, Value, quantity, say

TABLES = Tables("level_lines")


def level_lines_section(report: Report, view: View) -> Iterator[Section]:
    """Nothing where no line has such a level."""
    if report.logs is None:
        return
    parts: list[AnyPart] = []
    lines = report.logs.level_lines
    if lines is not None:
        rows = [(words, quantity(count, "count")) for words, count in _counts(lines) if count]
        if rows:
            parts.append(Pairs(rows))
        parts += _tables(lines)
    if report.logs.harmless:
        parts.append(TABLES.table("harmless-lines", report.logs.harmless))
    if report.logs.other_clients:
        parts.append(
            Paragraph(
                say(
                    "Some logs come from clients that mqdiag knows only in part: {clients:and}.",
                    clients=report.logs.other_clients,
                )
            )
        )
    if parts:
        yield Section(
            name="level-lines",
            title=say("Lines at WARN and ERROR"),
            short_title=say("WARN and ERROR"),
            parts=parts,
        )


def _counts(lines: LevelLineFacts) -> Iterator[tuple[Text, int]]:
    yield say("harmless"), lines.harmless
    yield say("harmless in small numbers"), sum(lines.passing.values())
    yield say("judged by a rule"), sum(lines.symptoms.values())
    yield say("about a fault that no rule judges"), lines.faults
    yield say("of RocketMQ, meaning not known to mqdiag"), lines.unclassified
    yield say("not of a known RocketMQ"), lines.foreign
    yield say("estimated from a sample of them"), lines.unseen


def _tables(lines: LevelLineFacts) -> Iterator[Table]:
    if lines.commonest:
        yield TABLES.table("level-lines", lines.commonest)
    by_rule: list[tuple[Value, ...]] = [
        *((rule, count, say("always")) for rule, count in lines.symptoms.items()),
        *((rule, count, say("in large numbers only")) for rule, count in lines.passing.items()),
    ]
    if by_rule:
        yield TABLES.table("level-lines-by-rule", rows=by_rule)
