"""Which zone a log's times are in, and why."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import msgspec

from mqdiag.read.logs.shape import Shape
from mqdiag.text import Text, say

ROCKETMQ_MINUTES = 8 * 60
"""brokers, name servers and 5.x clients print GMT+8, as their own logback configuration has it"""


class Zone(msgspec.Struct, frozen=True):
    """A log's zone."""

    minutes: int | None
    reason: Text

    @property
    def shift_ms(self) -> int:
        """What makes a time of the log one of UTC; 0 where the zone is not known."""
        return -(self.minutes or 0) * 60_000

    def shown(self, printed_ms: int | None) -> str | None:
        """A time of the log in RFC 3339, as `shown_time` writes it."""
        return None if printed_ms is None else shown_time(printed_ms + self.shift_ms, self.minutes)


def zone_of(shape: Shape, printed: int | None, given: int | None) -> Zone:
    """Decide on a zone.

    Args:
        shape: of the log.
        printed: zone that its lines name.
        given: zone that the user names for logs that do not tell.
    """
    if printed is not None:
        return Zone(printed, say("its lines name it"))
    if shape.form == "rocketmq":
        return Zone(ROCKETMQ_MINUTES, say("RocketMQ's own log configuration prints GMT+8 on any host"))
    if shape.form == "client-5":
        return Zone(ROCKETMQ_MINUTES, say("5.x clients print GMT+8 on any host"))
    if given is not None:
        return Zone(given, say("as given by --utc-offset"))
    if shape.form == "client-4":
        return Zone(None, say("4.x clients print the host's local time; --utc-offset names it"))
    return Zone(None, say("its lines name no zone; --utc-offset does"))


def shown_offset(minutes: int) -> str:
    """480 as "+08:00"."""
    sign = "-" if minutes < 0 else "+"
    return f"{sign}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"


def shown_time(at_ms: int | None, minutes: int | None) -> str | None:
    """RFC 3339; without an offset where the zone is not known.

    Args:
        at_ms: UTC, or printed time where the zone is not known.
        minutes: zone to show it in.
    """
    if at_ms is None:
        return None
    if minutes is None:
        local = datetime(1970, 1, 1) + timedelta(milliseconds=at_ms)
        return local.isoformat(timespec="milliseconds" if at_ms % 1000 else "seconds")
    zone = timezone(timedelta(minutes=minutes))
    instant = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at_ms)
    return instant.astimezone(zone).isoformat(timespec="milliseconds" if at_ms % 1000 else "seconds")
