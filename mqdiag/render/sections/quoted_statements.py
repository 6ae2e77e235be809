"""Lines that quote a log statement: what users and other programs wrote, on which no finding rests."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import Paragraph, Section
from mqdiag.render.tables import Tables
from mqdiag.text import say

TABLES = Tables("quoted_statements")


def quoted_statements_section(report: Report, view: View) -> Iterator[Section]:
    """Nothing where no line quotes a statement."""
    logs = report.logs
    if logs is None or not logs.quoted:
        return
    lines = sum(given.quoted for given in report.inputs)
    yield Section(
        name="quoted",
        title=say("Quoted log statements"),
        parts=[
            Paragraph(
                say(
                    "{lines:count} {lines:line holds|lines hold} the words of a log statement where RocketMQ and the"
                    " JVM do not print them, such as a comment, a value or an address. mqdiag does not count"
                    " {lines:it|them} as {lines:an event|events}.",
                    lines=lines,
                )
            ),
            TABLES.table(
                "quoted", rows=[(f"{one.path}:{one.line}", one.quotes, one.text) for one in logs.quoted]
            ),
        ],
    )
