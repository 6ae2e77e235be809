"""The rules over logs at their limits, and what must not fire."""

from __future__ import annotations

from types import ModuleType

import msgspec
import pytest

from mqdiag.facts import Facts, LogsFacts
from mqdiag.facts.collector_logs import GcFacts, GcRun
from mqdiag.facts.logs import BrokerLogs, FlowControlFacts, LogEvent, LogFile, LogGroup, LogPoint, LogSubject
from mqdiag.facts.offset_logs import OffsetNotMatched, OffsetReset, SuspendedQueue
from mqdiag.facts.store_logs import PutLatency, ReplicaGap
from mqdiag.facts.vocabulary import LogKind
from mqdiag.findings import Confidence, Finding, Severity
from mqdiag.language import english
from mqdiag.rules import (
    busy_workaround,
    deleted_data_loop,
    expired_message_sent_back,
    flow_control,
    gc_thrashing,
    listener_throws,
    no_route,
    offset_not_matched,
    offset_reset_to_zero,
    out_of_memory_thread,
    page_cache_busy,
    pull_loop_lost,
    raft_without_leader,
    retry_storm,
    send_back_failing,
    send_busy,
    send_queue_full,
    send_queue_timeout,
    slave_behind,
    slow_writes,
    transient_pool_exhausted,
)
from tests.folded import folded
from tests.rules import checks
from tests.rules.checks import said


def findings(module: ModuleType, **logs: object) -> tuple[Finding, ...]:
    return checks.findings(module, Facts(logs=msgspec.structs.replace(LogsFacts(), **logs)))


def event(kind: str, count: int = 1, **more: object) -> LogEvent:
    return msgspec.structs.replace(LogEvent(kind=kind, count=count), **more)


def put(puts: int, slow: int, from_1_s: int = 0) -> PutLatency:
    return PutLatency(
        lines=1, puts=puts, buckets={}, from_10_ms=slow, from_100_ms=slow, from_1_s=from_1_s, slow_minutes=1
    )


@folded(
    "puts, slow, severity",
    [
        (100_000, 99, None),
        (100_000, 100, Severity.WARNING),
        (100_000, 1000, Severity.ERROR),
        (99, 99, None),
        (100, 9, None),
        (100, 10, Severity.ERROR),
        (0, 0, None),
    ],
)
def test_slow_writes(puts: int, slow: int, severity: Severity | None) -> None:
    found = findings(slow_writes, pagecachert=put(puts, slow))
    assert [one.severity for one in found] == ([] if severity is None else [severity])


@pytest.mark.parametrize(
    ("kind", "lines", "cause"),
    [
        ("slow-put", 9, None),
        ("slow-put", 10, "slow-writes"),
        ("slow-flush", 10, "slow-disk"),
        ("store-file-late", 10, "new-file"),
    ],
)
def test_slow_writes_by_their_own_lines(kind: str, lines: int, cause: str | None) -> None:
    found = findings(slow_writes, events=(event(kind, lines),), lines=5000)
    assert [one.cause for one in found] == ([] if cause is None else [cause])
    locked = (event(kind, lines), event("slow-put-in-lock", 1))
    assert not findings(slow_writes, events=locked, lines=5000), "the page cache's rule speaks of these"


@folded(
    "made, in_lock, file_bytes, fires",
    [
        (3, 6, 4 << 20, True),
        (3, 6, 1 << 30, True),
        (2, 4, 4 << 20, False),
        (3, 7, 4 << 20, False),
        (3, 0, 4 << 20, False),
    ],
)
def test_writes_that_waited_for_new_files(made: int, in_lock: int, file_bytes: int, fires: bool) -> None:
    when = {"first": "2026-11-21T20:00:00+08:00", "last": "2026-11-21T20:01:00+08:00"}
    values = {"longest_ms": 1801, "file_bytes": file_bytes}
    late = event("slow-new-file", made, values=values, **when)
    locked = (event("slow-put-in-lock", in_lock, **when),) if in_lock else ()
    found = findings(slow_writes, events=(late, *locked), lines=5000)
    small = file_bytes < 1 << 30
    assert [one.cause for one in found] == (["new-file" if small else "slow-disk"] if fires else [])
    without_times = (event("slow-new-file", made, values=values), *locked)
    assert not findings(slow_writes, events=without_times, lines=5000)
    larger_files = "Give a new broker files of the default size"
    assert all(one.then[0].text.template.startswith(larger_files) is small for one in found)


