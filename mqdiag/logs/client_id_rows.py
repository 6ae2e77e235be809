"""Client ids that two processes have at the same time, by the logs of brokers and of the clients themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from mqdiag.facts.logs import SharedClientId
from mqdiag.logs.reader import ReadLog
from mqdiag.logs.tally import MINUTE_MS, Span
from mqdiag.logs.zones import Zone, shown_time

MOST_ROWS = 20
MOST_LIVES = 200
"""starts of clients that are compared with one another"""
SAME_START_MS = 2000
"""two logs of one process have its start at the same time"""


def shared_ids(logs: Sequence[ReadLog], zones: Sequence[Zone]) -> tuple[SharedClientId, ...]:
    """Ids that were connected twice for a minute or longer; of clients' logs those that brokers' logs do not tell."""
    rows = list(_by_brokers(zip(logs, zones, strict=True)))
    told = {row.client_id for row in rows}
    rows += [row for row in _by_clients(logs, zones) if row.client_id not in told]
    rows.sort(key=lambda row: (row.group or "", row.client_id))
    return tuple(rows[:MOST_ROWS])


def _by_brokers(logs: Iterable[tuple[ReadLog, Zone]]) -> Iterator[SharedClientId]:
    for log, zone in logs:
        end = log.tally.span.last
        for (group, client_id), row in log.tally.connected_twice.items():
            span = Span(row.span.first, row.span.last)
            if len(log.tally.connected.get((group, client_id), ())) > 1:
                span.see(end)  # to the end of the log both are there
            seconds = None if span.first is None or span.last is None else (span.last - span.first) / 1000
            hosts = {address.rpartition(":")[0] for address in row.addresses}
            if len(hosts) == 1 and not _stay(log, len(row.addresses), seconds):
                continue  # one process that connects again and again
            yield SharedClientId(
                group=group,
                client_id=client_id,
                addresses=tuple(row.addresses),
                seconds=seconds,
                first=zone.shown(span.first),
                last=zone.shown(span.last),
            )


class _Life(NamedTuple):
    """A client of one log, from its start to its shutdown or to the end of the log."""

    log: ReadLog
    span: Span
    zone_minutes: int | None


def _stay(log: ReadLog, addresses: int, seconds: float | None) -> bool:
    """Whether both connections of one host lasted, in a log that would tell that one had ended."""
    lasted = seconds is not None and seconds * 1000 >= MINUTE_MS
    return lasted and addresses == 2 and log.tally.says_who_left


def _by_clients(logs: Sequence[ReadLog], zones: Sequence[Zone]) -> Iterator[SharedClientId]:
    lives: dict[str, list[_Life]] = {}
    for log, zone in zip(logs, zones, strict=True):
        for client_id, spans in log.tally.clients.items():
            for span in spans[:MOST_LIVES]:
                whole = Span(span.first, log.tally.span.last if span.last is None else span.last)
                shifted = whole.shifted(zone.shift_ms)
                lives.setdefault(client_id, []).append(_Life(log, shifted, zone.minutes))
    for client_id, own in lives.items():
        for one, other in combinations(own[:MOST_LIVES], 2):
            row = _together(client_id, one, other)
            if row is not None:
                yield row
                break


def _together(client_id: str, one: _Life, other: _Life) -> SharedClientId | None:
    """Two processes with a consumer of one group that ran for a minute or longer at the same time."""
    groups = one.log.tally.consumers.keys() & other.log.tally.consumers.keys()
    if one.log is other.log or not groups or (one.zone_minutes is None) is not (other.zone_minutes is None):
        return None
    mine, theirs = one.span, other.span
    if mine.first is None or theirs.first is None or mine.last is None or theirs.last is None:
        return None
    begin, end = max(mine.first, theirs.first), min(mine.last, theirs.last)
    if end - begin < MINUTE_MS or abs(mine.first - theirs.first) <= SAME_START_MS:
        return None
    return SharedClientId(
        group=min(groups),
        client_id=client_id,
        paths=(one.log.path, other.log.path),
        seconds=(end - begin) / 1000,
        first=shown_time(begin, one.zone_minutes),
        last=shown_time(end, one.zone_minutes),
    )
