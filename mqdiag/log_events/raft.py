"""What the logs of members of a Raft group say: since when each has looked for a leader, led, or followed one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

import msgspec
from msgspec import structs

from mqdiag.facts.logs import LogEvent, LogsFacts, LogSubject
from mqdiag.log_events import by_broker, events, files_of, of_broker

FAILED, BEGUN, ASKED, KNOWN, LEADS, LOST = (
    "raft-vote-failed",
    "raft-wait-begun",
    "raft-candidate",
    "raft-leader-known",
    "raft-leads",
    "raft-leader-lost",
)
CONTROLLER_LOGS = frozenset({"controller", "jraft"})
"""kinds of logs that only a controller writes"""
QUIET_MS = 60_000
"""without a round of votes: a member that has no leader begins one each second or two"""


class Member(msgspec.Struct):
    """What the logs of one member say; times are of lines, and None where there is no such line."""

    member: str | None
    """None where its lines do not tell the id"""
    logs: LogsFacts
    ends: datetime | None = None
    """the last line that is known to be its own"""
    log_ends: datetime | None = None
    """the end of its logs; None where they are of several members"""
    votes_end: datetime | None = None
    """the end of those that hold its rounds of votes; None where they are of several members, or were only sampled"""
    rounds: int = 0
    """rounds of votes that gave no leader, since the begin; at most so many where only minutes are known"""
    begun: datetime | None = None
    """when it last began to ask for votes, after a pause or at the begin of a log"""
    first: datetime | None = None
    last: datetime | None = None
    """times of the first and the last of the rounds of votes that gave no leader, in the last wait for a leader"""
    asked: datetime | None = None
    """when a controller last became a candidate, by its own log"""
    known: datetime | None = None
    """when the member last followed a leader or led"""
    led: datetime | None = None
    """when it last led"""
    lost: datetime | None = None
    """when it last lost its leader"""

    @property
    def begin(self) -> datetime | None:
        """From when on it has had no leader; None where it has one, or never looked for one."""
        looked = self.first or self.asked
        latest = self.last or self.asked
        if looked is None or latest is None:
            return None
        # a member loses its leader and becomes a candidate in one second
        if (self.known is not None and latest <= self.known) or (self.lost is not None and latest < self.lost):
            return None
        return max(time for time in (looked, self.known, self.lost) if time is not None)

    @property
    def end(self) -> datetime | None:
        """Until when it had none, as far as its logs tell."""
        return self.last or self.ends

    @property
    def stopped_looking(self) -> bool:
        """Whether its log goes on without rounds of votes; SOFAJRaft does not log that a member follows again."""
        return (
            self.last is not None
            and self.votes_end is not None
            and milliseconds(self.last, self.votes_end) > QUIET_MS
        )

    def without_leader_ms(self, since: datetime | None = None) -> float:
        """How long it has had no leader; at most since then."""
        if self.begin is None or self.end is None:
            return 0
        return milliseconds(max(self.begin, since or self.begin), self.end)


class Group(NamedTuple):
    """Members that may be of one Raft group; their times have a zone for all of them or for none."""

    members: list[Member]
    is_told: bool
    """whether the logs tell that they are of one group"""


def logs_of(members: Iterable[Member]) -> list[LogsFacts]:
    """The logs of these members, each once: several members may share them."""
    return list({id(one.logs): one.logs for one in members}.values())


def groups_of(logs: LogsFacts | None) -> Iterator[Group]:
    """The members of each group that the logs are of; brokers of one group have one name.

    The lines of controllers, and of brokers without a name, do not tell the group. Two members of one id are of two
    groups, and nothing tells the groups of the others: each is told by itself.
    """
    groups: dict[tuple[str | None, bool, bool], list[Member]] = defaultdict(list)
    for own in () if logs is None else by_broker(logs):
        for zone_known, part in _by_clock(own):
            controllers = not CONTROLLER_LOGS.isdisjoint(_kinds(part))
            name = None if controllers else of_broker(part).broker
            groups[name, controllers, zone_known].extend(_members(part, zone_known=zone_known))
    for (name, _, _), members in groups.items():
        is_told = name is not None
        if len({one.member for one in members}) == len(members):
            yield Group(members, is_told)
        else:
            yield from (Group([one], is_told) for one in members)


def _by_clock(logs: LogsFacts) -> Iterator[tuple[bool, LogsFacts]]:
    """The logs with events of one clock each: (whether its zone is known, logs).

    A time with a zone and a time without one do not compare.
    """
    parts: dict[bool, list[LogEvent]] = defaultdict(list)
    for event in events(logs, FAILED, BEGUN, ASKED, KNOWN, LEADS, LOST):
        zone_known = _read(event.last, zone_known=True) is not None
        parts[zone_known].append(event)
    for zone_known, found in parts.items():
        yield zone_known, structs.replace(logs, events=tuple(found))


def _kinds(logs: LogsFacts) -> set[str]:
    """The kinds of the files that the events were read from."""
    paths = set(files_of(logs.events))
    return {file.kind for file in logs.files if file.path in paths}


def _members(logs: LogsFacts, *, zone_known: bool) -> list[Member]:
    def read(text: str | None) -> datetime | None:
        return _read(text, zone_known=zone_known)

    members: dict[str | None, Member] = {}
    only = _only_member(logs)
    for event in logs.events:
        for row in _rows(event):
            name = row.member or only
            one = members.setdefault(name, Member(name, logs))
            first, last = read(row.first), read(row.last)
            if event.kind == FAILED:
                one.rounds += row.count
                one.first = _earlier(one.first, first)
                one.last = _later(one.last, last)
            elif event.kind == BEGUN:
                one.begun = _later(one.begun, last)
            elif event.kind == ASKED:
                one.asked = _later(one.asked, last)
            elif event.kind == LOST:
                one.lost = _later(one.lost, last)
            else:
                one.known = _later(one.known, last)
                one.led = _later(one.led, last) if event.kind == LEADS else one.led
            one.ends = _later(one.ends, last)
    failed = events(logs, FAILED)
    with_votes = () if any(event.sampled for event in failed) else files_of(failed)
    for one in members.values():
        one.first = _later(one.first, _wait_begins(one, failed, zone_known=zone_known))
        one.rounds = min(one.rounds, _rounds_since(one.begin, failed, zone_known=zone_known))
        if len(members) == 1:
            kinds = _kinds(logs)
            for file in logs.brokers or [file for file in logs.files if file.kind in kinds]:
                one.log_ends = _later(one.log_ends, read(file.last))
            one.ends = _later(one.ends, one.log_ends)
            for file in logs.files:
                if file.path in with_votes:
                    one.votes_end = _later(one.votes_end, read(file.last))
    return list(members.values())


def _rows(event: LogEvent) -> tuple[LogSubject, ...]:
    return event.subjects or (LogSubject(count=event.count, first=event.first, last=event.last),)


def _only_member(logs: LogsFacts) -> str | None:
    """The one member that lines of these logs name: the lines without a name are taken for its own.

    A controller with SOFAJRaft names itself in jraft.log, and in controller.log when it starts only.
    """
    names = {row.member for event in logs.events for row in _rows(event)} - {None}
    return names.pop() if len(names) == 1 else None


def _wait_begins(one: Member, failed: list[LogEvent], *, zone_known: bool) -> datetime | None:
    """When the last wait of a member began; None where no series tells, or only some of the lines were looked at.

    Rounds of votes are of one wait while no step of the series lies between them: a member of SOFAJRaft does not log
    that it follows its leader again. A mark gives the second, unless it is that of a log that begins in a wait.
    """
    if any(event.sampled for event in failed):
        return None
    step = timedelta(minutes=max((event.step_minutes for event in failed), default=1))
    points = (_read(point.at, zone_known=zone_known) for event in failed for point in event.series)
    begin = None
    for at in sorted(
        (at for at in points if at is not None and one.last is not None and at <= one.last), reverse=True
    ):
        if begin is not None and begin - at > step:
            break
        begin = at
    if begin is not None and one.begun is not None and begin <= one.begun < begin + step:
        return one.begun
    return begin


def _rounds_since(begin: datetime | None, failed: list[LogEvent], *, zone_known: bool) -> int:
    """Rounds of all members in the steps of the series from the begin on; all rounds where no series tells."""
    rounds = 0
    for event in failed:
        if begin is None or not event.series:
            rounds += event.count
            continue
        for point in event.series:
            at = _read(point.at, zone_known=zone_known)
            if at is None or (begin - at).total_seconds() < event.step_minutes * 60:
                rounds += point.count
    return rounds


def _read(text: str | None, *, zone_known: bool) -> datetime | None:
    """A time of a log; None for a text that is none, as a saved report may have, or one of the other clock."""
    try:
        at = None if text is None else datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at is not None and (at.tzinfo is not None) is zone_known else None


def milliseconds(first: datetime, last: datetime) -> float:
    """From one time to a later one."""
    return (last - first).total_seconds() * 1000


def _earlier(one: datetime | None, other: datetime | None) -> datetime | None:
    return min((time for time in (one, other) if time is not None), default=None)


def _later(one: datetime | None, other: datetime | None) -> datetime | None:
    return max((time for time in (one, other) if time is not None), default=None)