@folded(
    "run, fires",
    [
        ({}, True),
        ({"full": 9}, False),
        ({"pause_share": 0.49}, False),
        ({"seconds": 0.9}, False),
        ({"full": 3, "for_room": 3, "seconds": 10.0}, True),
        ({"full": 2, "for_room": 2, "seconds": 10.0}, False),
        ({"full": 3, "for_room": 3, "seconds": 9.9}, False),
        ({"full": 9, "for_room": 0, "seconds": 60.0}, False),
    ],
)
def test_gc_thrashing(run: dict[str, float], fires: bool) -> None:
    base = GcRun(seconds=1.0, full=10, pause_share=0.5, freed_share=0.01)
    gc = GcFacts(
        path="gc.log",
        format="unified",
        collections=10,
        full=10,
        pause_ms=500,
        longest_pause_ms=60,
        futile_run=msgspec.structs.replace(base, **run),
    )
    assert bool(findings(gc_thrashing, gc=(gc,))) is fires


@pytest.mark.parametrize(
    ("run", "fires"),
    [
        ({}, True),
        ({"for_room": 9}, False),
        ({"for_room": None}, False),
        ({"pause_share": 0.49}, False),
    ],
)
def test_gc_thrashing_at_the_end_of_a_log(run: dict[str, float], fires: bool) -> None:
    """Where the log ends in the run, nobody knows how long it took: want of room alone counts, and is less sure."""
    base = GcRun(seconds=0.4, full=10, for_room=10, pause_share=0.5, freed_share=0.01)
    gc = GcFacts(
        path="gc.log",
        format="unified",
        collections=10,
        full=10,
        pause_ms=200,
        longest_pause_ms=60,
        futile_run=base,
        open_run=msgspec.structs.replace(base, **run),
    )
    found = findings(gc_thrashing, gc=(gc,))
    assert [one.confidence.value for one in found] == (["medium"] if fires else [])
    assert not findings(gc_thrashing, gc=(msgspec.structs.replace(gc, open_run=None),))


@folded(
    "reset, fires",
    [
        ({}, True),
        ({"given": 75}, False),
        ({"no_queue_data": True}, False),
        ({"broker_max": 0}, False),
        ({"broker_max": None}, True),
        ({"requested": 0}, False),
        ({"group": None, "topic": None}, True),
    ],
)
def test_reset_to_zero(reset: dict[str, object], fires: bool) -> None:
    base = OffsetReset(group="g", topic="t", requested=500, given=0, broker_max=75)
    assert (
        bool(findings(offset_reset_to_zero, offset_resets=(msgspec.structs.replace(base, **reset),))) is fires
    )


@folded(
    "thread, place, cause",
    [
        ("WriteSocketService", "beyond-last", "slave-ahead"),
        ("WriteSocketService", "below-first", "slave-too-far-behind"),
        ("FlushConsumeQueueService", "below-first", "flush-position-lost"),
        ("FlushRealTimeService", "full-file-edge", None),
        ("ReputMessageService", "full-file-edge", None),
        ("pool-3-thread", "full-file-edge", None),
        ("ScheduleMessageTimerThread", "below-first", "delay-offset-stale"),
        ("PullMessageThread", "below-first", None),
        ("PullMessageThread", "beyond-last", "unknown"),
        (None, "inside", "unknown"),
    ],
)
def test_not_matched(thread: str | None, place: str, cause: str | None) -> None:
    row = OffsetNotMatched(thread=thread, place=place, count=10, requested=1)
    found = findings(offset_not_matched, not_matched=(row,))
    assert [one.cause for one in found] == ([] if cause is None else [cause])
    few = msgspec.structs.replace(row, count=9)
    assert findings(offset_not_matched, not_matched=(few,)) == ()


@pytest.mark.parametrize(
    ("count", "peak", "severity"), [(19, 19, None), (20, 20, "warning"), (900, 600, "error")]
)
def test_deleted_data(count: int, peak: int, severity: str | None) -> None:
    row = OffsetNotMatched(thread="PullMessageThread", place="below-first", count=count, peak_per_minute=peak)
    found = findings(deleted_data_loop, not_matched=(row,))
    assert [one.severity.value for one in found] == ([] if severity is None else [severity])


@folded(
    "logs, fires",
    [
        ({"events": (event("busy-pc-clean", side="client"),)}, True),
        ({"events": (event("busy-reject", side="client"),)}, True),
        ({"events": (event("busy-reject", side="client"), event("pool-empty"))}, False),
        ({"events": (event("busy-timeout-clean", 1000, side="client"),)}, False),
        ({"events": (event("busy-overload", 1000, side="client"),)}, False),
        # the broker writes fast: the answers come from a limit that is too low
        ({"events": (event("busy-pc-clean", side="client"),), "pagecachert": put(5000, 3)}, False),
        ({"events": (event("busy-pc-clean", side="client"),), "pagecachert": put(5000, 30, 20)}, True),
        ({"events": (event("slow-put-in-lock", values={"longest_ms": 1001}),)}, True),
        ({"events": (event("slow-put-in-lock", values={"longest_ms": 1000}),)}, False),
        ({"events": (event("slow-put", 500, values={"longest_ms": 5000}),)}, False),
    ],
)
def test_page_cache_busy(logs: dict[str, object], fires: bool) -> None:
    assert bool(findings(page_cache_busy, **logs)) is fires


