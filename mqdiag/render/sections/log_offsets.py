"""Offsets in the logs: those that brokers corrected, and lookups that no store file could answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mqdiag.facts.logs import LogsFacts, OffsetNotMatched, OffsetReset
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import Column, Row, Section, Table
from mqdiag.render.wording.words import word
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
            Column(say("group")),
            Column(say("topic")),
            Column(say("broker"), optional=True),
            Column(say("queue"), number=True),
            Column(say("requested"), number=True),
            Column(say("given"), number=True),
            Column(say("end of the queue"), number=True, optional=True),
            Column(say("times"), "count"),
            Column(say("first"), "time"),
            Column(say("last"), "time"),
            Column(say("empty on the broker"), optional=True),
            Column(say("seen in logs of"), optional=True),
        ),
        rows=[_reset(one) for one in logs.offset_resets],
        note=note,
        wide=True,
    )


def _reset(one: OffsetReset) -> Row:
    return (
        one.group,
        one.topic,
        one.instance or one.broker or "",
        one.queue_id,
        one.requested,
        one.given,
        "" if one.broker_max is None else one.broker_max,
        one.count,
        one.first,
        one.last,
        say("yes") if one.no_queue_data else "",
        one.sides,
    )


def not_matched_table(rows: Sequence[OffsetNotMatched], name: str) -> Table:
    """Lookups of offsets in store files that do not hold them."""
    return Table(
        name=name,
        caption=say("Offsets that no store file holds"),
        columns=(
            Column(say("thread")),
            Column(say("position in the file")),
            Column(say("lines"), "count"),
            Column(say("peak/min"), "count", optional=True),
            Column(say("requested"), number=True),
            Column(say("first offset"), number=True),
            Column(say("last offset"), number=True),
            Column(say("file size"), "bytes", optional=True),
            Column(say("first"), "time"),
            Column(say("last"), "time"),
        ),
        rows=[
            (
                one.thread,
                word(one.place),
                one.count,
                one.peak_per_minute,
                one.requested,
                one.first_offset,
                one.last_offset,
                one.file_bytes,
                one.first,
                one.last,
            )
            for one in rows
        ],
        wide=True,
    )
