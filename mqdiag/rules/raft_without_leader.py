"""A Raft group of controllers or DLedger brokers has no leader."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import msgspec

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.logs import LogEvent, LogsFacts, LogSubject
from mqdiag.facts.servers import RaftMember
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.brokers import brokers_of_logs, subject_of_logs
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.rules.shared.log_events import counted, counted_lines, events, files_of, lines_of, seconds_between
from mqdiag.text import NOTHING, Text, say
from mqdiag.time_ranges import ranges_of

FAILED, ASKED, KNOWN, LEADS, LOST = (
    "raft-vote-failed",
    "raft-candidate",
    "raft-leader-known",
    "raft-leads",
    "raft-leader-lost",
)

RULE = Rule(
    name="raft-without-leader",
    title="A Raft group of controllers or brokers has no leader",
    why=(
        "Controllers, and brokers with a DLedger commit log, choose a leader by the votes of more than half of their"
        " group. Without a leader, controllers choose no master and take no registration of a broker, and DLedger"
        " brokers take no message."
    ),
    causes=("no-majority", "no-leader", "leader-lost", "cut-off-member"),
    severities=(Severity.ERROR, Severity.WARNING, Severity.INFO),
    remedy=(
        "Look which members of the group run, and start the others: more than half of them must reach each other.",
        "Check the addresses of the group, controllerDLegerPeers or dLegerPeers: they must be alike on all members, and"
        " each member must reach the port of each other.",
    ),
    references=("MemberState and DLedgerLeaderElector of DLedger", "NodeImpl of SOFAJRaft"),
    limits={"without_leader_ms": 15_000, "rounds": 3, "times_lost": 3},
    lies_at="broker",
    in_chain=say("the Raft group has no leader"),
)


def _facts(without_ms: int) -> Facts:
    member = RaftMember(
        library="dledger",
        group="controllers",
        self_id="n0",
        role="candidate",
        term=7,
        peers=3,
        without_leader_ms=without_ms,
    )
    heap = HeapFacts(
        objects=1,
        shallow_bytes=1 << 26,
        unreachable_objects=0,
        unreachable_bytes=0,
        process_queues=0,
        servers=("controller",),
        raft_members=(member,),
    )
    return Facts(heap=heap)


def fires() -> Facts:
    """A candidate that has not heard of a leader for two minutes."""
    return _facts(120_000)


def silent() -> Facts:
    """An election that began some seconds ago."""
    return _facts(7_000)


class _Member(msgspec.Struct):
    """What the logs of one member say; times are of lines, and None where there is no such line."""

    member: str | None
    """None where its lines do not tell the id"""
    logs: LogsFacts
    ends: str | None = None
    """the last line that is known to be its own"""
    rounds: int = 0
    first: str | None = None
    last: str | None = None
    """of the rounds of votes that gave no leader"""
    asked: str | None = None
    """when a controller last became a candidate, by its own log"""
    known: str | None = None
    """when the member last followed a leader or led"""
    led: str | None = None
    """when it last led"""

    @property
    def begin(self) -> str | None:
        """From when on it has had no leader; None where it has one, or never looked for one."""
        begin = self.first or self.asked
        if begin is None or self.known is None:
            return begin
        latest = self.last or self.asked
        return max(begin, self.known) if latest is not None and latest > self.known else None

    @property
    def end(self) -> str | None:
        """Until when it had none, as far as its logs tell."""
        return self.last or self.ends

    def is_without_leader(self, limits: Limits) -> bool:
        """Whether it has looked for a leader for long, and for some rounds if its log tells these."""
        return (self.rounds >= limits["rounds"] or self.last is None) and self.without_leader_ms() >= limits[
            "without_leader_ms"
        ]

    def without_leader_ms(self, since: str | None = None) -> float:
        """How long it has had no leader; at most since then."""
        if self.begin is None or self.end is None:
            return 0
        return seconds_between(max(self.begin, since or self.begin), self.end) * 1000


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each group: its members have found no leader for long, or lost one for a while."""
    for group in _groups(facts):
        without = [one for one in group if one.is_without_leader(limits)]
        leaders = [one for one in group if one.led is not None and one.led == one.known and one not in without]
        led = max((one.ends for one in leaders if one.ends is not None), default=None)
        lasting = [one for one in without if not _has_leader(one, led, limits)]
        if lasting:
            yield _no_leader(lasting, group, led)
            continue
        if without:
            yield _cut_off(without[0], leaders)
        for logs in {id(one.logs): one.logs for one in group if one not in without}.values():
            if lost := events(logs, LOST):
                known = [one.known for one in group if one.logs is logs and one.known is not None]
                yield _leader_lost(logs, lost, known, limits)