@pytest.mark.parametrize(
    ("kind", "words"), [("store", "no line of store.log"), ("broker", "store.log would show")]
)
def test_what_store_log_would_tell_is_not_said_over_a_store_log(kind: LogKind, words: str) -> None:
    file = LogFile(path="a.log", kind=kind, format="plain", bytes=1, lines=1, event_lines=0)
    (found,) = findings(page_cache_busy, events=(event("busy-pc-clean", side="client"),), files=(file,))
    assert words in english()(found.confidence_reason)


@pytest.mark.parametrize("module", [listener_throws, retry_storm])
@pytest.mark.parametrize("orderly", [True, False])
def test_an_orderly_listener_returns_another_status(module: ModuleType, orderly: bool) -> None:
    group = LogGroup(group="CID_orders", count=300, peak_per_minute=300)
    threw = event("consume-exception", 300, groups=(group,), peak_per_minute=300)
    queue = SuspendedQueue(group="CID_orders" if orderly else "CID_other", offset=7, failures=3)
    (found,) = findings(module, events=(threw,), suspended_queues=(queue,))
    assert "ConsumeOrderlyStatus.SUCCESS" in said(found)
    assert ("CONSUME_SUCCESS" in said(found)) is not orderly


@folded(
    "settings, offered",
    [
        ({}, True),
        ({"flushDiskType": "ASYNC_FLUSH", "brokerRole": "ASYNC_MASTER"}, True),
        ({"flushDiskType": "SYNC_FLUSH"}, False),
        ({"brokerRole": "SLAVE"}, False),
        ({"transientStorePoolEnable": "true"}, False),
    ],
)
def test_the_pool_is_offered_only_where_it_works(settings: dict[str, str], offered: bool) -> None:
    (found,) = findings(page_cache_busy, events=(event("busy-pc-clean"),), settings=settings)
    assert ("transientStorePoolEnable=true" in said(found)) is offered
    assert "raise osPageCacheBusyTimeOutMills" not in said(found).replace("Do not raise", "")


@pytest.mark.parametrize(
    ("logs", "cause"),
    [
        ({}, "slow-sends"),
        ({"settings": {"sendMessageThreadPoolNums": "1"}}, "one-send-thread"),
        ({"settings": {"waitTimeMillsInSendQueue": "5"}}, "short-limit"),
    ],
)
def test_send_queue_timeout(logs: dict[str, object], cause: str) -> None:
    events = (event("busy-timeout-clean", 10, side="client"),)
    (found,) = findings(send_queue_timeout, events=events, **logs)
    assert found.cause == cause
    assert ("waitTimeMillsInSendQueue is 5 ms; the default is 200 ms" in said(found)) is (
        cause == "short-limit"
    )
    assert findings(send_queue_timeout, events=(event("busy-timeout-clean", 9, side="client"),), **logs) == ()


def test_sync_flush_is_not_found_in_async_flush() -> None:
    events = (event("busy-timeout-clean", 10, side="client"), event("slow-put", 5))
    for flush, cause in (("SYNC_FLUSH", "sync-flush"), ("ASYNC_FLUSH", "slow-sends")):
        (found,) = findings(send_queue_timeout, events=events, settings={"flushDiskType": flush})
        assert found.cause == cause


def test_send_queue_full() -> None:
    (few,) = findings(send_queue_full, events=(event("busy-overload", side="client"),))
    (many,) = findings(send_queue_full, events=(event("busy-overload", 10, side="client"),))
    (small,) = findings(
        send_queue_full,
        events=(event("busy-overload", 10, side="client"),),
        settings={"sendThreadPoolQueueCapacity": "12"},
    )
    assert [few.severity, many.severity, small.severity] == [Severity.WARNING, Severity.ERROR, Severity.WARNING]
    assert small.cause == "small-queue"


def test_pool() -> None:
    (alone,) = findings(transient_pool_exhausted, events=(event("pool-empty"),))
    (refused,) = findings(
        transient_pool_exhausted, events=(event("pool-empty"), event("busy-reject", side="client"))
    )
    assert (alone.severity, refused.severity) == (Severity.WARNING, Severity.ERROR)
    assert findings(transient_pool_exhausted, events=(event("pool-low", 50),)) == ()


