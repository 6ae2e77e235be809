"""Logs: the files and their clocks, events over time, write latency, replicas, collections."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from mqdiag.facts import LogsFacts
from mqdiag.facts.logs import BrokerLogs, GcFacts, LogEvent, LogFile, PutLatency
from mqdiag.render.text.page import Column, Page
from mqdiag.render.wording.sizes import duration, number, share, size
from mqdiag.text import say

FILES_SHOWN = 30
EVENTS_SHOWN = 30
SUBJECTS_SHOWN = 3
ROWS_SHOWN = 12
BARS = " ▁▂▃▄▅▆▇█"
CELLS = 12
EVENTS_OF_BROKER = 6
FAST_PUTS = 1000
FAST_SHARE = 0.0001
NAME_CHARACTERS = 40
HARMLESS = "offset-not-matched-full-file-edge"


def show_logs(page: Page, logs: LogsFacts) -> None:
    """All sections; those without content are left out."""
    _files(page, logs)
    _events(page, logs)
    _flow_control(page, logs)
    if logs.pagecachert is not None:
        page.heading(say("How long the broker's writes took (PAGECACHERT)"))
        page.bullets(latency_lines(logs.pagecachert))
    _brokers(page, logs)
    _replicas(page, logs)
    _collections(page, logs)


def _brokers(page: Page, logs: LogsFacts) -> None:
    """Several brokers one by one: nothing of two is summed."""
    if not logs.brokers:
        return
    page.heading(say("The brokers, each by itself"))
    for broker in logs.brokers[:ROWS_SHOWN]:
        page.paragraph(broker.called + (f", {broker.address}" if broker.address else ""))
        page.bullets(broker_lines(broker), indent=4)
    if len(logs.brokers) > ROWS_SHOWN:
        page.paragraph(say("and {more} more brokers", more=len(logs.brokers) - ROWS_SHOWN), style="dim")


def broker_lines(broker: BrokerLogs) -> Iterator[str]:
    """What the logs say of one of several brokers."""
    if broker.pagecachert is not None and broker.pagecachert.puts:
        yield from latency_lines(broker.pagecachert)
    counted_events = [event for event in broker.events if event.kind != HARMLESS][:EVENTS_OF_BROKER]
    if counted_events:
        yield ", ".join(f"{event.kind} ({number(event.count)})" for event in counted_events)
    elif broker.pagecachert is None or not broker.pagecachert.puts:
        yield say("nothing of note in its logs")


def latency_lines(put: PutLatency) -> Iterator[str]:
    """The distribution in words, with the plain statement when the broker writes fast."""
    yield (
        say(
            (
                "{puts:count} writes in {minutes}: {from_10_ms:count} took 10 ms or more,"
                " {from_100_ms:count} took 100 ms or more, {from_1_s:count} a second or more"
            ),
            puts=put.puts,
            minutes=_minutes(put.lines),
            from_10_ms=put.from_10_ms,
            from_100_ms=put.from_100_ms,
            from_1_s=put.from_1_s,
        )
    )
    if put.puts >= FAST_PUTS and put.from_100_ms <= FAST_SHARE * put.puts:
        yield say("the broker writes fast")
    elif put.worst is not None and put.worst.from_100_ms:
        yield (
            say(
                "the worst minute ends at {at}: {from_100_ms:count} of {puts:count} took 100 ms or more",
                at=put.worst.at,
                from_100_ms=put.worst.from_100_ms,
                puts=put.worst.puts,
            )
        )
    elif put.puts < FAST_PUTS:
        yield say("too few to say how fast it writes under load")


def _minutes(count: int) -> str:
    return say("{number:count} {number:minute|minutes}", number=count)


def _files(page: Page, logs: LogsFacts) -> None:
    page.heading(say("The logs"))
    cut = _shared_folders([file.path for file in logs.files])
    days = _days(time for file in logs.files for time in (file.first, file.last))
    page.table(
        [
            Column(head=say("log")),
            Column(head=say("kind"), whole=True),
            Column(head=say("from"), whole=True),
            Column(head=say("to"), whole=True),
            Column(head=say("lines"), right=True),
            Column(head=say("size"), right=True),
        ],
        [
            (
                _short(file.path[cut:]),
                file.kind,
                _time(file.first, days),
                _time(file.last, days),
                number(file.lines),
                size(file.bytes),
            )
            for file in logs.files[:FILES_SHOWN]
        ],
    )
    if len(logs.files) > FILES_SHOWN:
        page.paragraph(say("and {files} more logs", files=len(logs.files) - FILES_SHOWN), style="dim")
    page.bullets(_clocks(logs.files))
    page.bullets(_versions(logs))
    unseen = sum(file.unseen_lines for file in logs.files)
    if unseen:
        page.bullets(
            [
                say(
                    (
                        "{unseen:count} lines of floods were counted by their neighbours: one in several was looked"
                        " at, so their parts are estimates"
                    ),
                    unseen=unseen,
                )
            ]
        )


def _versions(logs: LogsFacts) -> Iterator[str]:
    """Between which versions brokers are."""
    found = [(say("the broker"), logs.broker_version), *((one.called, one.version) for one in logs.brokers)]
    for broker, version in found[: ROWS_SHOWN + 1]:
        if version is None:
            continue
        if version.reason:
            yield say("the version of {broker} is not known: {reason}", broker=broker, reason=version.reason)
        else:
            yield say(
                "{broker} is {version}, by {told_by}",
                broker=broker,
                version=version.said,
                told_by=say(" and ").join(version.told_by),
            )


def _clocks(files: tuple[LogFile, ...]) -> Iterator[str]:
    """Which zone was taken, once for each reason."""
    by_reason: dict[tuple[str | None, str], int] = {}
    for file in files:
        key = (file.utc_offset, file.offset_reason)
        by_reason[key] = by_reason.get(key, 0) + 1
    for (offset, reason), count in by_reason.items():
        of = say("{number:count} {number:log|logs}", number=count)
        zone = f"UTC{offset}" if offset else say("an unknown zone")
        yield say("times of {of} are in {zone}: {reason}", of=of, zone=zone, reason=reason)


def _events(page: Page, logs: LogsFacts) -> None:
    if not logs.events:
        return
    page.heading(say("What the lines say, over time"))
    for known in (True, False):
        events = [event for event in logs.events[:EVENTS_SHOWN] if _is_known(event) is known]
        if not events:
            continue
        begin, end = _range(events)
        days = _days((begin, end))
        page.table(
            [
                Column(head=say("event"), whole=True),
                Column(head=say("lines"), right=True),
                Column(head=say("peak/min"), right=True),
                Column(head=say("first"), whole=True),
                Column(head=say("over time"), whole=True),
            ],
            [
                (
                    event.kind + (f" ({event.side})" if event.side and event.kind.startswith("busy") else ""),
                    number(event.count),
                    number(event.peak_per_minute),
                    _time(event.first, days),
                    _bars(event, begin, end),
                )
                for event in events
            ],
        )
        if begin is not None and end is not None:
            zone = "" if known else say(", in the logs' own local times")
            page.paragraph(
                say("over time: {begin} to {end}{zone}", begin=begin, end=end, zone=zone), style="dim"
            )
    if len(logs.events) > EVENTS_SHOWN:
        page.paragraph(say("and {events} more kinds", events=len(logs.events) - EVENTS_SHOWN), style="dim")
    page.bullets(_about(logs))


def _about(logs: LogsFacts) -> Iterator[str]:
    """Who and what the events are about."""
    for event in logs.events[:ROWS_SHOWN]:
        named = [(_named(row), row.count) for row in event.subjects if _named(row)]
        if named:
            shown = ", ".join(f"{name} ({number(count)})" for name, count in named[:SUBJECTS_SHOWN])
            more = len(named) - SUBJECTS_SHOWN + event.subjects_left_out
            yield f"{event.kind}: {shown}" + (say(" and {more:count} more", more=more) if more > 0 else "")
    if any(event.kind == HARMLESS for event in logs.events):
        yield say(
            "{kind} is harmless: a request for exactly the end of the last file, which is full before the"
            " next one is there.",
            kind=HARMLESS,
        )


def _named(row: object) -> str:
    parts = [
        f"{label} {value}" if label else str(value)
        for label, value in (
            (say("group"), getattr(row, "group", None)),
            (say("topic"), getattr(row, "topic", None)),
            (say("broker"), getattr(row, "broker", None)),
            (say("queue"), getattr(row, "queue_id", None)),
            ("", getattr(row, "thread", None)),
        )
        if value is not None
    ]
    return " ".join(parts)


def _is_known(event: LogEvent) -> bool:
    """Whether its times have a zone."""
    return event.first is None or datetime.fromisoformat(event.first).tzinfo is not None


def _range(events: list[LogEvent]) -> tuple[str | None, str | None]:
    firsts = [event.first for event in events if event.first is not None]
    lasts = [event.last for event in events if event.last is not None]
    if not firsts or not lasts:
        return None, None
    return min(firsts, key=datetime.fromisoformat), max(lasts, key=datetime.fromisoformat)


def _bars(event: LogEvent, begin: str | None, end: str | None) -> str:
    """Lines by equal parts of the whole time, as heights."""
    if begin is None or end is None or not event.series:
        return ""
    start = datetime.fromisoformat(begin)
    whole = (datetime.fromisoformat(end) - start).total_seconds()
    counts = [0] * CELLS
    for point in event.series:
        passed = (datetime.fromisoformat(point.at) - start).total_seconds()
        place = 0 if whole <= 0 else int(max(passed, 0) / whole * CELLS)
        counts[min(place, CELLS - 1)] += point.count
    most = max(counts)
    # a single line among thousands must still be seen
    return "".join(BARS[-(-count * (len(BARS) - 1) // most)] if count else "·" for count in counts)


def _flow_control(page: Page, logs: LogsFacts) -> None:
    if not logs.flow_control:
        return
    page.heading(say("Flow control of consumers"))
    page.table(
        [
            Column(head=say("group")),
            Column(head=say("by")),
            Column(head=say("pulls held back"), right=True),
            Column(head=say("queues at once"), right=True),
            Column(head=say("threshold"), right=True),
            Column(head=say("largest"), right=True),
        ],
        [
            (
                row.group or say("(lite pull)"),
                row.kind,
                f"{number(row.occurrences)}+",
                "?" if row.queues_held_back is None else f"{row.queues_held_back:.2f}",
                "" if row.threshold is None else number(row.threshold),
                number(row.largest),
            )
            for row in logs.flow_control[:ROWS_SHOWN]
        ],
    )


def _replicas(page: Page, logs: LogsFacts) -> None:
    lines = []
    cut = _shared_folders([file.path for file in logs.files])
    for gap in logs.replica_gaps:
        name = _short(gap.path[cut:])
        if gap.smallest_bytes < 0:
            lines.append(
                say(
                    "{name}: the slave was ahead of its master by {smallest_bytes:bytes}",
                    name=name,
                    smallest_bytes=-gap.smallest_bytes,
                )
            )
        elif gap.replica_seen:
            lines.append(
                say(
                    "{name}: the slave was behind by {largest_bytes:bytes} at most, {last_bytes:bytes} at the end",
                    name=name,
                    largest_bytes=gap.largest_bytes,
                    last_bytes=gap.last_bytes,
                )
            )
        else:
            lines.append(
                say("{name}: no slave is seen; `fall behind` then counts all that was ever written", name=name)
            )
    if lines:
        page.heading(say("Master and slave"))
        page.bullets(lines[:ROWS_SHOWN])


def _collections(page: Page, logs: LogsFacts) -> None:
    if not logs.gc:
        return
    cut = _shared_folders([file.path for file in logs.files])
    page.heading(say("Garbage collections"))
    page.table(
        [
            Column(head=say("log")),
            Column(head=say("all"), right=True),
            Column(head=say("full"), right=True),
            Column(head=say("pauses"), right=True),
            Column(head=say("longest"), right=True),
            Column(head=say("of the time"), right=True),
            Column(head=say("heap after"), right=True),
            Column(head=say("heap"), right=True),
        ],
        [_gc_row(gc, cut) for gc in logs.gc[:ROWS_SHOWN]],
    )


def _gc_row(gc: GcFacts, cut: int) -> tuple[str, ...]:
    return (
        _short(gc.path[cut:]),
        number(gc.collections),
        number(gc.full),
        duration(round(gc.pause_ms)),
        duration(round(gc.longest_pause_ms)),
        share(gc.pause_ms / 1000, gc.seconds) if gc.seconds else "?",
        size(gc.heap_after_bytes),
        size(gc.heap_bytes),
    )


def _shared_folders(paths: Sequence[str]) -> int:
    """Characters of the folders that all paths begin with: tables are narrow."""
    folders = [path.split("/")[:-1] for path in paths]
    shared = 0
    for parts in zip(*folders, strict=False):
        if len(set(parts)) > 1:
            break
        shared += len(parts[0]) + 1
    return shared


def _short(path: str) -> str:
    """The end of a path: folders tell brokers apart."""
    return path if len(path) <= NAME_CHARACTERS else "…" + path[1 - NAME_CHARACTERS :]


def _days(times: Iterable[str | None]) -> set[str]:
    return {time[:10] for time in times if time is not None}


def _time(text: str | None, days: set[str]) -> str:
    """A time of day; with month and day where a section has several days."""
    if text is None:
        return "?"
    return text[11:19] if len(days) == 1 else f"{text[5:10]} {text[11:16]}"
