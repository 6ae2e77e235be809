"""Counts events without keeping them: bounded tables over time and over subjects."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from mqdiag.facts.vocabulary import LogSide

MINUTE_MS = 60_000
MOST_SUBJECTS_KEPT = 4000
MOST_GROUPS_KEPT = 200
MOST_BROKERS_KEPT = 200
MOST_MINUTES_KEPT = 20_000
"""two weeks of minutes; a longer log folds them into wider steps"""
EXAMPLE_CHARACTERS = 300


class Subject(NamedTuple):
    """What an event is about."""

    group: str | None = None
    topic: str | None = None
    broker: str | None = None
    queue_id: int | None = None
    thread: str | None = None
    member: str | None = None
    service: str | None = None
    account: str | None = None


NOBODY = Subject()
LAST = "last_"
"""how the name of a value begins that holds for the last line alone"""


class Span(msgspec.Struct):
    """From the first to the last time, in milliseconds of one clock."""

    first: int | None = None
    last: int | None = None

    def see(self, at: int | None) -> None:
        """Widen to hold a time."""
        if at is None:
            return
        if self.first is None or at < self.first:
            self.first = at
        if self.last is None or at > self.last:
            self.last = at

    def shifted(self, by: int) -> Span:
        """The same on another clock."""
        return Span(
            None if self.first is None else self.first + by, None if self.last is None else self.last + by
        )

    def take(self, other: Span) -> None:
        """Widen to hold another span."""
        self.see(other.first)
        self.see(other.last)


class Minutes(msgspec.Struct):
    """Counts by minute; the step widens when they get too many, and the highest single minute is kept."""

    step: int = 1
    counts: dict[int, int] = msgspec.field(default_factory=dict)
    peak: int = 0
    peak_at: int | None = None

    def add(self, at: int, count: int = 1) -> None:
        """Count at a time in milliseconds."""
        key = at // (MINUTE_MS * self.step)
        total = self.counts.get(key, 0) + count
        self.counts[key] = total
        if self.step == 1 and total > self.peak:
            self.peak, self.peak_at = total, key * MINUTE_MS
        if len(self.counts) > MOST_MINUTES_KEPT:
            self._fold(4)

    def _fold(self, factor: int) -> None:
        folded: dict[int, int] = {}
        for key, count in self.counts.items():
            folded[key // factor] = folded.get(key // factor, 0) + count
        self.step *= factor
        self.counts = folded

    def take(self, other: Minutes, shift: int) -> None:
        """Add another log's counts, its clock shifted by so many milliseconds."""
        while self.step < other.step:
            self._fold(4)
        for key, count in other.counts.items():
            self.add(key * MINUTE_MS * other.step + shift, count)
        if other.peak > self.peak and other.peak_at is not None:
            self.peak, self.peak_at = other.peak, other.peak_at + shift

    def points(self, most: int) -> tuple[int, list[tuple[int, int]]]:
        """(step in minutes, counts by the begin of each step), no more of them than `most`."""
        step, counts = self.step, self.counts
        while len(counts) > most:
            step *= 2
            folded: dict[int, int] = {}
            for key, count in counts.items():
                folded[key // 2] = folded.get(key // 2, 0) + count
            counts = folded
        return step, [(key * MINUTE_MS * step, counts[key]) for key in sorted(counts)]


class SubjectCount(msgspec.Struct):
    """How often one subject was met."""

    count: int = 0
    span: Span = msgspec.field(default_factory=Span)


class GroupTally(msgspec.Struct):
    """How often one group was met, and when."""

    lines: int = 0
    weight: int | None = None
    span: Span = msgspec.field(default_factory=Span)
    minutes: Minutes = msgspec.field(default_factory=Minutes)

    def add(self, at: int | None, lines: int, weight: int | None) -> None:
        """Count lines of one time."""
        self.lines += lines
        if weight is not None:
            self.weight = (self.weight or 0) + weight
        if at is not None:
            self.span.see(at)
            self.minutes.add(at, lines if weight is None else weight)

    def take(self, other: GroupTally, shift: int) -> None:
        """Add another log's lines of the same group."""
        self.lines += other.lines
        if other.weight is not None:
            self.weight = (self.weight or 0) + other.weight
        self.span.take(other.span.shifted(shift))
        self.minutes.take(other.minutes, shift)


class EventTally(msgspec.Struct):
    """One kind of event in one log, or in all logs of one clock."""

    kind: str
    side: LogSide | None = None
    count: int = 0
    weight: int | None = None
    span: Span = msgspec.field(default_factory=Span)
    minutes: Minutes = msgspec.field(default_factory=Minutes)
    subjects: dict[Subject, SubjectCount] = msgspec.field(default_factory=dict)
    groups: dict[str, GroupTally] = msgspec.field(default_factory=dict)
    dropped_subjects: int = 0
    dropped_lines: int = 0
    values: dict[str, int] = msgspec.field(default_factory=dict)
    example: str = ""
    line: int | None = None
    """number of the example in its log, from 1"""
    files: dict[str, None] = msgspec.field(default_factory=dict)
    undated: int = 0
    sampled: bool = False
    """one line in several of a flood was looked at; each counts for those that were not"""
    unsigned: int = 0
    """lines below a record of an application at INFO, which may be of its message"""
    last_record: int = -1
    by_broker: dict[str | None, EventTally] = msgspec.field(default_factory=dict)
    """the same lines by the broker that they name, where it is told apart: what senders were answered"""

    def of_broker(self, broker: str | None) -> EventTally:
        """The part of one broker; beyond a bound those that come later go to the part that names none."""
        if broker not in self.by_broker and len(self.by_broker) >= MOST_BROKERS_KEPT:
            broker = None
        part = self.by_broker.get(broker)
        if part is None:
            part = self.by_broker[broker] = EventTally(self.kind, self.side, files=self.files)
            part.example, part.line = self.example, self.line
        return part

    def add(self, at: int | None, subject: Subject, lines: int = 1, weight: int | None = None) -> None:
        """Count a line.

        Args:
            at: its time.
            subject: what it is about.
            lines: how many lines like it are counted with it.
            weight: how many occurrences it stands for, where it says so itself.
        """
        self.count += lines
        self.sampled = self.sampled or lines > 1
        if subject.group is not None:
            group = self._group(subject.group)
            if group is not None:
                group.add(at, lines, weight)
        if weight is not None:
            self.weight = (self.weight or 0) + weight
            lines = weight
        if at is None:
            self.undated += 1
        else:
            self.span.see(at)
            self.minutes.add(at, lines)
        if subject != NOBODY:
            self.count_subject(subject, lines, at)

    def count_subject(self, subject: Subject, count: int, at: int | None) -> None:
        """Add to a subject's row; the rarest rows go when there are too many."""
        row = self._row(subject)
        row.count += count
        row.span.see(at)

    def _group(self, name: str) -> GroupTally | None:
        group = self.groups.get(name)
        if group is None and len(self.groups) < MOST_GROUPS_KEPT:
            group = self.groups[name] = GroupTally()
        return group

    def _row(self, subject: Subject) -> SubjectCount:
        row = self.subjects.get(subject)
        if row is None:
            if len(self.subjects) >= 2 * MOST_SUBJECTS_KEPT:
                self._drop_rare()
            row = self.subjects[subject] = SubjectCount()
        return row

    def _drop_rare(self) -> None:
        ordered = sorted(self.subjects.items(), key=lambda item: -item[1].count)
        for _, row in ordered[MOST_SUBJECTS_KEPT:]:
            self.dropped_subjects += 1
            self.dropped_lines += row.count
        self.subjects = dict(ordered[:MOST_SUBJECTS_KEPT])

    def keep_largest(self, name: str, value: int) -> None:
        """Remember the largest of a number that the lines carry."""
        self.values[name] = max(value, self.values.get(name, value))

    def keep_smallest(self, name: str, value: int) -> None:
        """Remember the smallest."""
        self.values[name] = min(value, self.values.get(name, value))

    def take(self, other: EventTally, shift: int) -> None:
        """Add another log's events of the same kind; of values of a last line, those of the later log hold."""
        ends, own_end = other.span.shifted(shift).last, self.span.last
        later = own_end is None or (ends is not None and ends >= own_end)
        self.count += other.count
        self.unsigned += other.unsigned
        if other.weight is not None:
            self.weight = (self.weight or 0) + other.weight
        self.span.take(other.span.shifted(shift))
        self.minutes.take(other.minutes, shift)
        for subject, row in other.subjects.items():
            own = self._row(subject)
            own.count += row.count
            own.span.take(row.span.shifted(shift))
        for name, seen in other.groups.items():
            group = self._group(name)
            if group is not None:
                group.take(seen, shift)
        self.dropped_subjects += other.dropped_subjects
        self.dropped_lines += other.dropped_lines
        self.undated += other.undated
        self.sampled = self.sampled or other.sampled
        of_last_line = {
            name: value for name, value in (other if later else self).values.items() if name.startswith(LAST)
        }
        for name, value in other.values.items():
            if name.startswith("smallest_"):
                self.keep_smallest(name, value)
            else:
                self.keep_largest(name, value)
        kept = {name: value for name, value in self.values.items() if not name.startswith(LAST)}
        self.values = kept | of_last_line
        if not self.example:
            self.example, self.line = other.example, other.line
        self.files |= other.files