def gap(**more: object) -> ReplicaGap:
    base = ReplicaGap(lines=3, largest_bytes=0, smallest_bytes=0, last_bytes=0, negative_lines=0)
    return msgspec.structs.replace(base, **more)


@folded(
    "one, events, cause",
    [
        (gap(largest_bytes=1 << 40, last_bytes=1 << 40, growing=True), (), None),
        (gap(largest_bytes=1 << 40, last_bytes=1 << 40, replica_seen=True), (), "slow-slave"),
        (gap(largest_bytes=1 << 20, last_bytes=1 << 20, replica_seen=True, growing=True), (), None),
        (
            gap(largest_bytes=1 << 20, last_bytes=1 << 20, replica_seen=True, growing=True),
            (event("slave-connection-expired"),),
            "slow-slave",
        ),
        # the slave came back
        (
            gap(largest_bytes=1 << 20, last_bytes=0, replica_seen=True, growing=False),
            (event("slave-connection-expired"),),
            None,
        ),
        (gap(smallest_bytes=-1, negative_lines=1), (), "slave-ahead"),
        (gap(smallest_bytes=-(1 << 50), negative_lines=1), (), "slave-ahead"),
        (gap(smallest_bytes=-(1 << 50) - 1, negative_lines=1), (), "foreign-bytes"),
        (gap(), (event("slave-transfer-timeout", 3),), "slow-slave"),
        (gap(), (event("slave-transfer-timeout", 2),), None),
    ],
)
def test_slave(one: ReplicaGap, events: tuple[LogEvent, ...], cause: str | None) -> None:
    found = findings(slave_behind, replica_gaps=(one,), events=events)
    assert [each.cause for each in found] == ([] if cause is None else [cause])


@pytest.mark.parametrize(
    ("lines", "beyond", "fires"), [(10, 100, True), (9, 100, False), (10, 99, False), (500, 1, False)]
)
def test_a_slave_that_is_asked_for_more(lines: int, beyond: int, fires: bool) -> None:
    asked = event("offset-not-corrected-by-slave", lines)
    overflow = msgspec.structs.replace(event("offset-overflow", lines), values={"largest_beyond": beyond})
    assert bool(findings(slave_behind, events=(asked, overflow))) is fires


@pytest.mark.parametrize(
    ("row", "severity"),
    [
        ({}, Severity.INFO),
        ({"seconds": 600.0, "queues_held_back": 0.8}, Severity.WARNING),
        ({"seconds": 599.0, "queues_held_back": 5.0}, Severity.INFO),
        ({"seconds": 6000.0, "queues_held_back": 0.79}, Severity.INFO),
    ],
)
@pytest.mark.parametrize("kind", ["count", "size", "span", "pop", "waiting-requests"])
def test_flow_control(row: dict[str, object], severity: Severity, kind: str) -> None:
    base = FlowControlFacts(group="g", kind=kind, lines=1, occurrences=1, largest=5)
    (found,) = findings(flow_control, flow_control=(msgspec.structs.replace(base, **row),))
    assert (found.severity, found.cause) == (severity, kind)


def test_collections_of_two_jvms_say_whose_they_are() -> None:
    run = GcRun(seconds=16.0, full=500, pause_share=0.9, freed_share=0.03)
    logs = tuple(
        GcFacts(path=path, format="unified", collections=500, full=500, pause_ms=1.0, longest_pause_ms=1.0)
        for path in ("a/gc.log", "b/gc.log")
    )
    one, other = (msgspec.structs.replace(log, futile_run=run) for log in logs)
    for found, path in zip(findings(gc_thrashing, gc=(one, other)), ("a/gc.log", "b/gc.log"), strict=False):
        assert english()(found.explanation[0]).startswith(f"{path}: ")
    (alone,) = findings(gc_thrashing, gc=(one,))
    assert "gc.log" not in said(alone)


def test_lite_pull_has_no_listener_to_make_faster() -> None:
    row = FlowControlFacts(kind="count", lines=1, occurrences=1, largest=60, threshold=50)
    (found,) = findings(flow_control, flow_control=(row,))
    remedy = [english()(line) for line in found.remedy]
    assert "poll()" in english()(found.then[0].text)
    assert "istener" not in " ".join(remedy)


def test_sizes_have_their_unit() -> None:
    row = FlowControlFacts(group="g", kind="size", lines=1, occurrences=1, largest=5, threshold=2)
    (found,) = findings(flow_control, flow_control=(row,))
    explanation = [english()(line) for line in found.explanation]
    assert explanation[-2:] == ["At most 5 MiB of bodies were cached.", "The threshold in force is 2 MiB."]
    assert explanation[0].startswith("1 line at")


