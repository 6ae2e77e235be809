from __future__ import annotations

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.servers import RaftMember


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
