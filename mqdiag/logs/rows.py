"""Rows of the tables that have a shape of their own: flow control, offsets, collections."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec

from mqdiag.facts.logs import Connections, FlowControlFacts, SubscriptionChange
from mqdiag.facts.offset_logs import OffsetNotMatched, OffsetReset, RepeatedOffset
from mqdiag.facts.vocabulary import FlowControlKind, OffsetPlace
from mqdiag.logs.log_tally import CounterTally, FlowTally, NotMatchedTally, ResetKey, ResetTally
from mqdiag.logs.owners import Owner, answered_by, by_log
from mqdiag.logs.reader import ReadLog
from mqdiag.logs.tally import Span
from mqdiag.logs.zones import Zone, shown_time

MOST_ROWS = 50
DELAY_S = 0.05
"""a held-back queue is looked at again after this time, in every version"""


def flow_rows(logs: Sequence[ReadLog], zones: Sequence[Zone]) -> tuple[FlowControlFacts, ...]:
    """One row for each log, group and reason: two logs are two clients with counters of their own."""
    rows = []
    for log, zone in zip(logs, zones, strict=True):
        for (group, kind), row in log.tally.flow.items():
            counter = log.tally.counters.get((group, "count-size" if kind in ("count", "size") else kind))
            rows.append(_flow_row(group, kind, row, counter, zone, log.path))
    rows.sort(key=lambda row: (-row.occurrences, row.group or "", row.kind))
    return tuple(rows[:MOST_ROWS])


def _flow_row(
    group: str | None,
    kind: FlowControlKind,
    row: FlowTally,
    counter: CounterTally | None,
    zone: Zone,
    path: str,
) -> FlowControlFacts:
    span = row.span
    seconds = held = None
    occurrences = row.lines
    if counter is not None:
        # count and size share one counter: each has its share of it by lines
        occurrences = max(
            row.lines, round((counter.grown + counter.before) * row.lines / max(counter.lines, 1))
        )
        if counter.milliseconds:
            seconds = counter.milliseconds / 1000
            held = round(counter.grown * DELAY_S / seconds, 2)
    elif (
        row.delay_ms is not None and span.first is not None and span.last is not None and span.last > span.first
    ):
        seconds = (span.last - span.first) / 1000
        held = round(row.lines * row.delay_ms / (span.last - span.first), 2)
    return FlowControlFacts(
        group=group,
        kind=kind,
        lines=row.lines,
        occurrences=occurrences,
        threshold=row.threshold,
        largest=row.largest,
        first=zone.shown(span.first),
        last=zone.shown(span.last),
        seconds=seconds,
        queues_held_back=held,
        topics=tuple(row.topics)[:20],
        queues=len(row.queues),
        logs_each=row.delay_ms is not None,
        idle_minutes=row.idle_minutes,
        path=path,
    )


def reset_rows(
    logs: Sequence[ReadLog], zones: Sequence[Zone], owners: Sequence[Owner], labels: Sequence[str | None]
) -> tuple[tuple[OffsetReset, ...], int]:
    """(resets by broker, group, queue and offset, broker's and client's side as one; how many are left out).

    Args:
        logs: what was read.
        zones: of each log.
        owners: the brokers.
        labels: what tells each of them from others of its name.
    """
    merged: dict[tuple[int | None, ResetKey], OffsetReset] = {}
    left_out = sum(log.tally.resets_left_out for log in logs)
    own = by_log(owners)
    for number, (log, zone) in enumerate(zip(logs, zones, strict=True)):
        for key, row in log.tally.resets.items():
            whose = own.get(number)
            if whose is None:
                whose = answered_by(owners, row.broker, log, row.span, zone)
            one = _reset(key, row, zone, log.shape.kind)
            if whose is not None:
                one = msgspec.structs.replace(
                    one, broker=one.broker or owners[whose].name, instance=labels[whose]
                )
            other = merged.get((whose, key))
            merged[whose, key] = one if other is None else _join(other, one)
    joined = _sides_joined(merged)
    rows = sorted(
        joined,
        key=lambda row: (
            row.given - row.requested, row.group or "", row.topic or "", row.queue_id or 0, row.broker or "",
        ),
    )  # fmt: skip
    return tuple(rows[:MOST_ROWS]), left_out + max(0, len(rows) - MOST_ROWS)


def _sides_joined(merged: dict[tuple[int | None, ResetKey], OffsetReset]) -> list[OffsetReset]:
    """A broker's line, which names no queue, is told by those of the clients that moved alike."""
    with_queue: dict[tuple[int | None, ResetKey], list[tuple[int | None, ResetKey]]] = {}
    for whose, key in merged:
        if key.queue_id is not None:
            with_queue.setdefault((whose, key._replace(queue_id=None)), []).append((whose, key))
    rows = dict(merged)
    for of_broker, alike in with_queue.items():
        broker = rows.get(of_broker)
        if broker is None:
            continue
        rest = broker.count - sum(rows[queue].count for queue in alike)
        for queue in alike:
            rows[queue] = _join(rows[queue], msgspec.structs.replace(broker, count=1))
        if rest > 0:
            # more moves than the clients' logs at hand tell of
            rows[of_broker] = msgspec.structs.replace(broker, count=rest)
        else:
            del rows[of_broker]
    return list(rows.values())