def test_the_busiest_client_speaks_for_a_group() -> None:
    rows = tuple(
        FlowControlFacts(group="g", kind="count", lines=1, occurrences=times, path=f"{times}.log")
        for times in (5, 7)
    )
    (found,) = findings(flow_control, flow_control=rows)
    assert found.evidence["times"] == 7


@pytest.mark.parametrize("kind", ["consume-exception", "consume-failures", "messages-sent-back"])
def test_retry_storm(kind: str) -> None:
    subjects = (LogSubject(group="g", count=100),)
    (found,) = findings(retry_storm, events=(event(kind, 100, peak_per_minute=100, subjects=subjects),))
    assert found.subject.group == "g"
    assert findings(retry_storm, events=(event(kind, 5000, peak_per_minute=99, subjects=subjects),)) == ()


def test_each_group_has_its_own_failures() -> None:
    """Two groups on one clock: neither is told of the other's, and one that fails rarely is not named."""
    rows = (
        LogGroup(group="a", count=300, peak_per_minute=150, peak_at="2026-11-21T12:00:00+08:00"),
        LogGroup(group="b", count=200, peak_per_minute=120, peak_at="2026-11-21T12:01:00+08:00"),
        LogGroup(group="c", count=10, peak_per_minute=10),
    )
    subjects = tuple(LogSubject(group=row.group, topic="t", count=row.count) for row in rows)
    storm = event("consume-exception", 510, peak_per_minute=270, groups=rows, subjects=subjects)
    found = {one.subject.group: one for one in findings(retry_storm, events=(storm,))}
    assert set(found) == {"a", "b"}
    own = {"failures_per_minute": 150, "consume_exception": 300, "event_lines": (300,), "subject_lines": (300,)}
    assert found["a"].evidence == own
    assert "group b" not in said(found["a"])


def test_a_message_that_failed_on_both_ways_is_counted_once() -> None:
    rows = (LogGroup(group="g", count=540, peak_per_minute=420),)
    both = tuple(event(kind, 540, groups=rows) for kind in ("send-back-refused", "send-back-failed"))
    (found,) = findings(send_back_failing, events=both)
    assert found.evidence["lines"] == 540
    (found,) = findings(send_back_failing, events=both[:1])
    assert "the client sent it as a new one" in english()(found.title)


def test_send_back_failing() -> None:
    assert findings(send_back_failing, events=(event("send-back-failed", 10),))
    assert findings(send_back_failing, events=(event("send-back-failed", 9),)) == ()


def test_send_busy_is_the_senders_view() -> None:
    assert findings(send_busy, events=(event("busy-reject", 10, side="client"),))
    assert findings(send_busy, events=(event("busy-reject", 9, side="client"),)) == ()
    assert findings(send_busy, events=(event("busy-reject", 1000, side="broker"),)) == ()


def test_pull_lost_twice_is_sure() -> None:
    once = event("pull-paused", 1, subjects=(LogSubject(group="g", queue_id=1, count=1),))
    twice = event("pull-paused", 2, subjects=(LogSubject(group="g", queue_id=1, count=2),))
    assert [findings(pull_loop_lost, events=(one,))[0].confidence.value for one in (once, twice)] == [
        "medium",
        "high",
    ]


def test_each_memory_that_runs_out_may_end_pulling() -> None:
    kinds = ("out-of-memory", "out-of-direct-memory", "out-of-class-memory", "array-too-long")
    paused = event("pull-paused", 1, files=("logs/client.log",))
    errors = tuple(event(kind, 1, files=("logs/client.log",)) for kind in kinds)
    (found,) = findings(pull_loop_lost, events=(paused, *errors))
    assert found.evidence["out_of_memory_errors"] == 4


def test_out_of_memory() -> None:
    (found,) = findings(out_of_memory_thread, events=(event("out-of-memory", 2),))
    assert found.severity is Severity.INFO
    assert findings(out_of_memory_thread, events=(event("thread-limit-reached"),)) == ()


@pytest.mark.parametrize(
    ("kind", "cause", "advice"),
    [
        ("out-of-direct-memory", "direct-memory", "MaxDirectMemorySize"),
        ("out-of-class-memory", "class-memory", "MaxMetaspaceSize"),
        ("array-too-long", "large-allocation", "Leave the size of the heap as it is"),
    ],
)
def test_memory_outside_of_the_heap_is_not_blamed_on_the_heap(kind: str, cause: str, advice: str) -> None:
    (found,) = findings(out_of_memory_thread, events=(event(kind, 2),))
    assert found.cause == cause
    remedy = " ".join(map(english(), found.remedy))
    assert advice in remedy
    assert "who holds the heap" not in remedy


