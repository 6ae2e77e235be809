"""Tallies of all logs to facts: clocks aligned, tables cut to what a report can hold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from mqdiag.facts.log_lines import HarmlessLines, QuotedStatement, RepeatedLine
from mqdiag.facts.logs import (
    BrokerLogs,
    KnownBroker,
    LogEvent,
    LogFile,
    LogsFacts,
    VersionRange,
)
from mqdiag.facts.offset_logs import OffsetReset
from mqdiag.facts.store_logs import PutLatency, ReplicaGap
from mqdiag.log_events import folder_of
from mqdiag.logs.brokers import broker_names, master_addresses
from mqdiag.logs.client_id_rows import shared_ids
from mqdiag.logs.event_facts import event_facts, gap_facts, latency_facts
from mqdiag.logs.latency import LatencyTally
from mqdiag.logs.level_line_facts import level_line_facts
from mqdiag.logs.listener_rows import exception_rows, suspended_rows
from mqdiag.logs.owners import Owner, labels, tell_owners
from mqdiag.logs.pause_rows import gc_row, safepoint_row
from mqdiag.logs.places import places_of
from mqdiag.logs.reader import ReadLog
from mqdiag.logs.rows import change_rows, connection_rows, flow_rows, not_matched_rows, reset_rows, stored_rows
from mqdiag.logs.statements import HARMLESS, why_harmless
from mqdiag.logs.tally import EventTally, Span
from mqdiag.logs.versions import version_range
from mqdiag.logs.zones import Zone, shown_offset, shown_time, zone_of
from mqdiag.text import Text

if TYPE_CHECKING:
    from mqdiag.knowledge.team.statement import Statement


def logs_facts(
    logs: Iterable[ReadLog],
    utc_offset_minutes: int | None = None,
    statements: Sequence[Statement] = (),
) -> LogsFacts:
    """Facts of all logs.

    Args:
        logs: what was read.
        utc_offset_minutes: zone of logs that do not tell theirs.
        statements: of a team, with which the logs were read.
    """
    build = _Build(list(logs), utc_offset_minutes)
    if not statements:
        return build.facts()
    from mqdiag.logs.team_facts import team_rows  # most runs know of no team

    rows = team_rows(build.read, build.zones, statements, lambda path: (folder_of(path), _stem(path)))
    return msgspec.structs.replace(build.facts(), team=rows)


class _Build:
    """What the parts of the facts have in common: all logs, their zones, whose they are."""

    def __init__(self, read: list[ReadLog], utc_offset_minutes: int | None) -> None:
        self.read = read
        self.zones = [zone_of(log.shape, log.tally.zone_minutes, utc_offset_minutes) for log in read]
        self.shown_in = _common(self.zones)
        self.names = broker_names(log.tally for log in read)
        self.repeated = _repeated(read)
        self.with_replica = {folder_of(log.path) for log in read if log.tally.replica_seen}
        self.owners = tell_owners(read, self.zones, self.names)
        self.labels = labels(self.owners)

    def facts(self) -> LogsFacts:
        read, zones = self.read, self.zones
        every = range(len(read))
        several = len(self.owners) > 1
        lines = sum(log.counts.lines for log in read)
        whole = self._of_logs(
            every,
            [(number, event) for number in every for event in read[number].tally.events.values()],
        )
        resets, left_out = reset_rows(read, zones, self.owners, self.labels)
        return LogsFacts(
            files=tuple(_file(log, zone) for log, zone in zip(read, zones, strict=True)),
            flow_control=flow_rows(read, zones),
            offset_resets=resets,
            resets_left_out=left_out,
            stored_offsets=stored_rows(read, zones),
            subscription_changes=change_rows(read, zones),
            connections=connection_rows(read, zones),
            listener_exceptions=(
                *exception_rows(self._not_repeated("consume-exception"), "messages"),
                *exception_rows(self._not_repeated("listener-logged-error"), "logged"),
                *exception_rows(self._not_repeated("transaction-check-threw"), "transactions"),
            ),
            known_brokers=tuple(self._known_brokers()),
            shared_client_ids=shared_ids(read, zones),
            suspended_queues=suspended_rows(self._not_repeated("consume-orderly-suspended")),
            gc=tuple(gc_row(log, zone) for log, zone in zip(read, zones, strict=True) if log.tally.gc.is_told),
            safepoints=tuple(
                safepoint_row(log, zone)
                for log, zone in zip(read, zones, strict=True)
                if log.tally.safepoints.pauses
            ),
            broker_version=None if several else self._version(every, resets),
            brokers=tuple(
                self._broker(
                    owner, label, [one for one in resets if (one.broker, one.instance) == (owner.name, label)]
                )
                for owner, label in zip(self.owners, self.labels, strict=True)
            )
            if several
            else (),
            bytes=sum(log.counts.bytes for log in read),
            lines=lines,
            level_lines=level_line_facts(
                ((log.path, log.levels, log.quiet_ms) for log in read),
                is_excerpt=LogsFacts(lines=lines).is_excerpt,
            ),
            repeated=tuple(
                RepeatedLine(text=log.repeated[0], count=log.repeated[1]) for log in read if log.repeated
            ),
            quoted=tuple(
                QuotedStatement(path=log.path, line=one.line, quotes=one.quotes, text=one.text)
                for log in read
                for one in log.quoted.shown
            ),
            harmless=tuple(
                HarmlessLines(kind=kind, count=count, why=Text(why_harmless()[kind]), example=example)
                for kind, count, example in self._harmless()
            ),
            masters=master_addresses(log.tally for log in read),
            other_clients=tuple(sorted({log.other_client for log in read if log.other_client})),
            # of several brokers nothing is added up
            **whole | ({"pagecachert": None, "settings": {}} if several else {}),
        )

    def _known_brokers(self) -> Iterator[KnownBroker]:
        for log, zone, place in zip(self.read, self.zones, places_of(self.read), strict=True):
            for address, known in log.tally.known_brokers.items():
                yield KnownBroker(
                    named=self.names.get(address, address),
                    address=address,
                    path=log.path,
                    log_place=place,
                    master=known.master,
                    registered=zone.shown(known.registered),
                    left=zone.shown(known.left),
                    is_there=known.is_there,
                )

    def _harmless(self) -> list[tuple[str, int, str]]:
        """(kind, lines, the first of them), the most frequent kinds first."""
        found: dict[str, tuple[int, str]] = {}
        for log in self.read:
            for (kind, _), event in log.tally.events.items():
                if kind.startswith(HARMLESS):
                    count, example = found.get(kind, (0, event.example))
                    found[kind] = count + event.count, example
        return sorted(((kind, *row) for kind, row in found.items()), key=lambda row: (-row[1], row[0]))

    def _broker(self, owner: Owner, label: str | None, resets: list[OffsetReset]) -> BrokerLogs:
        read, zones = self.read, self.zones
        own = [
            (number, event)
            for number in owner.logs
            for (_, side), event in read[number].tally.events.items()
            if side != "client"
        ]
        span = Span()
        for number in owner.logs:
            span.take(read[number].tally.span.shifted(zones[number].shift_ms))
        zone = self.shown_in if all(zones[number].minutes is not None for number in owner.logs) else None
        return BrokerLogs(
            name=owner.name,
            address=owner.address,
            instance=label,
            paths=tuple(read[number].path for number in owner.logs),
            first=shown_time(span.first, zone),
            last=shown_time(span.last, zone),
            version=self._version(owner.logs, resets),
            **self._of_logs(owner.logs, [*own, *owner.answers]),
        )

    def _of_logs(self, logs: Sequence[int], events: list[tuple[int, EventTally]]) -> dict[str, Any]:
        """The fields of `OfLogs`, of some of the logs and of events that may stand in others."""
        own = [self.read[number] for number in logs], [self.zones[number] for number in logs]
        return {
            "events": self._events(events),
            "not_matched": not_matched_rows(*own),
            "pagecachert": self._latency(logs),
            "replica_gaps": tuple(self._gaps(logs)),
            "settings": self._settings(logs),
        }

    def _version(self, logs: Iterable[int], resets: Iterable[OffsetReset]) -> VersionRange | None:
        return version_range((self.read[number].tally for number in logs), resets=any(map(_is_reset, resets)))

    def _events(self, found: Iterable[tuple[int, EventTally]]) -> tuple[LogEvent, ...]:
        """Events of the same kind as one; those of a known clock and those of an unknown one stay apart."""
        merged: dict[tuple[str, str | None, bool], EventTally] = {}
        for number, event in found:
            if event.side == "client" and (self.read[number].path, event.kind) in self.repeated:
                continue
            known, shift = self._clock(number)
            key = (event.kind, event.side, known)
            merged.setdefault(key, EventTally(event.kind, event.side)).take(event, shift)
        rows = (
            event_facts(event, self.shown_in if known else None, self.names)
            for (_, _, known), event in merged.items()
        )
        return tuple(sorted(rows, key=lambda event: (-event.count, event.kind)))

    def _not_repeated(self, kind: str) -> Iterator[tuple[ReadLog, Zone]]:
        """Logs with their zones, without those whose lines of this kind another log has as well."""
        for log, zone in zip(self.read, self.zones, strict=True):
            if (log.path, kind) not in self.repeated:
                yield log, zone

    def _latency(self, logs: Iterable[int]) -> PutLatency | None:
        by_clock: dict[bool, LatencyTally] = {}
        for number in logs:
            if self.read[number].tally.latency.lines:
                known, shift = self._clock(number)
                by_clock.setdefault(known, LatencyTally()).take(self.read[number].tally.latency, shift)
        return latency_facts(by_clock, self.shown_in)

    def _gaps(self, logs: Iterable[int]) -> Iterator[ReplicaGap]:
        for number in logs:
            log = self.read[number]
            if log.tally.gaps.lines:
                yield gap_facts(log, self.zones[number], replica_seen=folder_of(log.path) in self.with_replica)

    def _settings(self, logs: Iterable[int]) -> dict[str, str]:
        settings: dict[str, dict[str, None]] = {}
        for number in logs:
            for name, value in self.read[number].tally.settings.items():
                settings.setdefault(name, {})[value] = None
        return {name: ", ".join(values) for name, values in settings.items()}

    def _clock(self, number: int) -> tuple[bool, int]:
        """(whether a log's zone is known, milliseconds from its clock to UTC)."""
        minutes = self.zones[number].minutes
        return minutes is not None, -(minutes or 0) * 60_000


def _is_reset(reset: OffsetReset) -> bool:
    """Sent to 0 although the queue has messages: what versions before 4.9.4 do."""
    return (
        reset.given == 0
        and reset.requested > 0
        and bool(reset.broker_max)
        and not reset.no_queue_data
        and "broker" in reset.sides
    )


def _repeated(logs: list[ReadLog]) -> set[tuple[str, str]]:
    """Client events, as (path, kind), that another log of the same folder has as well.

    An application logs the exception that its client's own log has too. Rotated logs of one kind belong together;
    of different kinds in a folder the one with the most lines counts.
    """
    counts: dict[tuple[str, str], Counter[str]] = {}
    for log in logs:
        for (kind, side), event in log.tally.events.items():
            if side == "client":
                counts.setdefault((folder_of(log.path), kind), Counter())[_stem(log.path)] += event.count
    return {
        (log.path, kind)
        for log in logs
        for (kind, side) in log.tally.events
        if side == "client" and _stem(log.path) != counts[folder_of(log.path), kind].most_common(1)[0][0]
    }


def _stem(path: str) -> str:
    """The name that a log and its rotated ones share: app.log, app.log.1 and app-2026-11-21.log.gz."""
    name = path.rpartition("/")[2]
    return re.split(r"[.\-_]?\d|\.", name, maxsplit=1)[0]


def _common(zones: list[Zone]) -> int:
    """The zone that most logs have: times of several logs are shown in it."""
    known = Counter(zone.minutes for zone in zones if zone.minutes is not None)
    return known.most_common(1)[0][0] if known else 0


def _file(log: ReadLog, zone: Zone) -> LogFile:
    tally = log.tally
    return LogFile(
        path=log.path,
        kind=log.shape.kind,
        format=log.shape.form,
        bytes=log.counts.bytes,
        lines=log.counts.lines,
        event_lines=max(
            log.counts.hit_lines + log.counts.hit_lines_unseen - log.quoted.not_own - log.tally.said_nothing, 0
        ),
        unseen_lines=log.counts.hit_lines_unseen,
        first=zone.shown(tally.span.first),
        last=zone.shown(tally.span.last),
        utc_offset=None if zone.minutes is None else shown_offset(zone.minutes),
        offset_reason=zone.reason,
        undated_events=sum(event.undated for event in tally.events.values()),
        known_heads=None if log.known_heads is None else round(log.known_heads, 4),
        first_records=log.first_records,
        harmless_lines=sum(
            event.count for (kind, _), event in tally.events.items() if kind.startswith(HARMLESS)
        ),
        doubted_lines=log.doubted,
        cut_at=log.column,
        pid=log.pid,
        name_server=next(iter(tally.name_servers)) if len(tally.name_servers) == 1 else None,
        untold_lines=log.untold.count,
        first_untold=log.untold.first,
        first_untold_line=log.untold.line,
    )