def _reset(key: ResetKey, row: ResetTally, zone: Zone, kind: str) -> OffsetReset:
    return OffsetReset(
        group=key.group,
        topic=key.topic,
        broker=row.broker,
        queue_id=key.queue_id,
        requested=key.requested,
        given=key.given,
        broker_max=row.broker_max,
        no_queue_data=row.no_queue_data,
        count=row.count,
        first=zone.shown(row.span.first),
        last=zone.shown(row.span.last),
        sides=("client" if kind in ("client", "application", "gc") else "broker",),
    )


def _join(one: OffsetReset, other: OffsetReset) -> OffsetReset:
    """Both sides' lines of one move; a time whose zone is known goes before one of unknown zone."""
    timed = max((one, other), key=_certainty)
    return msgspec.structs.replace(
        one,
        broker=one.broker or other.broker,
        broker_max=one.broker_max if one.broker_max is not None else other.broker_max,
        no_queue_data=one.no_queue_data or other.no_queue_data,
        count=max(one.count, other.count),
        first=timed.first,
        last=timed.last,
        sides=tuple(sorted({*one.sides, *other.sides})),
    )


def _certainty(reset: OffsetReset) -> int:
    if reset.first is None:
        return 0
    return 1 if datetime.fromisoformat(reset.first).tzinfo is None else 2


def not_matched_rows(logs: Sequence[ReadLog], zones: Sequence[Zone]) -> tuple[OffsetNotMatched, ...]:
    """One row for each thread, place and file size; rotated logs of one broker are one."""
    merged: dict[tuple[str | None, OffsetPlace, int | None], tuple[NotMatchedTally, int | None]] = {}
    for log, zone in zip(logs, zones, strict=True):
        for key, row in log.tally.not_matched.items():
            total, _ = merged.setdefault(key, (NotMatchedTally(), zone.minutes))
            total.count += row.count
            total.requested, total.first_offset, total.last_offset = (
                row.requested,
                row.first_offset,
                row.last_offset,
            )
            total.span.take(row.span.shifted(zone.shift_ms))
            total.minutes.take(row.minutes, zone.shift_ms)
    rows = [
        OffsetNotMatched(
            thread=thread,
            place=place,
            file_bytes=size,
            count=row.count,
            peak_per_minute=row.minutes.peak or None,
            requested=row.requested,
            first_offset=row.first_offset,
            last_offset=row.last_offset,
            first=shown_time(row.span.first, minutes),
            last=shown_time(row.span.last, minutes),
        )
        for (thread, place, size), (row, minutes) in merged.items()
    ]
    rows.sort(key=lambda row: (-row.count, row.thread or "", row.place))
    return tuple(rows[:MOST_ROWS])


def stored_rows(logs: Sequence[ReadLog], zones: Sequence[Zone]) -> tuple[RepeatedOffset, ...]:
    """Offsets that did not move although messages of their topic were consumed, and no other queue's offset moved.

    A queue without messages stands still as well; then the consumed ones moved another queue.
    """
    rows = []
    for log, zone in zip(logs, zones, strict=True):
        moved = {(queue.group, queue.topic) for queue, row in log.tally.stored.items() if row.moved}
        for queue, row in log.tally.stored.items():
            if (queue.group, queue.topic) in moved or not row.consumed:
                continue
            rows.append(
                RepeatedOffset(
                    group=queue.group,
                    topic=queue.topic,
                    broker=queue.broker,
                    queue_id=queue.queue_id,
                    offset=row.offset,
                    lines=row.lines,
                    consumed=row.consumed,
                    first=zone.shown(row.span.first),
                    last=zone.shown(row.span.last),
                )
            )
    rows.sort(key=lambda row: (-row.lines, row.group or "", row.topic or "", row.queue_id or 0))
    return tuple(rows[:MOST_ROWS])


def change_rows(logs: Sequence[ReadLog], zones: Sequence[Zone]) -> tuple[SubscriptionChange, ...]:
    """One row for each log and each pair of subscriptions."""
    rows = []
    for log, zone in zip(logs, zones, strict=True):
        for key, (count, span) in log.tally.changes.items():
            rows.append(
                SubscriptionChange(
                    group=key.group,
                    topic=key.topic,
                    before=key.before,
                    after=key.after,
                    count=count,
                    first=zone.shown(span.first),
                    last=zone.shown(span.last),
                )
            )
    rows.sort(key=lambda row: (-row.count, row.group, row.topic))
    return tuple(rows[:MOST_ROWS])


def connection_rows(logs: Sequence[ReadLog], zones: Sequence[Zone]) -> tuple[Connections, ...]:
    """One row for each log and each peer with which at least two connections ended."""
    rows = []
    for log, zone in zip(logs, zones, strict=True):
        for peer, tally in log.tally.peers.items():
            closed, brief, usual = tally.closed, tally.brief, tally.usual_life
            if closed.count + brief.count < 2:
                continue
            span = Span()
            span.take(closed.span)
            span.take(brief.span)
            rows.append(
                Connections(
                    path=log.path,
                    address=peer.address,
                    incoming=peer.incoming,
                    opened=tally.opened,
                    closed=closed.count,
                    closed_per_minute=closed.per_minute,
                    brief=brief.count,
                    brief_per_minute=brief.per_minute,
                    usual_life_s=usual[0] if usual else None,
                    usual_lives=usual[1] if usual else 0,
                    first=zone.shown(span.first),
                    last=zone.shown(span.last),
                )
            )
    rows.sort(key=lambda row: (-row.closed - row.brief, row.address, row.path))
    return tuple(rows[:MOST_ROWS])
