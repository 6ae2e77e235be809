"""A Raft group of controllers or DLedger brokers has no leader."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

import msgspec
from msgspec import structs

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.logs import LogEvent, LogsFacts, LogSubject
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.rule import Rule
from mqdiag.rules.said import Limits, Said
from mqdiag.rules.shared.brokers import brokers_of_logs
from mqdiag.rules.shared.log_events import events, files_of, lines_of, of_broker

RULE = Rule("raft-without-leader")
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


class _Member(msgspec.Struct):
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
            and _milliseconds(self.last, self.votes_end) > QUIET_MS
        )

    def is_without_leader(self, limits: Limits) -> bool:
        """Whether it has looked for a leader for long, and for some rounds if its log tells these."""
        return (self.rounds >= limits["rounds"] or self.last is None) and self.without_leader_ms() >= limits[
            "without_leader_ms"
        ]

    def without_leader_ms(self, since: datetime | None = None) -> float:
        """How long it has had no leader; at most since then."""
        if self.begin is None or self.end is None:
            return 0
        return _milliseconds(max(self.begin, since or self.begin), self.end)


class _Group(NamedTuple):
    """Members that may be of one Raft group; their times have a zone for all of them or for none."""

    members: list[_Member]
    is_told: bool
    """whether the logs tell that they are of one group"""


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each group: its members have found no leader for long, or lost one for a while."""
    for group in _groups(facts):
        without = [one for one in group.members if one.is_without_leader(limits)]
        leaders = [
            one for one in group.members if one.led is not None and one.led == one.known and one not in without
        ]
        led = max((one.ends for one in leaders if one.ends is not None), default=None)
        lasting = [one for one in without if not _has_leader(one, led, limits)]
        if lasting:
            yield _no_leader(lasting, group, led, limits)
            continue
        for one in without:
            leading = [
                other
                for other in leaders
                if other.ends is not None and one.begin is not None and other.ends > one.begin
            ]
            yield _alone(one, leading, is_told=group.is_told)
        for logs in _logs_of(one for one in group.members if one not in without):
            if lost := events(logs, LOST):
                yield _leader_lost(logs, lost, [one for one in group.members if one.logs is logs], limits)


def _has_leader(one: _Member, led: datetime | None, limits: Limits) -> bool:
    """Whether another member led while this one looked for a leader.

    A leader writes to dledger.log every three seconds; its controller.log may have nothing to say for long.
    """
    if led is None or one.begin is None or led <= one.begin:
        return False
    return one.last is None or one.without_leader_ms(led) < limits["without_leader_ms"]


def _logs_of(members: Iterable[_Member]) -> list[LogsFacts]:
    """The logs of these members, each once: several members may share them."""
    return list({id(one.logs): one.logs for one in members}.values())


def _groups(facts: Facts) -> Iterator[_Group]:
    """The members of each group that the logs are of; brokers of one group have one name.

    The lines of controllers, and of brokers without a name, do not tell the group. Two members of one id are of two
    groups, and nothing tells the groups of the others: each is told by itself.
    """
    groups: dict[tuple[str | None, bool, bool], list[_Member]] = defaultdict(list)
    for logs in brokers_of_logs(facts):
        for zone_known, part in _by_clock(logs):
            controllers = not CONTROLLER_LOGS.isdisjoint(_kinds(part))
            name = None if controllers else of_broker(part).broker
            groups[name, controllers, zone_known].extend(_members(part, zone_known=zone_known))
    for (name, _, _), members in groups.items():
        is_told = name is not None
        if len({one.member for one in members}) == len(members):
            yield _Group(members, is_told)
        else:
            yield from (_Group([one], is_told) for one in members)


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


def _members(logs: LogsFacts, *, zone_known: bool) -> list[_Member]:
    def read(text: str | None) -> datetime | None:
        return _read(text, zone_known=zone_known)

    members: dict[str | None, _Member] = {}
    only = _only_member(logs)
    for event in logs.events:
        for row in _rows(event):
            name = row.member or only
            one = members.setdefault(name, _Member(name, logs))
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


def _wait_begins(one: _Member, failed: list[LogEvent], *, zone_known: bool) -> datetime | None:
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


