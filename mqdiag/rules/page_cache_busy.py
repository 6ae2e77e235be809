"""The broker cannot write to the page cache in time."""

from __future__ import annotations

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.broker import BrokerFacts
from mqdiag.facts.logs import LogsFacts
from mqdiag.log_events import events, files_of, lines_of
from mqdiag.rules.rule import Findings, Limits, Result, Rule
from mqdiag.rules.shared.broker_status import Counters
from mqdiag.rules.shared.brokers import brokers_of_logs, called, subject, subject_of_logs
from mqdiag.rules.shared.busy_answers import ONLY_PAGE_CACHE, REJECT, answer_lines
from mqdiag.rules.shared.page_cache import (
    DEFAULT_LIMIT_MS,
    FORGIVEN_MS,
    is_busy,
    limit_ms,
    lock_over_limit,
    longest_in_lock_ms,
    pool_was_empty,
    was_busy,
)
from mqdiag.rules.shared.transient_pool import pool_fits, pool_fits_broker
from mqdiag.rules.shared.write_times import slow_ranges
from mqdiag.time_ranges import joined, ranges_apart, ranges_of

RULE = Rule("page-cache-busy")
NEW_FILE = "AllocateMappedFileService.putRequestAndReturnMappedFile("
"""the frame in which a write waits for the next commit log file"""


@RULE.brokers
def in_heap(broker: BrokerFacts, limits: Limits) -> Findings:
    """One finding for each broker."""
    lock, queue, limit = broker.put_lock, broker.send_queue, limit_ms(broker)
    busy = is_busy(broker)
    if busy or _waits_for_file(broker, limits):
        frames = () if lock is None else lock.holder_frames
        yield RULE.case(
            "write-takes-long" if busy else "write-waits-for-file",
            broker,
            subject=subject(broker),
            evidence={
                "osPageCacheBusyTimeOutMills": limit,
                "default_limit_ms": DEFAULT_LIMIT_MS,
                "thread": None if lock is None else lock.holder or next(iter(lock.writers), None),
                # the broker's own frame nearest to the wait
                "frame": next((one for one in frames if ".store." in one), next(iter(frames), None)),
                "send_queue_size": None if queue is None else queue.size,
            },
            words={"raised_limit": limit > DEFAULT_LIMIT_MS, "pool_fits": pool_fits_broker(broker)},
        )
    elif broker.page_cache_lock_ms is not None and broker.page_cache_lock_ms <= limit:
        yield RULE.margin("write", broker.page_cache_lock_ms, limit, broker=called(broker.name))


def _waits_for_file(broker: BrokerFacts, limits: Limits) -> bool:
    """Below the broker's limit, but its stack shows a wait for the disk, which no pause of the JVM does."""
    age, lock = broker.page_cache_lock_ms, broker.put_lock
    if age is None or lock is None or not limits["slow_ms"] < age < FORGIVEN_MS:
        return False
    return bool(lock.held) and any(NEW_FILE in frame for frame in lock.holder_frames)


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Findings:
    """One finding for each broker: answers of a busy page cache, and writes that held the lock too long."""
    for logs in brokers_of_logs(facts):
        if was_busy(logs):
            yield _by_logs(logs, facts.heap)


def _by_logs(logs: LogsFacts, heap: HeapFacts | None) -> Result:
    answers, in_lock = events(logs, *ONLY_PAGE_CACHE, REJECT), events(logs, "slow-put-in-lock")
    put = logs.pagecachert
    own_ranges = joined((*ranges_of(in_lock), *slow_ranges(put)))
    found = [event for event in answers if ranges_apart(ranges_of([event]), own_ranges) is not True]
    own_lines = lock_over_limit(logs) or (put is not None and put.from_1_s > 0)
    store_logs = _store_logs(logs)
    return RULE.case(
        "pool-ran-out" if pool_was_empty(logs) else "slow-by-own-lines" if own_lines else "only-senders-say-so",
        logs=logs,
        events=[*found, *in_lock],
        subject=subject_of_logs(logs, found),
        evidence={
            "refused": lines_of(found),
            **{event.kind.replace("-", "_"): event.count for event in found},
            "slow_puts_in_lock": lines_of(in_lock),
            "longest_in_lock_ms": longest_in_lock_ms(logs),
            "puts": None if put is None else put.puts,
            "puts_from_100_ms": None if put is None else put.from_100_ms,
            "puts_from_1_s": None if put is None else put.from_1_s,
            "answers_of_other_times": lines_of(answers) - lines_of(found),
            "longest_in_lock_by_event_ms": tuple(event.values.get("longest_ms", 0) for event in in_lock),
        },
        words={
            "own_lines": own_lines,
            "store_log": bool(store_logs),
            "look_first": not own_lines and not store_logs,
            "pool_fits": pool_fits(logs, heap),
        },
        given={"answer_lines": answer_lines(found)},
        when=joined((*ranges_of(found), *own_ranges)),
        rests_on=tuple(
            dict.fromkeys((*files_of([*found, *in_lock]), *(store_logs if put is not None else ())))
        ),
    )


def _store_logs(logs: LogsFacts) -> tuple[str, ...]:
    """The store.log files of this broker."""
    own = [path for broker in logs.brokers for path in broker.paths]
    return tuple(
        file.path for file in logs.files if file.kind == "store" and (not logs.brokers or file.path in own)
    )


@RULE.counters
def in_admin(broker: Counters, limits: Limits) -> Findings:
    """One finding for each broker of brokerStatus or clusterList."""
    held = broker.number("pageCacheLockTimeMills")
    if held is None or held >= FORGIVEN_MS:
        return
    if held < limits["slow_ms"]:
        yield RULE.margin("write", held, limits["slow_ms"], broker=broker.called)
        return
    yield RULE.case(
        "over-limit-by-counter" if held > DEFAULT_LIMIT_MS else "slow-by-counter",
        subject=broker.subject,
        evidence={"page_cache_lock_ms": held, "limit_ms": DEFAULT_LIMIT_MS},
        words={
            "called": broker.called,
            "counter": broker.counter("pageCacheLockTimeMills"),
            "pool_fits": True,
        },
        because=broker.one_moment,
        when=broker.when,
    )