@folded(
    "settings, fires",
    [
        ({"sendThreadPoolQueueCapacity": "100000"}, True),
        ({"sendThreadPoolQueueCapacity": "10000"}, False),
        ({"brokerFastFailureEnable": "false"}, True),
        ({"brokerFastFailureEnable": "true"}, False),
        ({"osPageCacheBusyTimeOutMills": "5000"}, True),
    ],
)
def test_busy_workaround(settings: dict[str, str], fires: bool) -> None:
    known = {"waitTimeMillsInSendQueue": "200"}
    assert bool(findings(busy_workaround, settings=settings | known)) is fires
    assert findings(busy_workaround, settings=settings) == (), "defaults of older versions are higher"


@folded(
    "settings, events, offered",
    [
        ({}, (), True),
        ({"flushDiskType": "ASYNC_FLUSH"}, (), True),
        ({"flushDiskType": "SYNC_FLUSH"}, (), False),
        ({"brokerRole": "SLAVE"}, (), False),
        ({"transientStorePoolEnable": "true"}, (), False),
        ({}, (event("pool-empty", 3),), False),
    ],
)
def test_the_pool_is_offered_only_where_it_would_work(
    settings: dict[str, str], events: tuple[LogEvent, ...], offered: bool
) -> None:
    (found,) = findings(slow_writes, pagecachert=put(10_000, 100), settings=settings, events=events)
    assert ("transientStorePoolEnable" in said(found)) is offered


@pytest.mark.parametrize(
    "logs",
    [
        {"pagecachert": put(30_000, 200, 100)},
        {"events": (event("slave-transfer-timeout", 30),)},
        {"settings": {"flushDiskType": "SYNC_FLUSH"}, "events": (event("slow-put", 30),)},
    ],
)
def test_a_longer_wait_is_no_remedy_where_the_cause_is_known(logs: dict[str, object]) -> None:
    more = logs.get("events", ())
    assert isinstance(more, tuple)
    answers = (event("busy-timeout-clean", 50, side="client"), event("busy-pc-clean", 50, side="client"))
    given = {**logs, "events": answers if "pagecachert" in logs else (answers[0], *more)}
    (found,) = findings(send_queue_timeout, **given)
    assert "may be raised" not in said(found)


def test_a_limit_of_a_millisecond_is_named() -> None:
    logs = {
        "events": (event("busy-pc-clean", 10, side="client"),),
        "pagecachert": put(30_000, 1),
        "settings": {"osPageCacheBusyTimeOutMills": "1"},
    }
    (found,) = findings(send_busy, **logs)
    assert "osPageCacheBusyTimeOutMills back to 1,000" in english()(found.then[0].text)
    (found,) = findings(send_busy, **{**logs, "settings": {"osPageCacheBusyTimeOutMills": "1000"}})
    assert "osPageCacheBusyTimeOutMills" not in said(found)


@pytest.mark.parametrize(
    ("module", "kind"), [(expired_message_sent_back, "expired-sent-back"), (pull_loop_lost, "pull-paused")]
)
def test_two_groups_are_two_findings(module: ModuleType, kind: str) -> None:
    rows = tuple(
        LogGroup(group=name, count=count, peak_per_minute=count) for name, count in (("a", 7), ("b", 3))
    )
    subjects = tuple(
        LogSubject(group=row.group, topic=f"t-{row.group}", queue_id=0, count=row.count) for row in rows
    )
    both = findings(module, events=(event(kind, 10, groups=rows, subjects=subjects),))
    assert {(found.subject.group, found.subject.topic) for found in both} == {("a", "t-a"), ("b", "t-b")}
    nameless = event(kind, 4, subjects=(LogSubject(topic="t", count=4),))
    assert [found.subject.group for found in findings(module, events=(nameless,))] == [None]


def votes(member: str | None, kind: str, first: int, last: int, zone: str = "") -> LogEvent:
    """Lines of one member from one second to another."""
    times = {"first": f"2026-11-21T20:00:{first:02}{zone}", "last": f"2026-11-21T20:00:{last:02}{zone}"}
    row = LogSubject(member=member, count=9, **times)
    return event(kind, 9, values={"members": 3, "most_accepted": 1}, subjects=(row,), **times)


OF_ONE_BROKER = {"brokerName": "broker-a"}
"""settings: brokers of one Raft group have one name"""