def _has_leader(one: _Member, led: str | None, limits: Limits) -> bool:
    """Whether another member led while this one looked for a leader.

    A leader writes to dledger.log every three seconds; its controller.log may have nothing to say for long.
    """
    if led is None or one.begin is None or led <= one.begin:
        return False
    return one.last is None or one.without_leader_ms(led) < limits["without_leader_ms"]


def _groups(facts: Facts) -> Iterator[list[_Member]]:
    """The members of each group whose logs are at hand; brokers of one group have one name.

    Two members of one id are of two groups, and nothing tells which of the others are of which: each is told by itself.
    """
    by_name: dict[str | None, list[_Member]] = defaultdict(list)
    for logs in brokers_of_logs(facts):
        name = logs.brokers[0].name if len(logs.brokers) == 1 else None
        by_name[name].extend(_members(logs))
    for members in by_name.values():
        if len({one.member for one in members}) == len(members):
            yield members
        else:
            yield from ([one] for one in members)


def _members(logs: LogsFacts) -> list[_Member]:
    ends = max(
        (file.last for file in (logs.brokers or logs.files) if file.last is not None),
        default=None,
    )
    members: dict[str | None, _Member] = {}
    for event in events(logs, FAILED, ASKED, KNOWN, LEADS, LOST):
        for row in event.subjects or (LogSubject(count=event.count, first=event.first, last=event.last),):
            one = members.setdefault(row.member, _Member(row.member, logs))
            if event.kind == FAILED:
                one.rounds += row.count
                one.first = _earlier(one.first, row.first)
                one.last = _later(one.last, row.last)
            elif event.kind == ASKED:
                one.asked = _later(one.asked, row.last)
            elif event.kind in (KNOWN, LEADS):
                one.known = _later(one.known, row.last)
                one.led = _later(one.led, row.last) if event.kind == LEADS else one.led
            one.ends = _later(one.ends, row.last)
    if len(members) == 1:
        for one in members.values():
            one.ends = _later(one.ends, ends)
    return list(members.values())


def _earlier(one: str | None, other: str | None) -> str | None:
    return min((time for time in (one, other) if time is not None), default=None)


def _later(one: str | None, other: str | None) -> str | None:
    return max((time for time in (one, other) if time is not None), default=None)


def _leader_lost(logs: LogsFacts, lost: list[LogEvent], known: list[str], limits: Limits) -> Draft:
    last = max((event.last for event in lost if event.last is not None), default=None)
    again = last is not None and any(time > last for time in known)
    times = lines_of(lost)
    return Draft(
        severity=Severity.INFO if again and times < limits["times_lost"] else Severity.WARNING,
        cause="leader-lost",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("one member alone does not tell why its leader was silent"),
        title=say("A member of a Raft group lost its leader {lines:count} {lines:time|times}"),
        subject=subject_of_logs(logs, lost),
        evidence={"lines": times, "leader_known_again": again, **counted(lost)},
        explanation=(
            *map(counted_lines, lost),
            say("Afterwards the group had a leader again.")
            if again
            else say("The log does not show whether the group had a leader afterwards."),
            say("Until a new leader is chosen, the group takes no message and no registration."),
        ),
        remedy=(
            say(
                "Look at the member that led: whether it stopped, or stood still in a collection (GC log), or waited"
                " for its disk."
            ),
            say("Check the network between the members: the leader sends a heartbeat every two seconds."),
        ),
        rests_on=files_of(lost),
        when=ranges_of(lost),
        weight=0.4,
    )


