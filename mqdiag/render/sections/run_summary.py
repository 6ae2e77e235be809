"""A report as a comment on a pull request has it: what was found, what to change, what is known, what is missing."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import AnyPart, Bullets, Fold, Paragraph, Section
from mqdiag.render.sections.answer import answer_section
from mqdiag.render.sections.chain_of_causes import chain_section
from mqdiag.render.sections.finding_cards import findings_section
from mqdiag.render.tables import Tables
from mqdiag.render.wording.accepted import accepted_line, lapsed_line
from mqdiag.render.wording.totals import totals_line
from mqdiag.text import Text, Value, say

TABLES = Tables("run_summary")

_NAMES = 10
_ROWS = 100


def summary_sections(report: Report, view: View) -> Iterator[Section]:
    """The sections in their order; the first has the totals as its title."""
    title = say("mqdiag: {totals}", totals=totals_line(report))
    yield Section(name="summary", title=title, parts=[*_opening(report, view)])
    yield from answer_section(report, view)
    yield from chain_section(report, view)
    new = [found for found in report.findings if found.accepted is None]
    if len(new) > 1:
        yield Section(
            name="all-findings",
            title=say("Findings"),
            parts=(
                TABLES.table("findings", new, shown=(_ROWS, _ROWS), rest=lambda rows: _elsewhere(len(rows))),
            ),
        )
    yield from findings_section(msgspec.structs.replace(report, findings=tuple(new), lapsed=()), view)
    known = [found for found in report.findings if found.accepted is not None]
    if known:
        yield Section(
            name="known",
            title=say("Known, not counted"),
            parts=(
                TABLES.table(
                    "known",
                    known,
                    shown=(_ROWS, _ROWS),
                    rest=lambda rows: _elsewhere(len(rows)),
                    accepted_because=lambda one: accepted_line(one.accepted),
                ),
            ),
        )
    if report.lapsed:
        lines = [lapsed_line(lapsed) for lapsed in report.lapsed]
        yield Section(name="lapsed", title=say("Accepted no longer"), parts=(Bullets(lines),))
    if report.skipped:
        yield Section(name="unchecked", title=say("Not checked"), parts=(_unchecked(report),))


def _opening(report: Report, view: View) -> Iterator[AnyPart]:
    fails = view.fail_on.fails(report)
    read = [given.path for given in report.inputs if given.was_read]
    if read:
        paths: Value = tuple(read[:_NAMES])
        if len(read) > _NAMES:
            paths = say("{paths} and {more:count} more", paths=paths, more=len(read) - _NAMES)
        checked = len(report.checked)
        template = (
            say("This fails the run. {checked:count} {checked:rule was|rules were} checked on {paths}.")
            if fails
            else say(
                "This does not fail the run. {checked:count} {checked:rule was|rules were} checked on {paths}."
            )
        )
        yield Paragraph(template.filled({"checked": checked, "paths": paths}))
    lost = [say("{path}: {error}", given) for given in report.inputs if given.error]
    if lost:
        yield Bullets(lost[:_ROWS], title=say("Could not be read"))
    failed = [say("{rule}: {error}", one) for one in report.failed]
    if failed:
        yield Bullets(failed, title=say("Faults of mqdiag"))


def _elsewhere(hidden: int) -> Text:
    return say("{hidden:count} more {hidden:finding is|findings are} in the other formats.", hidden=hidden)


def _unchecked(report: Report) -> Fold:
    by_reason: dict[Text, dict[str, None]] = {}
    for skipped in report.skipped:
        by_reason.setdefault(skipped.reason, {})[skipped.rule] = None
    lines = [say("{reason}: {rules}", reason=reason, rules=tuple(rules)) for reason, rules in by_reason.items()]
    return Fold(say("Not checked, and why"), (Bullets(lines[:_ROWS]),))
