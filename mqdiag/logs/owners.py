"""Which broker each log is of, where a run has logs of several: nothing is summed over two of them.

Brokers are told apart by the place of their logs (`mqdiag.logs.places`) and named by their own start-up lines. What
senders were answered goes to the broker that they name: by address, else by name; of several brokers of that name to
the one that wrote at that time, and of those to the one whose logs lie nearest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from mqdiag.facts.logs import UNNAMED_BROKER
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.places import places_of
from mqdiag.logs.reader import ReadLog
from mqdiag.logs.tally import EventTally, Span
from mqdiag.logs.zones import Zone

NEAR_MS = 600_000
"""ten minutes: how far answers may lie from the times of a broker's logs to be its answers"""
ANY_ZONE_MS = 14 * 3_600_000
_BROKER_KINDS = frozenset({"store", "store-error", "watermark"})
"""told by their own words; what is called broker may be anybody's log of the same form"""
_ADDRESS = lazy_pattern(r".+:\d{1,5}$")


class Owner(msgspec.Struct):
    """A broker: its logs, and what others were answered by it."""

    name: str | None = None
    address: str | None = None
    place: str = ""
    """where its logs lie; empty for one that only senders name"""
    logs: list[int] = msgspec.field(default_factory=list)
    answers: list[tuple[int, EventTally]] = msgspec.field(default_factory=list)
    """parts of events, with the log that they are in"""
    slave: bool = False
    span: Span = msgspec.field(default_factory=Span)
    """times of its logs, as UTC where their zone is known"""


def tell_owners(logs: Sequence[ReadLog], zones: Sequence[Zone], names: Mapping[str, str]) -> list[Owner]:
    """All brokers that these logs are of or speak of.

    Args:
        logs: what was read.
        zones: of each log.
        names: brokers' names by address, where it has one only.
    """
    owners = _joined(_with_logs(logs, zones, names), logs)
    named: dict[str | None, Owner] = {}
    for number, log in enumerate(logs):
        for event in log.tally.events.values():
            for broker, part in event.by_broker.items() if event.side == "client" else ():
                own = _of_answer(owners, broker, part.span, log, zones[number])
                if own is None:
                    name = names.get(broker or "", broker)
                    own = named.setdefault(name, Owner(name=name))
                own.answers.append((number, part))
    return _without_doubt([*owners, *named.values()])


def _with_logs(logs: Sequence[ReadLog], zones: Sequence[Zone], names: Mapping[str, str]) -> list[Owner]:
    known = {name for log in logs for found in log.tally.brokers.values() for name in found}
    known |= set(names.values())
    by_place: dict[str, Owner] = {}
    for number, place in enumerate(places_of(logs)):
        if _is_broker_log(logs[number]):
            by_place.setdefault(place, Owner(place=place)).logs.append(number)
    for owner in by_place.values():
        tallies = [logs[number].tally for number in owner.logs]
        started = [tally.started_as for tally in tallies if tally.started_as is not None]
        printed = [tally.settings["brokerName"] for tally in tallies if "brokerName" in tally.settings]
        if started:
            owner.name, owner.address = started[-1]
        elif printed:
            owner.name = printed[-1]
        else:
            folders = set(owner.place.split("/")) & known
            owner.name = folders.pop() if len(folders) == 1 else None
        owner.slave = any(tally.settings.get("brokerRole") == "SLAVE" for tally in tallies)
        for number in owner.logs:
            owner.span.take(logs[number].tally.span.shifted(zones[number].shift_ms))
    return list(by_place.values())


def _is_broker_log(log: ReadLog) -> bool:
    tally = log.tally
    return (
        (log.shape.form == "rocketmq" and log.shape.kind in _BROKER_KINDS)
        or tally.latency.lines > 0
        or tally.started_as is not None
        or bool(tally.settings)
        or tally.gaps.lines > 0
        or any(side == "broker" for _, side in tally.events)
    )


def _joined(owners: list[Owner], logs: Sequence[ReadLog]) -> list[Owner]:
    """Two places that hold different kinds of logs, only one of them with a name, are taken for one broker's."""
    if len(owners) != 2:
        return owners
    one, other = owners
    kinds = [{logs[number].shape.kind for number in owner.logs} for owner in owners]
    if (one.name is not None and other.name is not None) or kinds[0] & kinds[1]:
        return owners
    merged = one if one.name is not None else other
    rest = other if merged is one else one
    merged.logs = sorted((*merged.logs, *rest.logs))
    merged.slave = merged.slave or rest.slave
    merged.span.take(rest.span)
    return [merged]