def _milliseconds(first: datetime, last: datetime) -> float:
    return (last - first).total_seconds() * 1000


def _earlier(one: datetime | None, other: datetime | None) -> datetime | None:
    return min((time for time in (one, other) if time is not None), default=None)


def _later(one: datetime | None, other: datetime | None) -> datetime | None:
    return max((time for time in (one, other) if time is not None), default=None)


def _leader_lost(logs: LogsFacts, lost: list[LogEvent], members: list[_Member], limits: Limits) -> Said:
    last = max((one.lost for one in members if one.lost is not None), default=None)
    again = last is not None and any(one.known is not None and one.known >= last for one in members)
    rare = again and lines_of(lost) < limits["times_lost"]
    return RULE.case(
        "leader-lost",
        logs=logs,
        events=lost,
        evidence={"leader_known_again": again},
        severity=Severity.INFO if rare else Severity.WARNING,
    )


def _no_leader(lasting: list[_Member], group: _Group, led: datetime | None, limits: Limits) -> Said:
    found = [event for logs in _logs_of(lasting) for event in events(logs, FAILED, ASKED)]
    failed = [event for event in found if event.kind == FAILED]
    of_group = _most(failed, "members")
    read = len(group.members)
    complete = group.is_told and of_group is not None and read >= of_group
    since = min((one.begin for one in lasting if one.begin is not None), default=None)
    others = (one for one in group.members if one not in lasting)
    return RULE.case(
        "had-no-leader" if all(one.stopped_looking for one in lasting) else "has-no-leader",
        logs=lasting[0].logs,
        events=found,
        evidence={
            "lines": lines_of(found),
            "rounds": sum(one.rounds for one in lasting) if failed else None,
            "without_leader_ms": max(one.without_leader_ms(led) for one in lasting),
            "members": of_group,
            "members_read": read,
            "most_accepted": _most(failed, "most_accepted"),
            "since": None if since is None else since.isoformat(),
            "looking": tuple(one.member or "?" for one in lasting),
            "ended": tuple(one.member or "?" for one in others if _ended_before(one, lasting, limits)),
        },
        words={
            "voted": bool(failed),
            "complete": complete,
            "group_not_told": not group.is_told and read > 1,
            "size_not_told": of_group is None,
        },
        cause="no-majority" if failed else "no-leader",
        confidence=Confidence.HIGH if complete else Confidence.MEDIUM,
    )


def _most(failed: list[LogEvent], name: str) -> int | None:
    return max((event.values[name] for event in failed if name in event.values), default=None)


def _ended_before(one: _Member, lasting: list[_Member], limits: Limits) -> bool:
    """Whether its logs end long before others stop to look for a leader."""
    return one.log_ends is not None and any(
        other.end is not None and _milliseconds(one.log_ends, other.end) >= limits["without_leader_ms"]
        for other in lasting
    )


def _alone(one: _Member, leaders: list[_Member], *, is_told: bool) -> Said:
    """A member that is cut off; or one of a group without a leader, where the leaders may be of another group."""
    return RULE.case(
        "cut-off-member" if is_told else "finds-no-leader",
        logs=one.logs,
        events=events(one.logs, FAILED, ASKED),
        evidence={
            "member": one.member or "?",
            "without_leader_ms": one.without_leader_ms(),
            "leading": tuple(other.member or "?" for other in leaders),
        },
        cause="cut-off-member" if is_told else "no-leader" if one.last is None else "no-majority",
    )


@RULE.graph
def in_heap(heap: HeapFacts, limits: Limits) -> Iterator[Said]:
    """One finding for each group that the process is a member of."""
    for member in heap.raft_members:
        without_ms = member.without_leader_ms
        if member.leader_id is not None or member.role == "leader":
            continue
        if without_ms is None or without_ms >= limits["without_leader_ms"]:
            voting = without_ms is not None and member.role == "candidate"
            yield RULE.case(
                "knows-no-leader-yet" if without_ms is None else "knows-no-leader",
                member,
                evidence={"raft_group": member.group, "member": member.self_id, "members": member.peers},
                words={"role_told": member.role not in (None, "other")},
                cause="no-majority" if voting else "no-leader",
                age_ms=without_ms,
            )
