"""Offsets that logs name: reset, looked up without success, failed on, or asked for again and again."""

from __future__ import annotations

import msgspec

from mqdiag.facts.redaction import Name, Public, ThreadName
from mqdiag.facts.vocabulary import (
    LogSide,
    OffsetPlace,
)


class OffsetReset(msgspec.Struct, frozen=True, kw_only=True):
    """A broker that gave a consumer another offset than it asked for."""

    group: Public | None = None
    topic: Public | None = None
    queue_id: int | None = None
    broker: Name | None = None
    requested: int
    given: int
    broker_max: int | None = None
    """end of the broker's queue at that time"""
    no_queue_data: bool = False
    """the queue was empty on the broker, as after its topic was made again"""
    count: int = 1
    first: Public | None = None
    last: Public | None = None
    instance: Public | None = None
    """which of several brokers of that name, as in `brokers`"""
    sides: tuple[LogSide, ...] = ()
    """which logs say so"""

    @property
    def moved_on(self) -> bool:
        """Whether the broker gave a later offset than a real one that was asked for."""
        return 0 < self.requested < self.given


class OffsetNotMatched(msgspec.Struct, frozen=True, kw_only=True):
    """Lookups of offsets in store files that do not hold them, by who asked and by where the offset lies."""

    thread: ThreadName | None
    """pool or service that asked, without its number; None where the line names none"""
    place: OffsetPlace
    file_bytes: int | None = None
    """size of one store file: 1 GiB commit log, 6,000,000 consume queue by default"""
    count: int
    peak_per_minute: int | None = None
    requested: int | None = None
    """offset of the last line"""
    first_offset: int | None = None
    last_offset: int | None = None
    first: Public | None = None
    last: Public | None = None


class RepeatedOffset(msgspec.Struct, frozen=True, kw_only=True):
    """An offset that a client stored again and again while its listeners finished messages of that topic."""

    group: Public | None = None
    topic: Public | None = None
    broker: Name | None = None
    queue_id: int | None = None
    offset: int
    lines: int
    """one a minute"""
    consumed: int
    """messages that the group's listeners finished meanwhile"""
    first: Public | None = None
    last: Public | None = None


class SuspendedQueue(msgspec.Struct, frozen=True, kw_only=True):
    """A queue of an orderly consumer by the message that it failed on last."""

    group: Public | None = None
    topic: Public | None = None
    broker: Name | None = None
    queue_id: int | None = None
    offset: int
    failures: int
    """lines about this message in a row"""
    reconsume_times: int = 0
    """the largest that these lines print"""
    first: Public | None = None
    last: Public | None = None
