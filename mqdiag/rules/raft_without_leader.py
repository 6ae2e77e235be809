"""A Raft group of controllers or DLedger brokers has no leader."""

from __future__ import annotations

from datetime import datetime

from mqdiag.facts import HeapFacts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.log_events import events, lines_of
from mqdiag.log_events.raft import ASKED, FAILED, LOST, Group, Member, groups_of, logs_of, milliseconds
from mqdiag.rules.rule import Findings, Limits, Result, Rule

RULE = Rule("raft-without-leader")


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each group: its members have found no leader for long, or lost one for a while."""
    for group in groups_of(logs):
        without = [one for one in group.members if _is_without_leader(one, limits)]
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
        for own in logs_of(one for one in group.members if one not in without):
            if lost := events(own, LOST):
                yield _leader_lost(own, lost, [one for one in group.members if one.logs is own], limits)


def _is_without_leader(one: Member, limits: Limits) -> bool:
    """Whether it has looked for a leader for long, and for some rounds if its log tells these."""
    known = one.rounds >= limits["rounds"] or one.last is None
    return known and one.without_leader_ms() >= limits["without_leader_ms"]


def _has_leader(one: Member, led: datetime | None, limits: Limits) -> bool:
    """Whether another member led while this one looked for a leader.

    A leader writes to dledger.log every three seconds; its controller.log may have nothing to say for long.
    """
    if led is None or one.begin is None or led <= one.begin:
        return False
    return one.last is None or one.without_leader_ms(led) < limits["without_leader_ms"]


def _leader_lost(logs: LogsFacts, lost: list[LogEvent], members: list[Member], limits: Limits) -> Result:
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


def _no_leader(lasting: list[Member], group: Group, led: datetime | None, limits: Limits) -> Result:
    found = [event for logs in logs_of(lasting) for event in events(logs, FAILED, ASKED)]
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


def _ended_before(one: Member, lasting: list[Member], limits: Limits) -> bool:
    """Whether its logs end long before others stop to look for a leader."""
    return one.log_ends is not None and any(
        other.end is not None and milliseconds(one.log_ends, other.end) >= limits["without_leader_ms"]
        for other in lasting
    )


def _alone(one: Member, leaders: list[Member], *, is_told: bool) -> Result:
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
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
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
                subject=Subject(resource=member.group),
                evidence={"raft_group": member.group, "member": member.self_id, "members": member.peers},
                words={"role_told": member.role not in (None, "other")},
                cause="no-majority" if voting else "no-leader",
                age_ms=without_ms,
            )
