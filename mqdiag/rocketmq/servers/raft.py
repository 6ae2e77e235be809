"""Members of Raft groups: controllers, and brokers with a DLedger commit log.

Source: MemberState and DLedgerLeaderElector of DLedger 0.1 to 0.3.2; NodeImpl of SOFAJRaft 1.3.14.
"""

from __future__ import annotations

from mqdiag.facts.servers import RaftMember
from mqdiag.facts.vocabulary import RaftRole
from mqdiag.graph.collections import sizes
from mqdiag.graph.heap import Heap
from mqdiag.rocketmq import fields

_ROLES: dict[str, RaftRole] = {
    "LEADER": "leader",
    "FOLLOWER": "follower",
    "CANDIDATE": "candidate",
    "STATE_LEADER": "leader",
    "STATE_FOLLOWER": "follower",
    "STATE_CANDIDATE": "candidate",
}
"""constants of MemberState$Role and of JRaft's State"""
_NO_PORT = 0
"""JRaft's empty peer is 0.0.0.0:0"""


def raft_members(heap: Heap) -> tuple[RaftMember, ...]:
    """One for each Raft group that the process is a member of."""
    found = []
    for root in sorted(fields.package_roots(heap, "RaftElector")):
        found += [_dledger(heap, node) for node in fields.instances(heap, root, "RaftElector").tolist()]
    found += [_jraft(heap, node) for node in fields.instances(heap, "", "JRaftNode").tolist()]
    return tuple(found)


def _dledger(heap: Heap, elector: int) -> RaftMember:
    member = fields.ref(heap, elector, "RaftElector.member")
    leader = fields.text(heap, member, "RaftMember.leader")
    peers = fields.ref(heap, member, "RaftMember.peers")
    return RaftMember(
        library="dledger",
        group=fields.text(heap, member, "RaftMember.group"),
        self_id=fields.text(heap, member, "RaftMember.id"),
        role=_role(fields.constant(heap, member, "RaftMember.role")),
        leader_id=leader,
        term=fields.number(heap, member, "RaftMember.term"),
        peers=int(sizes(heap, fields.one(peers))[0]) if peers >= 0 else None,
        without_leader_ms=None if leader is not None else _silence_ms(heap, elector),
    )


def _silence_ms(heap: Heap, elector: int) -> int | None:
    """Since a leader was heard of, or, where the member was leader itself, since a majority last answered."""
    times = [
        fields.number(heap, elector, "RaftElector.heard_ms"),
        fields.number(heap, elector, "RaftElector.answered_ms"),
    ]
    last = max((time for time in times if time is not None and time > 0), default=None)
    now = heap.header.captured_at_ms
    return max(now - last, 0) if last is not None and now else None


def _jraft(heap: Heap, node: int) -> RaftMember:
    peers = fields.ref(
        heap, node, "JRaftNode.configuration", "JRaftConfiguration.current", "JRaftConfiguration.peers"
    )
    return RaftMember(
        library="jraft",
        group=fields.text(heap, node, "JRaftNode.group"),
        self_id=_peer(heap, fields.ref(heap, node, "JRaftNode.id")),
        role=_role(fields.constant(heap, node, "JRaftNode.state")),
        leader_id=_peer(heap, fields.ref(heap, node, "JRaftNode.leader")),
        term=fields.number(heap, node, "JRaftNode.term"),
        peers=int(sizes(heap, fields.one(peers))[0]) if peers >= 0 else None,
    )


def _peer(heap: Heap, peer: int) -> str | None:
    host = fields.text(heap, peer, "JRaftPeer.endpoint", "JRaftEndpoint.host")
    port = fields.number(heap, peer, "JRaftPeer.endpoint", "JRaftEndpoint.port")
    return f"{host}:{port}" if host and port not in (None, _NO_PORT) else None


def _role(constant: str | None) -> RaftRole | None:
    return None if constant is None else _ROLES.get(constant, "other")