def test_a_group_without_leader_by_the_logs_of_one_member_or_of_all() -> None:
    failed = [votes(member, "raft-vote-failed", 10, 40) for member in ("n0", "n1", "n2")]
    (found,) = findings(raft_without_leader, events=(failed[0],), settings=OF_ONE_BROKER)
    assert (found.cause, found.confidence) == ("no-majority", Confidence.MEDIUM)
    assert "cover 1 of 3 members" in english()(found.confidence_reason)
    (found,) = findings(raft_without_leader, events=tuple(failed), settings=OF_ONE_BROKER)
    assert (found.cause, found.confidence, found.evidence["members_read"]) == (
        "no-majority",
        Confidence.HIGH,
        3,
    )
    assert (found.evidence["lines"], found.evidence["rounds"]) == (27, 27)
    asked = votes("n0", "raft-candidate", 10, 40)
    (found,) = findings(raft_without_leader, events=(*failed, asked), settings=OF_ONE_BROKER)
    assert (found.evidence["lines"], found.evidence["rounds"]) == (36, 27)
    (found,) = findings(raft_without_leader, events=tuple(failed))
    assert found.confidence is Confidence.MEDIUM
    assert "whether these members belong to one group" in english()(found.confidence_reason)


def test_a_member_that_does_not_reach_the_leader_is_told_from_a_group_without_one() -> None:
    failed = votes("n0", "raft-vote-failed", 10, 50)
    leads = votes("n1", "raft-leads", 0, 48)
    (found,) = findings(raft_without_leader, events=(failed, leads), settings=OF_ONE_BROKER)
    assert (found.cause, found.severity) == ("cut-off-member", Severity.WARNING)
    assert "jRaftInitConf" in said(found)
    assert found.evidence["leading"] == ("n1",)
    ended = votes("n1", "raft-leads", 0, 12)
    (found,) = findings(raft_without_leader, events=(failed, ended), settings=OF_ONE_BROKER)
    assert (found.cause, found.evidence["without_leader_ms"]) == ("no-majority", 38_000)


def test_each_member_that_is_cut_off_is_told_with_those_that_led_at_that_time() -> None:
    found = findings(
        raft_without_leader,
        events=(
            votes("n0", "raft-vote-failed", 20, 50),
            votes(None, "raft-vote-failed", 30, 50),
            votes("n1", "raft-leads", 0, 48),
            votes("n2", "raft-leads", 0, 10),
        ),
        settings=OF_ONE_BROKER,
    )
    assert {one.cause for one in found} == {"cut-off-member"}
    assert {one.evidence["member"]: one.evidence["leading"] for one in found} == {"n0": ("n1",), "?": ("n1",)}


def test_a_leader_that_may_be_of_another_group_cuts_off_no_member() -> None:
    failed = votes("n0", "raft-vote-failed", 10, 50)
    leads = votes("n1", "raft-leads", 0, 48)
    (found,) = findings(raft_without_leader, events=(failed, leads))
    assert (found.cause, found.severity, found.confidence) == (
        "no-majority",
        Severity.WARNING,
        Confidence.LOW,
    )
    assert found.evidence["leading"] == ("n1",)


def test_controllers_and_brokers_are_two_groups() -> None:
    failed = msgspec.structs.replace(votes("n0", "raft-vote-failed", 10, 50), files=("b/dledger.log",))
    leads = msgspec.structs.replace(votes("n5", "raft-leads", 0, 48), files=("c/controller.log",))
    files = tuple(
        LogFile(path=one.files[0], kind=kind, format="rocketmq", bytes=1, lines=9, event_lines=9)
        for one, kind in ((failed, "dledger"), (leads, "controller"))
    )
    brokers = tuple(
        BrokerLogs(instance=one.files[0][0], events=(one,), last=one.last) for one in (failed, leads)
    )
    (found,) = findings(raft_without_leader, files=files, brokers=brokers)
    assert (found.cause, found.severity) == ("no-majority", Severity.ERROR)
    assert found.evidence["members_read"] == 1


