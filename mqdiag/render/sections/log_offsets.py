"""Offsets in the logs: those that brokers corrected, and lookups that no store file could answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mqdiag.facts.logs import LogsFacts
from mqdiag.facts.offset_logs import OffsetNotMatched
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import Section, Table
from mqdiag.render.tables import Tables
from mqdiag.text import NOTHING, say

TABLES = Tables("log_offsets")


def log_offsets_section(report: Report, view: View) -> Iterator[Section]:
    """One section for both."""
    if report.logs is not None:
        yield Section(name="log-offsets", title=say("Offsets in the logs"), parts=[*_offsets(report.logs)])


def _offsets(logs: LogsFacts) -> Iterator[Table]:
    if logs.offset_resets:
        yield _resets(logs)
    if logs.not_matched:
        yield not_matched_table(logs.not_matched, "not-matched")


def _resets(logs: LogsFacts) -> Table:
    note = NOTHING
    if logs.resets_left_out:
        note = say("and {hidden:count} more", hidden=logs.resets_left_out)
    return TABLES.table(
        "resets", logs.offset_resets, note=note, broker=lambda one: one.instance or one.broker or ""
    )


def not_matched_table(rows: Sequence[OffsetNotMatched], name: str) -> Table:
    """Lookups of offsets in store files that do not hold them."""
    return TABLES.table("log-offsets", rows, name=name)
