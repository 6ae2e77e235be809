"""Offsets in the logs: those that brokers corrected, and lookups that no store file could answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mqdiag.facts.logs import LogsFacts
from mqdiag.facts.offset_logs import OffsetNotMatched
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import Column, Section, Table
from mqdiag.text import NOTHING, say


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
    return Table(
        name="resets",
        caption=say("Offsets that a broker corrected"),
        columns=(
            Column(say("group"), of="group"),
            Column(say("topic"), of="topic"),
            Column(say("broker"), of=lambda one: one.instance or one.broker or "", optional=True),
            Column(say("queue"), of="queue_id", number=True),
            Column(say("requested"), of="requested", number=True),
            Column(say("given"), of="given", number=True),
            Column(say("end of the queue"), of="broker_max", none="", number=True, optional=True),
            Column(say("times"), "count", of="count"),
            Column(say("first"), "time", of="first"),
            Column(say("last"), "time", of="last"),
            Column(say("empty on the broker"), of="no_queue_data", flag=say("yes"), optional=True),
            Column(say("seen in logs of"), of="sides", optional=True),
        ),
        rows_of=logs.offset_resets,
        note=note,
        wide=True,
    )


def not_matched_table(rows: Sequence[OffsetNotMatched], name: str) -> Table:
    """Lookups of offsets in store files that do not hold them."""
    return Table(
        name=name,
        caption=say("Offsets that no store file holds"),
        columns=(
            Column(say("thread"), of="thread"),
            Column(say("position in the file"), of="place", worded=True),
            Column(say("lines"), "count", of="count"),
            Column(say("peak/min"), "count", of="peak_per_minute", optional=True),
            Column(say("requested"), of="requested", number=True),
            Column(say("first offset"), of="first_offset", number=True),
            Column(say("last offset"), of="last_offset", number=True),
            Column(say("file size"), "bytes", of="file_bytes", optional=True),
            Column(say("first"), "time", of="first"),
            Column(say("last"), "time", of="last"),
        ),
        rows_of=rows,
        wide=True,
    )
