"""The log files: how much of them was read, in which zones their times are, and what start-up lines tell."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.logs import LogFile, LogsFacts, VersionRange
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import AnyPart, Bullets, Column, Fold, Pairs, Paragraph, Section, Table
from mqdiag.render.wording.short_paths import shared_folder
from mqdiag.text import NOTHING, Text, Value, say

_FILES = (30, 2000)


def log_files_section(report: Report, view: View) -> Iterator[Section]:
    """The files in a table, with what holds for several of them below it."""
    logs = report.logs
    if logs is None or not logs.files:
        return
    parts: list[AnyPart] = [_files(logs)]
    folder = shared_folder([file.path for file in logs.files])
    if folder:
        parts.append(Paragraph(say("All of them are in {folder}", folder=folder), soft=True))
    lines = [*_zones(logs.files), *_versions(logs), *_sampling(logs)]
    if lines:
        parts.append(Bullets(lines))
    parts += _settings(logs)
    yield Section(name="log-files", title=say("Log files"), parts=parts)


def _files(logs: LogsFacts) -> Table:
    cut = len(shared_folder([file.path for file in logs.files]))
    days = {time[:10] for file in logs.files for time in (file.first, file.last) if time is not None}
    times = "clock" if len(days) == 1 else "time"
    return Table(
        name="log-files",
        columns=(
            Column(say("file"), of=lambda one: one.path[cut:], whole=True),
            Column(say("kind"), of="kind", worded=True, whole=True),
            Column(say("format"), of="format", wide=True),
            Column(say("first line"), times, of="first", whole=times == "clock"),
            Column(say("last line"), times, of="last", whole=times == "clock"),
            Column(say("zone"), of="utc_offset", wide=True),
            Column(say("lines"), "count", of="lines"),
            Column(say("size"), "bytes", of="bytes"),
            Column(say("events without a time"), "count", of="undated_events", wide=True),
        ),
        rows_of=logs.files,
        shown=_FILES,
        rest=lambda rows: say("and {hidden:count} more {hidden:file|files}", hidden=len(rows)),
        note=say("All times are on {day}.", day=min(days)) if len(days) == 1 else NOTHING,
    )


def _zones(files: tuple[LogFile, ...]) -> Iterator[Text]:
    """Which zone was taken, once for each reason."""
    by_reason: dict[tuple[str | None, Text], int] = {}
    for file in files:
        key = (file.utc_offset, file.offset_reason)
        by_reason[key] = by_reason.get(key, 0) + 1
    for (offset, reason), count in by_reason.items():
        if offset is None:
            yield say(
                "The time zone of {files:count} {files:file|files} is unknown: {reason}",
                files=count,
                reason=reason,
            )
        else:
            yield say(
                "The times of {files:count} {files:file|files} are in UTC{offset}: {reason}",
                files=count,
                offset=offset,
                reason=reason,
            )


def _versions(logs: LogsFacts) -> Iterator[Text]:
    """Between which versions the brokers are."""
    found: list[tuple[Text | str, VersionRange | None]] = [
        (say("the broker"), logs.broker_version),
        *((broker.called, broker.version) for broker in logs.brokers),
    ]
    for broker, version in found:
        if version is None:
            continue
        if version.reason:
            yield say("The version of {broker} is unknown: {reason}", broker=broker, reason=version.reason)
        else:
            yield say(
                "The version of {broker} is {version}, as shown by {told_by:and}",
                broker=broker,
                version=version.said,
                told_by=version.told_by,
            )


def _sampling(logs: LogsFacts) -> Iterator[Text]:
    unseen = sum(file.unseen_lines for file in logs.files)
    if unseen:
        yield say(
            "Some messages repeated very often. mqdiag read a sample of them: totals are exact,"
            " breakdowns ({unseen:count} {unseen:line|lines}) are estimates.",
            unseen=unseen,
        )


def _settings(logs: LogsFacts) -> Iterator[Fold]:
    summary = say("Settings that start-up lines print")
    for words, settings in (
        (summary, logs.settings),
        *(
            (say("{summary}: {broker}", summary=summary, broker=broker.called), broker.settings)
            for broker in logs.brokers
        ),
    ):
        if settings:
            rows: list[tuple[str, Value]] = [*sorted(settings.items())]
            yield Fold(words, (Pairs(rows),), wide=True)
