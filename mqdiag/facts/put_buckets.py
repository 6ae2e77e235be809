"""The thirteen buckets in which a broker counts how long its writes took, in its log and in brokerStatus.

Source: StoreStatsService.PUT_MESSAGE_ENTIRE_TIME_MAX_DESC, the same from 3.5.8 to 5.3.3; a bucket's upper edge is
exclusive.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

UNDER_10_MS = ("<=0ms", "0~10ms")
UNDER_100_MS = (*UNDER_10_MS, "10~50ms", "50~100ms")
UNDER_1_S = (*UNDER_100_MS, "100~200ms", "200~500ms", "500ms~1s")


class Puts(msgspec.Struct, frozen=True, kw_only=True):
    """All puts, and those that took at least 10 ms, 100 ms, 1 s."""

    total: int
    from_10_ms: int
    from_100_ms: int
    from_1_s: int


def puts_of(buckets: Mapping[str, int]) -> Puts:
    """The sums of a distribution."""
    total = sum(buckets.values())
    return Puts(
        total=total,
        from_10_ms=total - sum(buckets.get(name, 0) for name in UNDER_10_MS),
        from_100_ms=total - sum(buckets.get(name, 0) for name in UNDER_100_MS),
        from_1_s=total - sum(buckets.get(name, 0) for name in UNDER_1_S),
    )
