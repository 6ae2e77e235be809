"""A Raft group of controllers or DLedger brokers has no leader."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.facts.servers import RaftMember
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.brokers import brokers_of_logs, subject_of_logs
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.rules.shared.log_events import counted, counted_lines, events, files_of, lines_of, seconds_between
from mqdiag.text import Text, say
from mqdiag.time_ranges import ranges_of

FAILED, KNOWN, LOST = "raft-vote-failed", "raft-leader-known", "raft-leader-lost"

RULE = Rule(
    name="raft-without-leader",
    title="A Raft group of controllers or brokers has no leader",
    why=(
        "Controllers, and brokers with a DLedger commit log, choose a leader by the votes of more than half of their"
        " group. Without a leader, controllers choose no master and take no registration of a broker, and DLedger"
        " brokers take no message."
    ),
    causes=("no-majority", "no-leader", "leader-lost"),
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


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each process: its last rounds of votes failed for long, or it lost its leader for a while."""
    for logs in brokers_of_logs(facts):
        failed = events(logs, FAILED)
        known = [event.last for event in events(logs, KNOWN) if event.last is not None]
        lasting = [
            event
            for event in failed
            if event.first is not None
            and event.last is not None
            and seconds_between(max([event.first, *known]), event.last) * 1000 >= limits["without_leader_ms"]
        ]
        if lasting and lines_of(lasting) >= limits["rounds"]:
            yield _in_lines(logs, lasting, max([lasting[0].first or "", *known]))
        elif lost := events(logs, LOST):
            yield _leader_lost(logs, lost, known, limits)


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


def _in_lines(logs: LogsFacts, found: list[LogEvent], since: str) -> Draft:
    seconds = max(seconds_between(since, event.last) for event in found)
    return Draft(
        severity=Severity.ERROR,
        cause="no-majority",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("the logs of the other members are not at hand"),
        title=say("A Raft group has had no leader for {without_leader_ms:ms}"),
        subject=subject_of_logs(logs, found),
        evidence={
            "lines": lines_of(found),
            "without_leader_ms": seconds * 1000,
            "members": max(event.values.get("members", 0) for event in found),
            "most_accepted": max(event.values.get("most_accepted", 0) for event in found),
            **counted(found),
        },
        explanation=(
            say(
                "{lines:count} {lines:round|rounds} of votes gave no leader. A candidate got at most"
                " {most_accepted:count} of {members:count} votes, and it needs more than half of them."
            ),
        ),
        remedy=RULE.remedy,
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.6,
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
