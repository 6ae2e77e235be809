"""What is counted of log lines, by itself: where kept things end, and what is joined from several logs."""

from __future__ import annotations

import pytest

from mqdiag.logs import peers, tally
from mqdiag.logs.peers import PeerTally
from mqdiag.logs.tally import EventTally, Minutes, Subject

MINUTE = 60_000


def test_minutes_are_joined_only_where_there_are_too_many() -> None:
    minutes = Minutes()
    for number in range(4):
        minutes.add(number * MINUTE + 5, 10 + number)
    every = [(0, 10), (MINUTE, 11), (2 * MINUTE, 12), (3 * MINUTE, 13)]
    assert minutes.points(4) == (1, every)
    assert minutes.points(3) == minutes.points(2) == (2, [(0, 21), (2 * MINUTE, 25)])
    assert minutes.points(1) == (4, [(0, 46)])
    assert (minutes.peak, minutes.peak_at) == (13, 3 * MINUTE)


def test_minutes_of_another_log_are_moved_to_this_clock_and_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tally, "MOST_MINUTES_KEPT", 3)
    wide, narrow = Minutes(), Minutes()
    for number in range(4):
        wide.add(number * MINUTE, 2)
    assert (wide.step, wide.counts) == (4, {0: 8})
    narrow.add(0, 9)
    narrow.take(wide, 4 * MINUTE)
    assert (narrow.step, narrow.counts) == (4, {0: 9, 1: 8})
    assert (narrow.peak, narrow.peak_at) == (9, 0)
    wide.take(narrow, 8 * MINUTE)
    assert wide.counts == {0: 8, 2: 9, 3: 8}
    assert (wide.peak, wide.peak_at) == (9, 8 * MINUTE)


def test_the_rarest_subjects_go_and_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tally, "MOST_SUBJECTS_KEPT", 2)
    event = EventTally("some-event")
    for number in range(4):
        event.add(number, Subject(topic=f"t{number}"), lines=number + 1)
    assert len(event.subjects) == 4
    event.add(9, Subject(topic="new"))
    assert sorted(one.topic or "" for one in event.subjects) == ["new", "t2", "t3"]
    assert (event.dropped_subjects, event.dropped_lines) == (2, 3)
    more = EventTally("some-event")
    more.take(event, 10)
    assert (more.dropped_subjects, more.dropped_lines, more.count) == (2, 3, 11)


def test_events_of_two_logs_are_one() -> None:
    one, other = EventTally("some-event"), EventTally("some-event")
    subject = Subject(group="CID", topic="orders")
    one.add(1000, subject, weight=5)
    other.add(None, subject, lines=3)
    other.add(500, subject, lines=2, weight=7)
    for event, value in ((one, 4), (other, 6)):
        event.keep_largest("largest_wait_ms", value)
        event.keep_smallest("smallest_limit_ms", value)
    other.example = "seen there"
    one.take(other, 100)
    assert (one.count, one.weight, one.undated, one.sampled) == (6, 12, 1, True)
    assert (one.span.first, one.span.last) == (600, 1000)
    assert one.values == {"largest_wait_ms": 6, "smallest_limit_ms": 4}
    assert (one.subjects[subject].count, one.subjects[subject].span.first) == (15, 600)
    group = one.groups["CID"]
    assert (group.lines, group.weight, group.span.first) == (6, 12, 600)
    assert one.example == "seen there"


def test_groups_and_brokers_beyond_a_bound_are_not_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tally, "MOST_GROUPS_KEPT", 1)
    monkeypatch.setattr(tally, "MOST_BROKERS_KEPT", 1)
    event = EventTally("some-event")
    for group in ("a", "b", "a"):
        event.add(1, Subject(group=group))
    assert {name: one.lines for name, one in event.groups.items()} == {"a": 2}
    first = event.of_broker("broker-a")
    assert event.of_broker("broker-a") is first
    assert event.of_broker("broker-b") is event.of_broker("broker-c") is event.of_broker(None)


def test_a_bound_number_of_open_connections_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "MOST_WAITING", 2)
    peer = PeerTally()
    for at, name in enumerate("abc"):
        peer.made(name, at)
    for name in "abc":
        peer.ended(name, 5000, 1, 9)
    assert (peer.lasting.count, peer.closed.count) == (2, 3)
    for at in range(4):
        peer.made_nameless(at, 9)
    peer.ended("", 1, 1, 2)
    assert peer.brief.count == 1


def test_the_usual_life_is_the_one_with_most_neighbours() -> None:
    peer = PeerTally()
    for name, life in enumerate((120_000, 120_900, 121_500, 50_000, 50_100)):
        peer.made(str(name), 0)
        peer.ended(str(name), life, 1, 9)
    assert peer.usual_life == (120, 3)
    assert PeerTally().usual_life is None


def test_ends_without_a_beginning_are_no_more_than_what_was_made() -> None:
    peer = PeerTally(opened=2)
    for _ in range(5):
        peer.ended("", 3000, 1, 9)
    assert (peer.closed.count, peer.closed.span.first) == (2, 3000)
    peer.made("a", 0)
    peer.ended("a", peers.BRIEF_MS - 1, 1, 9)
    assert (peer.brief.count, peer.closed.count, peer.closed.span.first) == (1, 0, None)
    peer.made("b", 0)
    peer.ended("b", peers.BRIEF_MS, 1, 9)
    assert (peer.brief.count, peer.closed.count) == (1, 1)


def test_ends_per_minute_need_two_and_count_a_short_time_as_a_minute() -> None:
    peer = PeerTally()
    peer.made("a", 0)
    peer.ended("a", 4000, 1, 9)
    assert peer.lasting.per_minute is None
    for at in (5000, 6000):
        peer.made("b", 0)
        peer.ended("b", at, 1, 9)
    assert peer.lasting.per_minute == 2.0
    peer.made("c", 0)
    peer.ended("c", 4000 + 4 * MINUTE, 1, 9)
    assert peer.lasting.per_minute == 0.75