def test_rounds_before_a_member_had_its_last_leader_do_not_count() -> None:
    """Three rounds at the start, a leader for six hours, and few rounds after it was lost."""
    day = "2026-11-21T"
    known = event("raft-leader-known", 1, first=f"{day}09:01:00", last=f"{day}09:01:00")
    lost = event("raft-leader-lost", 1, first=f"{day}15:00:00", last=f"{day}15:00:00")
    values = {"members": 3, "most_accepted": 1}
    for rounds, last, cause in (
        (1, f"{day}15:00:05", "leader-lost"),
        (2, f"{day}15:00:30", "leader-lost"),
        (3, f"{day}15:00:30", "no-majority"),
    ):
        series = (LogPoint(at=f"{day}09:00:00", count=3), LogPoint(at=f"{day}15:00:00", count=rounds))
        failed = event(
            "raft-vote-failed", 3 + rounds, first=f"{day}09:00:00", last=last, values=values, series=series
        )
        (found,) = findings(raft_without_leader, events=(failed, known, lost))
        assert found.cause == cause
    assert (found.evidence["rounds"], found.evidence["without_leader_ms"]) == (3, 30_000)
    assert found.evidence["since"] == f"{day}15:00:00"
    asked = event("raft-candidate", 1, last=f"{day}09:00:00", files=("dledger.log",))
    file = LogFile(
        path="dledger.log",
        kind="dledger",
        format="rocketmq",
        bytes=1,
        lines=2,
        event_lines=2,
        last=f"{day}15:10:00",
    )
    (found,) = findings(raft_without_leader, events=(asked, lost), files=(file,))
    assert found.cause == "leader-lost"


def test_times_of_members_are_compared_as_instants() -> None:
    asked = event(
        "raft-candidate",
        first="2026-11-21T12:00:00+08:00",
        last="2026-11-21T12:00:00+08:00",
        files=("controller.log",),
    )
    file = LogFile(
        path="controller.log",
        kind="controller",
        format="rocketmq",
        bytes=1,
        lines=9,
        event_lines=1,
        last="2026-11-21T04:00:20+00:00",
    )
    later = msgspec.structs.replace(file, path="app.log", kind="application", last="2026-11-21T12:00:00+00:00")
    (found,) = findings(raft_without_leader, events=(asked,), files=(file, later))
    assert (found.cause, found.evidence["without_leader_ms"]) == ("no-leader", 20_000)
    assert found.evidence["rounds"] is None


def test_a_leader_on_an_unknown_clock_is_no_leader_of_that_time() -> None:
    failed = votes("n0", "raft-vote-failed", 10, 50)
    leads = votes("n1", "raft-leads", 0, 48, zone="+00:00")
    (found,) = findings(raft_without_leader, events=(failed, leads), settings=OF_ONE_BROKER)
    assert (found.cause, found.confidence) == ("no-majority", Confidence.MEDIUM)


def test_logs_that_end_long_before_are_named() -> None:
    def ended(*members: LogEvent) -> object:
        brokers = tuple(
            BrokerLogs(name="broker-a", instance=str(place), events=(one,), last=one.last)
            for place, one in enumerate(members)
        )
        (found,) = findings(raft_without_leader, brokers=brokers)
        return found.evidence["ended"]

    failed = votes("n0", "raft-vote-failed", 20, 50)
    assert ended(failed, votes("n1", "raft-leader-known", 0, 36)) == ()
    assert ended(failed, votes("n1", "raft-leader-known", 0, 35)) == ("n1",)
    events = tuple(
        msgspec.structs.replace(one, files=("dledger.log",))
        for one in (failed, votes("n1", "raft-leader-known", 0, 10))
    )
    file = LogFile(
        path="dledger.log",
        kind="dledger",
        format="rocketmq",
        bytes=1,
        lines=18,
        event_lines=18,
        last="2026-11-21T20:00:30",
    )
    (found,) = findings(raft_without_leader, events=events, files=(file,), settings=OF_ONE_BROKER)
    assert found.evidence["ended"] == (), "the end of a log of two members is the end of neither"


def test_a_lost_leader_that_is_replaced_soon_is_no_fault() -> None:
    lost = event("raft-leader-lost", 1, first="2026-11-21T20:00:00", last="2026-11-21T20:00:00")
    known = event("raft-leader-known", 1, first="2026-11-21T20:00:03", last="2026-11-21T20:00:03")
    (found,) = findings(raft_without_leader, events=(lost, known))
    assert (found.cause, found.severity) == ("leader-lost", Severity.INFO)
    (found,) = findings(raft_without_leader, events=(lost,))
    assert (found.cause, found.severity) == ("leader-lost", Severity.WARNING)
    often = msgspec.structs.replace(lost, count=3)
    (found,) = findings(raft_without_leader, events=(often, known))
    assert found.severity is Severity.WARNING


def test_starts_of_several_clients_miss_no_topic() -> None:
    """Each asks for a new topic within the minute of its start; together they have the lines of one that asks on."""
    one, two = ("client-1.log",), ("client-1.log", "client-2.log")
    for files, count, fires in ((one, 14, True), (two, 14, False), (two, 40, True)):
        asked = event("route-not-known", count, peak_per_minute=7, files=files)
        assert bool(findings(no_route, events=(asked,))) is fires, (files, count)
