"""Where the rules about threads begin, on made facts: locks that many want, send threads that stood for a while."""

from __future__ import annotations

import msgspec

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.stacks import SampleFacts
from mqdiag.facts.thread_locks import LockFacts
from mqdiag.facts.thread_pools import PutWaits, WorkerPool
from mqdiag.findings import Severity
from mqdiag.text import say
from tests.folded import folded
from tests.rules.checks import findings, named

WANTED = tuple(f"http-{number}" for number in range(6))
LOCK = LockFacts(
    object_id="0x1",
    class_name="com.acme.Ledger",
    kind="monitor",
    owner="http-9",
    owner_frame="com.acme.Ledger.post(Ledger.java:4)",
    owner_doing="running",
    waiters=WANTED,
    waiting=(6, 5, 6),
    owners=("http-9",) * 3,
    share=0.5,
)


def wanted(*, seconds: float | None = 5.0, **lock: object) -> Facts:
    locks = (msgspec.structs.replace(LOCK, **lock),)
    return Facts(stacks=StacksFacts(samples=3, seconds=seconds, judged=True, locks=locks))


@folded(
    "lock, severity",
    [
        ({}, Severity.WARNING),
        ({"seconds": 4.9}, Severity.INFO),
        ({"seconds": None}, Severity.INFO),
        ({"waiting": (6, 5), "owners": ("http-9",) * 2}, Severity.INFO),
        ({"share": 0.49}, Severity.INFO),
        ({"owners": ("http-9", None, "http-9")}, Severity.INFO),
        ({"owners": ("http-8", "http-9", "http-9"), "owner_doing": "socket-read"}, Severity.WARNING),
        ({"waiting": (6,)}, None),
        ({"waiting": (6, 4, 6)}, None),
        ({"waiters": WANTED[:4]}, None),
    ],
)
def test_a_lock_that_many_threads_want(lock: dict[str, object], severity: Severity | None) -> None:
    found = findings(named("lock-convoy"), wanted(**lock))
    assert [one.severity for one in found] == ([severity] if severity else [])


def stood(still: tuple[int, ...], *, every: float = 1.0, dated: bool = True) -> Facts:
    waits = PutWaits(
        cause="slow-disk", threads=(4,) * len(still), still=still, remedy=(say("Look at the disk."),)
    )
    pool = WorkerPool(
        role="broker-send",
        pool="SendMessageThread",
        threads=tuple(f"SendMessageThread_{number}" for number in range(8)),
        put_waits=(waits,),
    )
    series = tuple(
        SampleFacts(path="x", format="jstack", seconds=100 + every * number if dated else None)
        for number in range(len(still))
    )
    return Facts(stacks=StacksFacts(samples=len(still), judged=True, series=series, pools=(pool,)))


@folded(
    "facts, told",
    [
        (stood((0, 4, 5, 6, 0)), (1, 4, 3.0, 4)),
        (stood((0, 0, 0, 4, 4, 4)), (3, 6, 3.0, 4)),
        (stood((0, 4, 4, 0, 4, 4, 4)), (4, 7, 3.0, 4)),
        (stood((0, 4, 4, 4, 0, 4, 4, 4)), (1, 4, 3.0, 4)),
        (stood((0, 4, 4, 0)), None),
        (stood((0, 4, 4, 4, 0), every=0.99), None),
        (stood((0, 4, 0, 4), every=9.0), None),
        (stood((0, 3, 3, 3, 3)), None),
        (stood((0, 4, 4, 4, 0), dated=False), None),
    ],
)
def test_send_threads_that_stood_for_a_while(facts: Facts, told: tuple[object, ...] | None) -> None:
    found = findings(named("broker-send-blocked"), facts)
    names = ("first_sample", "last_sample", "stood_seconds", "standing")
    assert [tuple(one.evidence[name] for name in names) for one in found] == ([told] if told else [])
