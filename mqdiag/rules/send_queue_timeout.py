"""Sends wait too long for a thread of the broker."""

from __future__ import annotations

from mqdiag.facts.broker import BrokerFacts
from mqdiag.facts.logs import LogsFacts
from mqdiag.findings import Severity, TimeRange
from mqdiag.log_events import enough, events, is_set, lines_of, number_set
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.broker_status import Counters
from mqdiag.rules.shared.brokers import called, setting, subject
from mqdiag.rules.shared.busy_answers import ONLY_PAGE_CACHE, REJECT, answer_lines
from mqdiag.rules.shared.page_cache import is_busy, pool_was_empty, was_busy
from mqdiag.rules.shared.transient_pool import pool_fits_broker
from mqdiag.rules.shared.write_times import writes_fast
from mqdiag.time_ranges import ranges_apart, ranges_of

RULE = Rule("send-queue-timeout")
DEFAULT_WAIT_MS = 200
"""waitTimeMillsInSendQueue since 3.5.8"""
PAGE_CACHE_EVENTS = (*ONLY_PAGE_CACHE, REJECT, "slow-put-in-lock")


@RULE.brokers
def in_heap(broker: BrokerFacts, limits: Limits) -> Findings:
    """One finding for each broker whose oldest send waits too long."""
    queue, allowed = broker.send_queue, setting(broker, "waitTimeMillsInSendQueue")
    if queue is None or queue.size is None or queue.head_wait_ms is None:
        return
    allowed_ms = DEFAULT_WAIT_MS if allowed is None else allowed
    # The full collection before a dump makes every request in the queue look old. It does not fill the queue:
    # meanwhile nothing is read from the connections.
    lasting = queue.head_wait_ms >= limits["wait_ms"]
    real = queue.size >= limits["requests"] or lasting
    if queue.size and real and queue.head_wait_ms > allowed_ms:
        fast_failure = broker.config.get("brokerFastFailureEnable")
        yield RULE.case(
            _case_in_heap(broker),
            queue,
            broker,
            subject=subject(broker),
            evidence={
                "waitTimeMillsInSendQueue": allowed_ms,
                "sendMessageThreadPoolNums": setting(broker, "sendMessageThreadPoolNums"),
                "brokerFastFailureEnable": fast_failure if isinstance(fast_failure, bool) else None,
            },
            words={"fast_failure_off": fast_failure is False, "pool_fits": pool_fits_broker(broker)},
            severity=Severity.ERROR if lasting else Severity.WARNING,
        )
    elif queue.head_wait_ms <= allowed_ms:
        yield RULE.margin("oldest", queue.head_wait_ms, allowed_ms, broker=called(broker.name))


def _case_in_heap(broker: BrokerFacts) -> str:
    if is_busy(broker):
        return "page-cache-busy-now"
    if broker.flush == "SYNC_FLUSH":
        return "sync-flush-now"
    if broker.role == "SYNC_MASTER":
        return "sync-slave-now"
    return "one-send-thread-now" if setting(broker, "sendMessageThreadPoolNums") == 1 else "slow-sends-now"


@RULE.broker_logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each broker: answers [TIMEOUT_CLEAN_QUEUE], with what other lines say about their cause."""
    found, put = events(logs, "busy-timeout-clean"), logs.pagecachert
    if not enough(logs, lines_of(found), limits["answers"]):
        return
    case = _case_in_logs(logs, ranges_of(found))
    yield RULE.case(
        case,
        put,
        logs=logs,
        events=found,
        evidence={
            "answers": lines_of(found),
            "longest_wait_ms": max((event.values.get("longest_wait_ms", 0) for event in found), default=0),
            "puts_from_100_ms": None if put is None else put.from_100_ms,
            "slave_timeouts": logs.count("slave-transfer-timeout"),
            "slow_flushes": logs.count("slow-put"),
            "waitTimeMillsInSendQueue": number_set(logs, "waitTimeMillsInSendQueue"),
            "default_wait_ms": DEFAULT_WAIT_MS,
        },
        words={
            "writes_fast": writes_fast(put),
            "waits_for_flush": case == "sync-flush",
            "short_limit": case == "short-limit",
        },
        given={"answer_lines": answer_lines(found)},
    )


def _case_in_logs(logs: LogsFacts, thrown: tuple[TimeRange, ...]) -> str:
    if was_busy(logs) and not pool_was_empty(logs) and _then(logs, thrown, *PAGE_CACHE_EVENTS):
        return "page-cache-busy"
    if logs.count("slave-transfer-timeout") and _then(logs, thrown, "slave-transfer-timeout"):
        return "sync-slave"
    allowed = number_set(logs, "waitTimeMillsInSendQueue")
    if allowed is not None and allowed < DEFAULT_WAIT_MS:
        return "short-limit"
    flushed_slowly = logs.count("slow-put") and _then(logs, thrown, "slow-put")
    if is_set(logs, "flushDiskType", "SYNC_FLUSH") and flushed_slowly:
        return "sync-flush"
    return "one-send-thread" if number_set(logs, "sendMessageThreadPoolNums") == 1 else "slow-sends"


def _then(logs: LogsFacts, thrown: tuple[TimeRange, ...], *kinds: str) -> bool:
    """Whether these events may have been when the sends were thrown out."""
    return ranges_apart(thrown, ranges_of(events(logs, *kinds))) is not True


@RULE.counters
def in_admin(broker: Counters, limits: Limits) -> Findings:
    """One finding for each broker of brokerStatus or clusterList whose oldest send waits too long."""
    waits = broker.number("sendThreadPoolQueueHeadWaitTimeMills")
    size = broker.number("sendThreadPoolQueueSize")
    if waits is None or size is None:
        return
    if not size or waits <= DEFAULT_WAIT_MS:
        yield RULE.margin("oldest", waits if size else 0, DEFAULT_WAIT_MS, broker=broker.called)
        return
    yield RULE.case(
        "slow-sends-by-counter",
        subject=broker.subject,
        evidence={"size": size, "head_wait_ms": waits, "allowed_ms": DEFAULT_WAIT_MS},
        words={
            "called": broker.called,
            "counter": broker.counter("sendThreadPoolQueueHeadWaitTimeMills"),
        },
        because=broker.one_moment,
        when=broker.when,
    )
