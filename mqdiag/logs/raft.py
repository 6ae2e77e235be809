"""Raft groups of DLedger and SOFAJRaft: votes, leaders, and entries that a member lacks or cannot read.

Source: DLedgerMmapFileStore.get and DLedgerMmapFileStore.recover, DLedgerResponseCode, DLedgerLeaderElector; NodeImpl
of SOFAJRaft 1.3.14; DLedgerController, JRaftController and JRaftControllerStateMachine of RocketMQ.
"""

from __future__ import annotations

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.log_tally import LogTally
from mqdiag.logs.message import Message
from mqdiag.logs.tally import NOBODY, EventTally, Subject

_RANGE = lazy_pattern(r"\] (\d{1,19}) should between (\d{1,19})-(\d{1,19})")


_COMPARES = "[HandleDoCompare]"
_EMPTY = " 0 should between -1--1"
_VOTE = lazy_pattern(r"\bmemberNum=(\d{1,9}) allNum=(\d{1,9}) acceptedNum=(\d{1,9}).{0,200} result=(\w{1,40})")
_MEMBER = lazy_pattern(r"\[([^\[\]\s]{1,64})\] ?\[[A-Za-z_]{6,30}\]")
_WON = "PASSED"
_NODE = lazy_pattern(r"<[^<>/]{1,200}/([^<>\s/]{1,64})>")
"""a member of SOFAJRaft: its group and its address"""
_TIMED_OUT = "status=Status[ERAFTTIMEDOUT"
"""the leader was silent, or too few members answered it; a newer term and a shutdown have other states"""
_LONGEST_PAUSE_MS = 60_000
"""between two rounds of votes of one wait; a member without a leader begins one each second or two"""


def voted(message: Message, log: LogTally) -> None:
    """A member counted the votes of a round that it began, as it does each second or two while it has no leader."""
    found = _VOTE.search(message.text)
    if found is None:
        return
    if found[4] == _WON:
        log.add("raft-leads", message, _writer(message), side="broker")
        return
    tally = _round_failed(message, log, _writer(message))
    if tally is not None:
        tally.keep_largest("members", int(found[1]))
        tally.keep_largest("most_accepted", int(found[3]))


def _round_failed(message: Message, log: LogTally, member: Subject) -> EventTally | None:
    """Count a round of votes that gave no leader, and mark it where it is the first one of a wait for a leader."""
    rounds = log.events.get(("raft-vote-failed", "broker"))
    own = rounds if rounds is None or member == NOBODY else rounds.subjects.get(member)
    before = None if own is None else own.span.last
    at = log.at(message)
    if at is not None and (before is None or at - before > _LONGEST_PAUSE_MS):
        log.add("raft-wait-begun", message, member, side="broker")
    return log.add("raft-vote-failed", message, member, side="broker")


def _writer(message: Message) -> Subject:
    """The member that wrote a line, which begins with its id."""
    found = _MEMBER.search(message.text)
    return Subject(member=found[1] if found is not None else None)


def entry_not_held(message: Message, log: LogTally) -> None:
    """A member is asked for an entry that it does not hold: most times the leader, by its own pusher.

    A new group has no entry at all, and its leader's pusher asks for the first one nevertheless. A follower that holds
    less than a new leader says so, and the leader goes back to what both hold.
    """
    if _EMPTY in message.text:
        return
    found = _RANGE.search(message.text)
    wanted, first, last = (int(part) for part in found.groups()) if found is not None else (0, 0, 0)
    if wanted > last and _COMPARES in message.both:
        return
    tally = log.add("dledger-entry-not-held", message, side="broker")
    if tally is not None and found is not None:
        missing = first - wanted if wanted < first else wanted - last
        tally.keep_largest("largest_missing", max(missing, 0))


def jraft_pre_vote(message: Message, log: LogTally) -> None:
    """A member of SOFAJRaft begins a round of votes, as it does each second or two while it has no leader."""
    _round_failed(message, log, _node(message))


def jraft_controller(message: Message, log: LogTally) -> None:
    """A controller with SOFAJRaft names itself, which the lines about its leader do not."""
    found = _NODE.search(message.text)
    log.raft_member = found[1] if found is not None else log.raft_member


def jraft_controller_follows(message: Message, log: LogTally) -> None:
    """A controller follows a leader."""
    log.add("raft-leader-known", message, Subject(member=log.raft_member), side="broker")


def jraft_leader_silent(message: Message, log: LogTally) -> None:
    """A controller heard nothing from its leader, and looks for one."""
    if _TIMED_OUT in message.text:
        log.add("raft-leader-lost", message, Subject(member=log.raft_member), side="broker")
        log.add("raft-candidate", message, Subject(member=log.raft_member), side="broker")


def jraft_majority_silent(message: Message, log: LogTally) -> None:
    """A controller stops leading because too few others answer, and looks for a leader."""
    if _TIMED_OUT in message.text:
        log.add("raft-candidate", message, _node(message), side="broker")


def _node(message: Message) -> Subject:
    found = _NODE.search(message.text)
    return Subject(member=found[1] if found is not None else None)
