"""What could not be checked, and why."""

from __future__ import annotations

from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.html.page.parts import AnyPart, Bullets, Column, Fold, Section, Table
from mqdiag.text import say


def unchecked_section(report: Report, view: View) -> Section | None:
    """Crashed rules, then reasons with the rules that share them."""
    by_reason: dict[str, list[str]] = {}
    for skipped in report.skipped:
        by_reason.setdefault(skipped.reason, []).append(skipped.rule)
    unknown = {} if report.heap is None else report.heap.unknown
    parts: list[AnyPart] = []
    if report.failed:
        parts.append(
            Bullets(
                [
                    say("{rule} crashed, which is a fault of mqdiag: {error}", rule=one.rule, error=one.error)
                    for one in report.failed
                ]
            )
        )
    if by_reason:
        rows = [(reason, ", ".join(sorted(set(rules)))) for reason, rules in by_reason.items()]
        parts.append(
            Table(
                name="unchecked",
                caption=say("Rules without their evidence"),
                columns=(Column(head=say("why")), Column(head=say("rules"))),
                rows=rows,
            )
        )
    if unknown:
        lines = [f"{name.replace('_', ' ')}: {reason}" for name, reason in unknown.items()]
        parts.append(
            Fold(
                summary=say("Values that could not be read ({lines})", lines=len(lines)), parts=[Bullets(lines)]
            )
        )
    return Section(name="unchecked", title=say("Not checked, and why"), parts=parts) if parts else None
