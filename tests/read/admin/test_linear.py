"""Reading takes steps in proportion to the lines of a file: counted, for time depends on the machine."""

from __future__ import annotations

import cProfile
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mqdiag.read.admin import reader
from mqdiag.read.admin.output import Output
from mqdiag.read.admin.reader import read_admin
from tests.layers import one_in_each_run

LINES = 400


def address(number: int) -> str:
    return f"10.0.{number // 250}.{number % 250}:10911"


def counters(count: int) -> Iterator[str]:
    """brokerStatus of a cluster: the address of a broker stands before each counter."""
    for number in range(count):
        yield f"{address(number)}    putTps                          : 0.0 0.0 0.0"


def route(count: int) -> Iterator[str]:
    yield "{"
    for number in range(count):
        yield f'    "filterServerTable{number}":{{}},'
    yield "}"


def progress(count: int) -> Iterator[str]:
    yield "#Topic  #Broker Name  #QID  #Broker Offset  #Consumer Offset  #Client IP  #Diff  #LastTime"
    for number in range(count):
        yield f"orders  broker-a  {number}  {number + 9}  {number}  10.0.0.1  9  2026-11-21 20:00:01"


def clusters(count: int) -> Iterator[str]:
    yield "#Cluster Name  #Broker Name  #BID  #Addr  #Version  #InTPS(LOAD)  #OutTPS(LOAD)  #PCWait(ms) #Hour #SPACE"
    for number in range(count):
        yield f"Shop  broker-{number}  0  {address(number)}  V4_9_7  0.00(0,0ms)  0.00(0,0ms)  0 479.25 0.1500"


def producers(count: int) -> Iterator[str]:
    for number in range(count):
        yield (
            f"producer group (PID_{number}) instance : clientId=10.0.0.1@{number},remoteIP=10.0.0.1:5000,last update"
            " timestamp=1, language=JAVA, version=V4_9_7"
        )


def blocked(count: int) -> Iterator[str]:
    for number in range(count):
        yield (
            f"10.0.0.1@{number} MessageQueue [topic=orders, brokerName=broker-a, queueId={number}] can't consume for a"
            f" while, maybe blocked, {number + 60_000}ms"
        )


def settings(count: int) -> Iterator[str]:
    for number in range(count):
        yield f"key{number}=value{number}"


def pairs(count: int) -> Iterator[str]:
    for number in range(count):
        yield f"key{number} | value{number}"


KINDS = (counters, route, progress, clusters, producers, blocked, settings, pairs)


def steps(lines: list[str]) -> int:
    """Calls of functions, and steps of generators, that reading takes."""
    profile = cProfile.Profile()
    profile.enable()
    read_admin("answers.txt", lines)
    profile.disable()
    return sum(entry.callcount for entry in profile.getstats())


@one_in_each_run(4)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_twice_the_lines_take_twice_the_steps(kind: Callable[[int], Iterator[str]]) -> None:
    read_admin("answers.txt", list(kind(2)))  # patterns are compiled
    once, twice = steps(list(kind(LINES))), steps(list(kind(2 * LINES)))
    assert twice < 2.1 * once


class Watched(list[Any]):
    """A list that counts how many of its elements are looked at."""

    looked_at = 0

    def __iter__(self) -> Iterator[Any]:
        for one in super().__iter__():
            Watched.looked_at += 1
            yield one

    def __reversed__(self) -> Iterator[Any]:
        for one in super().__reversed__():
            Watched.looked_at += 1
            yield one


def test_the_lines_of_a_route_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Watched, "looked_at", 0)
    out = Output(source="answers.txt", named=None)
    read = reader._Reader(out)
    read._route = Watched()
    text = json.dumps(dict.fromkeys(map(str, range(LINES))), indent=1).splitlines()
    for line in text:
        read.take(line)
    assert len(text) <= Watched.looked_at <= 2 * len(text)


def test_a_counter_is_not_looked_for_among_those_of_all_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Watched, "looked_at", 0)
    out = Output(source="answers.txt", named=None)
    out.statuses = Watched()
    read = reader._Reader(out)
    for line in counters(LINES):
        read.take(line)
    assert len(out.statuses) == LINES
    assert Watched.looked_at <= LINES


def test_counters_of_an_address_belong_together() -> None:
    """An address that comes again with the same counter is another answer."""
    lines = [
        f"{address(number)}  {name}  : {value}"
        for value in ("1", "2")
        for name in ("brokerVersionDesc", "bootTimestamp")
        for number in range(3)
    ]
    statuses = read_admin("answers.txt", lines).facts.broker_statuses
    assert [one.address for one in statuses] == [address(number) for number in (0, 1, 2)] * 2