def by_log(owners: Sequence[Owner]) -> dict[int, int]:
    """The place of the broker that each log is of, by the log's number."""
    return {number: place for place, owner in enumerate(owners) for number in owner.logs}


def answered_by(
    owners: Sequence[Owner], broker: str | None, log: ReadLog, span: Span, zone: Zone
) -> int | None:
    """The place of the broker that lines of a client are about; None where nothing tells.

    Args:
        owners: the brokers.
        broker: as the lines name it.
        log: the log.
        span: times of the lines, on the log's clock.
        zone: of the log.
    """
    if len(owners) == 1:
        return 0
    own = _of_answer(owners, broker, span, log, zone)
    return None if own is None else owners.index(own)


def _of_answer(
    owners: Sequence[Owner], broker: str | None, span: Span, log: ReadLog, zone: Zone
) -> Owner | None:
    """The broker that gave an answer; None when several may have, or none of those whose logs are there."""
    masters = [owner for owner in owners if not owner.slave]
    if broker is None:
        # some lines of 4.x clients name none: it is one of those that the client has sent heart beats to
        met = {name for names in log.tally.brokers.values() for name in names}
        fitting = [owner for owner in masters if not met or owner.name is None or owner.name in met]
    else:
        fitting = [owner for owner in owners if owner.address == broker] if _ADDRESS.match(broker) else []
        fitting = fitting or [owner for owner in masters if owner.name == broker]
    if len(fitting) > 1 or broker is None:
        fitting = [owner for owner in fitting if _near(owner.span, span, zone)]
    if len(fitting) > 1:
        shared = [_shared_folders(owner.place, log.path) for owner in fitting]
        fitting = [owner for owner, count in zip(fitting, shared, strict=True) if count == max(shared)]
    return fitting[0] if len(fitting) == 1 else None


def _near(span: Span, answered: Span, zone: Zone) -> bool:
    """Whether it was answered while the broker's logs were written, or may have been."""
    times = answered.shifted(zone.shift_ms)
    if None in (span.first, span.last, times.first, times.last):
        return True
    slack = NEAR_MS if zone.minutes is not None else ANY_ZONE_MS
    assert span.first is not None
    assert span.last is not None
    assert times.first is not None
    assert times.last is not None
    return times.first <= span.last + slack and times.last >= span.first - slack


def _shared_folders(one: str, other: str) -> int:
    count = 0
    for mine, theirs in zip(one.split("/"), other.replace("!", "/").split("/")[:-1], strict=False):
        if mine != theirs:
            break
        count += 1
    return count


def _without_doubt(owners: list[Owner]) -> list[Owner]:
    """The answers that name no broker are of the only one; a nameless one is the only one that senders name."""
    nameless = [owner for owner in owners if owner.name is None]
    named = [owner for owner in owners if owner.name is not None]
    if len({owner.name for owner in named}) == len(named) <= 1:
        # one broker at most is named at all: places without a name are brokers of their own
        places = [owner for owner in owners if owner.logs]
        if len(places) <= 1:
            into = (places or named or nameless)[:1]
            for owner in owners:
                if owner is not into[0]:
                    into[0].answers += owner.answers
                    into[0].name = into[0].name or owner.name
            return into
    return owners


def labels(owners: Sequence[Owner]) -> list[str | None]:
    """What tells each from others of its name, or from others without one; None where its name does."""
    counts = Counter(owner.name for owner in owners)
    folders = [owner.place.split("/") for owner in owners if owner.place]
    shared = 0
    for parts in zip(*folders, strict=False):
        if len(set(parts)) > 1:
            break
        shared += 1
    found: list[str | None] = []
    for owner in owners:
        unique = owner.name is not None and counts[owner.name] == 1
        if not owner.logs and not unique and len(owners) > 1:
            # which of those of its name, or which at all, the answers do not tell
            found.append(UNNAMED_BROKER)
            continue
        below = "/".join(owner.place.split("/")[shared:]) or owner.place.rpartition("/")[2]
        found.append(None if unique or not below else below)
    return found