def _no_leader(lasting: list[_Member], group: list[_Member], led: str | None) -> Draft:
    found = [event for one in lasting for event in events(one.logs, FAILED, ASKED)]
    failed = [event for event in found if event.kind == FAILED]
    of_group = max((event.values.get("members", 0) for event in failed), default=None)
    read = len(group)
    complete = of_group is not None and read >= of_group
    silent = tuple(
        one.member or "?"
        for one in group
        if one not in lasting
        and one.ends is not None
        and any(one.ends < (other.end or "") for other in lasting)
    )
    return Draft(
        severity=Severity.ERROR,
        cause="no-majority" if failed else "no-leader",
        confidence=Confidence.HIGH if complete else Confidence.MEDIUM,
        confidence_reason=NOTHING if complete else _what_is_missing(of_group),
        title=say("A Raft group has had no leader for {without_leader_ms:ms}"),
        subject=subject_of_logs(lasting[0].logs, found),
        evidence={
            "lines": lines_of(found),
            "without_leader_ms": max(one.without_leader_ms(led) for one in lasting),
            "members": of_group,
            "members_read": read,
            "most_accepted": max((event.values.get("most_accepted", 0) for event in failed), default=None),
            "since": min((one.begin for one in lasting if one.begin is not None), default=None),
            "looking": tuple(one.member or "?" for one in lasting),
            "ended": silent,
            **counted(found),
        },
        explanation=(
            say(
                "{lines:count} {lines:round|rounds} of votes gave no leader. A candidate got at most"
                " {most_accepted:count} of {members:count} votes, and it needs more than half of them."
            )
            if failed
            else say("By its log the controller has looked for a leader since {since:time}."),
            *(
                [say("The logs of {ended} end earlier: look first whether these members run.")]
                if silent
                else ()
            ),
        ),
        remedy=RULE.remedy,
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.6,
    )


def _what_is_missing(of_group: int | None) -> Text:
    if of_group is None:
        return say("a controller.log does not tell how many members the group has")
    return say("the logs are of {members_read:count} of {members:count} {members:member|members}")


def _cut_off(one: _Member, leaders: list[_Member]) -> Draft:
    found = events(one.logs, FAILED, ASKED)
    return Draft(
        severity=Severity.WARNING,
        cause="cut-off-member",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("the logs do not show why the member does not reach the leader"),
        title=say("A member of a Raft group finds no leader, and the group has one"),
        subject=subject_of_logs(one.logs, found),
        evidence={
            "member": one.member,
            "without_leader_ms": one.without_leader_ms(),
            "leading": tuple(other.member or "?" for other in leaders),
            **counted(found),
        },
        explanation=(
            say(
                "Member {member} has found no leader for {without_leader_ms:ms}. At that time the group had one, by the"
                " log of {leading}."
            ),
        ),
        remedy=(
            say("Check that member {member} and the others reach each other's ports, in both directions."),
            say(
                "Check the addresses of the group, controllerDLegerPeers or dLegerPeers: they must be alike on all"
                " members."
            ),
        ),
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.4,
    )


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each group that the process is a member of."""
    assert facts.heap is not None
    for member in facts.heap.raft_members:
        if member.leader_id is not None or member.role == "leader":
            continue
        if member.without_leader_ms is None or member.without_leader_ms >= limits["without_leader_ms"]:
            yield _draft(member)


def _draft(member: RaftMember) -> Draft:
    timed = member.without_leader_ms is not None
    return Draft(
        severity=Severity.ERROR if timed else Severity.WARNING,
        cause="no-majority" if timed and member.role == "candidate" else "no-leader",
        confidence=Confidence.HIGH if timed else Confidence.LOW,
        confidence_reason=say("an election takes some seconds at most")
        if timed
        else say("the dump does not tell since when; an election that has just begun looks the same"),
        title=say("Raft group {raft_group} has had no leader for {without_leader_ms:ms}")
        if timed
        else say("Raft group {raft_group} has no leader"),
        subject=Subject(),
        evidence={
            "raft_group": member.group,
            "member": member.self_id,
            "role": member.role,
            "term": member.term,
            "members": member.peers,
            "without_leader_ms": member.without_leader_ms,
        },
        explanation=tuple(_explained(member)),
        remedy=RULE.remedy,
        age_ms=member.without_leader_ms,
    )


def _explained(member: RaftMember) -> Iterator[Text]:
    if member.role in (None, "other"):
        yield say("This process is its member {member} and knows no leader.")
    else:
        yield say("This process is its member {member} and knows no leader. Its state is {role}.")
    if member.peers is not None:
        yield say(
            "The group has {members:count} {members:member|members} by its configuration, and it needs more than half"
            " of them."
        )
