"""What a broker's logs say of its store: how long writes took, and how far a slave was behind."""

from __future__ import annotations

import msgspec

from mqdiag.facts.redaction import Public


class PutMinute(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Puts of one step by how long they took."""

    at: Public
    puts: int
    from_100_ms: int


class PutLatency(msgspec.Struct, frozen=True, kw_only=True):
    """The broker's own distribution of write times: the PAGECACHERT lines of store.log, one a minute."""

    lines: int
    puts: int
    buckets: dict[str, int]
    """puts by the bucket names that the broker prints"""
    from_10_ms: int
    from_100_ms: int
    from_1_s: int
    slow_minutes: int = 0
    """lines with at least one put of 100 ms or more"""
    worst: PutMinute | None = None
    """the minute with the most puts of 100 ms or more"""
    first: Public | None = None
    last: Public | None = None
    step_minutes: int = 1
    series: tuple[PutMinute, ...] = ()


class ReplicaGap(msgspec.Struct, frozen=True, kw_only=True):
    """`Slave fall behind master` lines: how far a slave was behind, or ahead of, its master."""

    lines: int
    largest_bytes: int
    smallest_bytes: int
    """negative: the slave had more than the master"""
    last_bytes: int
    negative_lines: int
    replica_seen: bool = False
    """the log shows that a slave is there; without one the same line counts all that the master ever wrote"""
    growing: bool | None = None
    """whether the gap grew from the first to the last line; None with one line only"""
    first: Public | None = None
    last: Public | None = None
    path: Public = ""
