"""PAGECACHERT: the broker's own distribution of write times, one line a minute.

Source: StoreStatsService.getPutMessageDistributeTimeStringInfo, the same thirteen buckets from 3.5.8 to 5.3.3. A
bucket's upper edge is exclusive; the counters start again with each line.
"""

from __future__ import annotations

from functools import lru_cache

import msgspec

from mqdiag.facts.put_buckets import puts_of
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.tally import MINUTE_MS, Span

LINE = lazy_pattern(r"\[PAGECACHERT\] TotalPut (\d+), PutMessageDistributeTime ((?:\[[^\]]{1,12}\]:\d+ ?)+)")
_BUCKET = lazy_pattern(r"\[([^\]]{1,12})\]:(\d{1,18})(?!\d)")
MOST_MINUTES = 20_000


class Puts(msgspec.Struct):
    """Puts of one step: all, and those that took at least 10 ms, 100 ms, 1 s."""

    total: int = 0
    from_10_ms: int = 0
    from_100_ms: int = 0
    from_1_s: int = 0

    def take(self, other: Puts) -> None:
        """Add."""
        self.total += other.total
        self.from_10_ms += other.from_10_ms
        self.from_100_ms += other.from_100_ms
        self.from_1_s += other.from_1_s


@lru_cache(maxsize=1024)
def _distribution(shown: str) -> tuple[tuple[tuple[str, int], ...], tuple[int, int, int, int]]:
    """(count by bucket, all and those from 10 ms, 100 ms, 1 s on); of a broker with little to do many are alike."""
    buckets = {name: int(count) for name, count in _BUCKET.findall(shown)}
    puts = puts_of(buckets)
    return tuple(buckets.items()), (puts.total, puts.from_10_ms, puts.from_100_ms, puts.from_1_s)


class LatencyTally(msgspec.Struct):
    """All such lines of one log, or of all."""

    lines: int = 0
    buckets: dict[str, int] = msgspec.field(default_factory=dict)
    puts: Puts = msgspec.field(default_factory=Puts)
    slow_minutes: int = 0
    worst: Puts | None = None
    worst_at: int | None = None
    span: Span = msgspec.field(default_factory=Span)
    step: int = 1
    minutes: dict[int, Puts] = msgspec.field(default_factory=dict)

    def see(self, text: str, at: int | None) -> bool:
        """Read one line; False when it is none."""
        found = LINE.search(text)
        if found is None:
            return False
        buckets, counts = _distribution(found[2])
        puts = Puts(*counts)
        self.lines += 1
        for name, count in buckets:
            self.buckets[name] = self.buckets.get(name, 0) + count
        self.puts.take(puts)
        self.slow_minutes += puts.from_100_ms > 0
        self._see_worst(puts, at)
        self.span.see(at)
        if at is not None:
            self._keep(at, puts)
        return True

    def _see_worst(self, puts: Puts, at: int | None) -> None:
        if puts.total and (
            self.worst is None
            or (puts.from_100_ms, puts.from_10_ms) > (self.worst.from_100_ms, self.worst.from_10_ms)
        ):
            self.worst, self.worst_at = puts, at

    def _keep(self, at: int, puts: Puts) -> None:
        kept = self.minutes.setdefault(at // (MINUTE_MS * self.step), Puts())
        kept.take(puts)
        if len(self.minutes) > MOST_MINUTES:
            folded: dict[int, Puts] = {}
            for key, one in self.minutes.items():
                folded.setdefault(key // 4, Puts()).take(one)
            self.step, self.minutes = self.step * 4, folded

    def take(self, other: LatencyTally, shift: int) -> None:
        """Add another log's lines, its clock shifted."""
        self.lines += other.lines
        for name, count in other.buckets.items():
            self.buckets[name] = self.buckets.get(name, 0) + count
        self.puts.take(other.puts)
        self.slow_minutes += other.slow_minutes
        if other.worst is not None:
            self._see_worst(other.worst, None if other.worst_at is None else other.worst_at + shift)
        self.span.take(other.span.shifted(shift))
        for key, puts in other.minutes.items():
            self._keep(key * MINUTE_MS * other.step + shift, puts)

    def points(self, most: int) -> tuple[int, list[tuple[int, Puts]]]:
        """(step in minutes, puts by the begin of each step)."""
        step, minutes = self.step, self.minutes
        while len(minutes) > most:
            step *= 2
            folded: dict[int, Puts] = {}
            for key, one in minutes.items():
                folded.setdefault(key // 2, Puts()).take(one)
            minutes = folded
        return step, [(key * MINUTE_MS * step, minutes[key]) for key in sorted(minutes)]
