"""Sends wait too long for a thread of the broker."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.broker import BrokerFacts, RequestQueue
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Confidence, Margin, Severity, TimeRange
from mqdiag.rules.registry import Draft, Limits, Rule, Said, Skip
from mqdiag.rules.shared.broker_status import counters
from mqdiag.rules.shared.brokers import (
    brokers_of_heap,
    brokers_of_logs,
    called,
    setting,
    subject,
    subject_of_logs,
)
from mqdiag.rules.shared.busy_answers import ONLY_PAGE_CACHE, REJECT, answer_lines
from mqdiag.rules.shared.busy_remedies import SLAVE_BEHIND, busy
from mqdiag.rules.shared.example_broker import example
from mqdiag.rules.shared.excerpts import enough, surest
from mqdiag.rules.shared.log_events import counted, events, is_set, lines_of, number_set
from mqdiag.rules.shared.page_cache import is_busy, pool_was_empty, was_busy
from mqdiag.rules.shared.write_times import writes_fast
from mqdiag.text import NOTHING, Text, say
from mqdiag.time_ranges import ranges_apart, ranges_of

DEFAULT_WAIT_MS = 200
"""waitTimeMillsInSendQueue since 3.5.8"""
SEND_THREADS = say(
    "sendMessageThreadPoolNums is 1 by default from 4.0.0 to 4.9.0. More send threads need"
    " useReentrantLockWhenPutMessage=true; without it they spin on the put lock."
)
TIMEOUTS = (
    say(
        "Check the broker's collections (GC log) and its CPU; with SYNC_FLUSH or a SYNC_MASTER also the disk and the"
        " slave. The page cache need not be slow."
    ),
    SEND_THREADS,
    say(
        "Where short pauses are known and accepted, waitTimeMillsInSendQueue may be raised to some hundred ms."
    ),
)
PAGE_CACHE_FIRST = say(
    "Fix the page cache first: these sends wait behind its writes, and neither more send threads nor a longer"
    " waitTimeMillsInSendQueue makes the writes faster."
)
SYNC_FLUSH = say(
    "Check the disk (iostat -x 1): with SYNC_FLUSH each write is as slow as its flush. ASYNC_FLUSH with a SYNC_MASTER"
    " and a healthy slave keeps a second copy without waiting for the disk. The price: messages that neither host has"
    " on disk are lost if both go down."
)
DEFAULT_WAIT = say("Set waitTimeMillsInSendQueue back to 200, the default.")
PAGE_CACHE_EVENTS = (*ONLY_PAGE_CACHE, REJECT, "slow-put-in-lock")
NOT_SURE = ("one-send-thread", "slow-sends")
"""causes that are only what is left when the logs show no other"""

RULE = Rule(
    name="send-queue-timeout",
    title="Sends wait in the broker's queue until they are thrown out",
    why=(
        "A send that waits for longer than waitTimeMillsInSendQueue (200 ms) is answered with"
        " [TIMEOUT_CLEAN_QUEUE]broker busy, the most common of the busy errors. It only says that no thread was free in"
        " time. A slow page cache is one reason; a collection, a single send thread, a synchronous flush or slave, and"
        " a busy CPU are others."
    ),
    causes=("page-cache-busy", "sync-flush", "sync-slave", "short-limit", "one-send-thread", "slow-sends"),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=TIMEOUTS,
    references=(
        "https://github.com/apache/rocketmq/issues/2471",
        "https://github.com/apache/rocketmq/issues/5088",
        "BrokerFastFailure.cleanExpiredRequest, RequestTask.createTimestamp",
    ),
    limits={"requests": 100, "wait_ms": 3000, "answers": 10},
    explained_by=(
        "page-cache-busy",
        "transient-pool-exhausted",
        "slave-behind:slow-slave",
        "stuck-lock-time",
        "broker-send-blocked",
    ),
    lies_at="broker",
    in_chain=say("the broker throws waiting sends away"),
)


def fires() -> Facts:
    """A long queue, and its first send has waited for a second."""
    return example(send_queue=RequestQueue(size=700, capacity=10_000, head_wait_ms=1000))


def silent() -> Facts:
    """Three requests that look old after a collection of a third of a second."""
    return example(send_queue=RequestQueue(size=3, capacity=10_000, head_wait_ms=330))


@RULE.sees("heap")
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker whose oldest send waits too long."""
    for broker in brokers_of_heap(facts):
        if isinstance(broker, Skip):
            yield broker
            continue
        queue = broker.send_queue
        if queue is None or queue.size is None or queue.head_wait_ms is None:
            continue
        # The full collection before a dump makes every request in the queue look old. It does not fill the queue:
        # meanwhile nothing is read from the connections.
        real = queue.size >= limits["requests"] or queue.head_wait_ms >= limits["wait_ms"]
        if queue.size and real and queue.head_wait_ms > _allowed_ms(broker):
            yield _waiting(broker, queue.size, queue.head_wait_ms, limits)
        elif queue.head_wait_ms <= _allowed_ms(broker):
            yield _margin(called(broker.name), queue.head_wait_ms, _allowed_ms(broker))


def _allowed_ms(broker: BrokerFacts) -> int:
    allowed = setting(broker, "waitTimeMillsInSendQueue")
    return DEFAULT_WAIT_MS if allowed is None else allowed


def _margin(broker: Text, waits_ms: int, allowed_ms: int) -> Margin:
    label = say("wait of the oldest send on {broker}", broker=broker)
    return Margin(rule="", label=label, value=waits_ms, limit=allowed_ms, kind="ms")


def _waiting(broker: BrokerFacts, size: int, waits_ms: int, limits: Limits) -> Draft:
    cause, why = _cause_in_heap(broker)
    fast_failure = broker.config.get("brokerFastFailureEnable")
    return Draft(
        severity=Severity.ERROR if waits_ms >= limits["wait_ms"] else Severity.WARNING,
        cause=cause,
        confidence=Confidence.MEDIUM,
        confidence_reason=say(
            "one dump: a pause of the JVM, such as the collection before a dump, counts as well"
        ),
        title=say(
            "Sends wait for {head_wait_ms:ms} before a thread of {called} takes them",
            called=called(broker.name),
        ),
        subject=subject(broker),
        evidence={
            "head_wait_ms": waits_ms,
            "waitTimeMillsInSendQueue": _allowed_ms(broker),
            "size": size,
            "sendMessageThreadPoolNums": setting(broker, "sendMessageThreadPoolNums"),
            "brokerFastFailureEnable": fast_failure if isinstance(fast_failure, bool) else None,
            "flush": broker.flush,
            "role": broker.role,
        },
        explanation=(
            say("{size:count} {size:send waits|sends wait}, the oldest for {head_wait_ms:ms}."),
            say("brokerFastFailureEnable is off, so they wait until their senders give up.")
            if fast_failure is False
            else say(
                "After waitTimeMillsInSendQueue={waitTimeMillsInSendQueue} ms senders get"
                " [TIMEOUT_CLEAN_QUEUE]broker busy."
            ),
            *why,
        ),
        remedy=busy(broker) if cause == "page-cache-busy" else TIMEOUTS,
        weight=0.9,
    )


def _cause_in_heap(broker: BrokerFacts) -> tuple[str, tuple[Text, ...]]:
    """The cause, and the sentences that explain it."""
    if is_busy(broker):
        return "page-cache-busy", (
            say("The page cache is busy: one write has taken more than a second so far."),
        )
    if broker.flush == "SYNC_FLUSH":
        return "sync-flush", (
            say("With SYNC_FLUSH each send waits for the disk; no write is slow at this moment."),
        )
    if broker.role == "SYNC_MASTER":
        return "sync-slave", (say("A SYNC_MASTER waits for its slave; no write is slow at this moment."),)
    if setting(broker, "sendMessageThreadPoolNums") == 1:
        return "one-send-thread", (say("One thread serves all sends."), SEND_THREADS)
    return "slow-sends", (
        say(
            "No write is slow at this moment. A pause of the JVM, few send threads or a busy CPU make sends wait as"
            " well."
        ),
    )


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker: answers [TIMEOUT_CLEAN_QUEUE], with what other lines say about their cause."""
    for logs in brokers_of_logs(facts):
        if enough(logs, logs.count("busy-timeout-clean"), limits["answers"]):
            yield _thrown_out(logs)


def _cause_in_logs(logs: LogsFacts) -> str:
    thrown = ranges_of(events(logs, "busy-timeout-clean"))
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


def _thrown_out(logs: LogsFacts) -> Draft:
    found = events(logs, "busy-timeout-clean")
    cause = _cause_in_logs(logs)
    put = logs.pagecachert
    confidence, confidence_reason = surest(logs, Confidence.HIGH, NOTHING)
    if cause in NOT_SURE:
        confidence = Confidence.MEDIUM
        confidence_reason = say("the logs do not show what kept the send threads busy")
    evidence = {
        "answers": lines_of(found),
        "longest_wait_ms": max((event.values.get("longest_wait_ms", 0) for event in found), default=0),
        "puts_from_100_ms": None if put is None else put.from_100_ms,
        "puts": None if put is None else put.puts,
        "slave_timeouts": logs.count("slave-transfer-timeout"),
        "slow_flushes": logs.count("slow-put"),
        "waitTimeMillsInSendQueue": number_set(logs, "waitTimeMillsInSendQueue"),
        "default_wait_ms": DEFAULT_WAIT_MS,
        **counted(found),
    }
    return Draft(
        severity=Severity.WARNING,
        cause=cause,
        confidence=confidence,
        confidence_reason=confidence_reason,
        title=_title(cause),
        subject=subject_of_logs(logs, found),
        evidence=evidence,
        explanation=tuple(_explained(logs, found, cause)),
        remedy=_remedy(cause),
        when=ranges_of(found),
        weight=0.5,
    )


def _title(cause: str) -> Text:
    return {
        "page-cache-busy": say(
            "The broker threw {answers:count} {answers:send|sends} out of its queue because its page cache was busy"
        ),
        "sync-slave": say(
            "The broker threw {answers:count} {answers:send|sends} out of its queue because its slave did not answer"
        ),
        "sync-flush": say(
            "The broker threw {answers:count} {answers:send|sends} out of its queue because each write waits for the"
            " flush to disk"
        ),
        "short-limit": say(
            "The broker threw {answers:count} {answers:send|sends} out of its queue because waitTimeMillsInSendQueue"
            " is short"
        ),
        "one-send-thread": say(
            "The broker threw {answers:count} {answers:send|sends} out of its queue because it has one send thread"
        ),
        "slow-sends": say(
            "The broker threw {answers:count} {answers:send|sends} out of its queue because no thread was free in time"
        ),
    }[cause]


def _explained(logs: LogsFacts, found: list[LogEvent], cause: str) -> Iterator[Text]:
    yield from answer_lines(found)
    if any(event.values.get("longest_wait_ms") for event in found):
        yield say("The longest of these sends had waited for {longest_wait_ms:ms}.")
    if logs.count("slave-transfer-timeout"):
        yield say("{slave_timeouts:count} {slave_timeouts:wait|waits} for the slave ended without its answer.")
    if logs.pagecachert is not None:
        yield say("PAGECACHERT: {puts_from_100_ms:count} of {puts:count} writes took 100 ms or longer.")
    if writes_fast(logs.pagecachert):
        yield say("The broker writes fast; sends wait before they are written.")
    if cause == "sync-flush":
        yield say(
            "flushDiskType is SYNC_FLUSH, and {slow_flushes:count} {slow_flushes:write|writes} took more than 500 ms"
            " outside of the lock: {slow_flushes:it|they} waited for the flush."
        )
    if cause == "short-limit":
        yield say(
            "waitTimeMillsInSendQueue is {waitTimeMillsInSendQueue:count} ms; the default is {default_wait_ms:count}"
            " ms."
        )


def _remedy(cause: str) -> tuple[Text, ...]:
    return {
        "short-limit": (DEFAULT_WAIT,),
        "page-cache-busy": (PAGE_CACHE_FIRST,),
        "sync-flush": (SYNC_FLUSH, SEND_THREADS),
        "sync-slave": SLAVE_BEHIND,
    }.get(cause, TIMEOUTS)


@RULE.sees("admin")
def in_admin(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker of brokerStatus or clusterList whose oldest send waits too long."""
    for broker in counters(facts):
        waits = broker.number("sendThreadPoolQueueHeadWaitTimeMills")
        size = broker.number("sendThreadPoolQueueSize")
        if waits is None or size is None:
            continue
        if not size or waits <= DEFAULT_WAIT_MS:
            yield _margin(broker.called, waits if size else 0, DEFAULT_WAIT_MS)
            continue
        yield Draft(
            severity=Severity.WARNING,
            cause="slow-sends",
            confidence=Confidence.MEDIUM,
            confidence_reason=broker.one_moment,
            title=say(
                "The oldest of {size:count} {size:send|sends} has waited for {head_wait_ms:ms} in the queue of"
                " {called}",
                called=broker.called,
            ),
            subject=broker.subject,
            when=broker.when,
            evidence={"size": size, "head_wait_ms": waits, "allowed_ms": DEFAULT_WAIT_MS},
            explanation=(
                say(
                    "{counter} is {head_wait_ms:count}. After waitTimeMillsInSendQueue, by default"
                    " {allowed_ms:count} ms, senders get [TIMEOUT_CLEAN_QUEUE]broker busy.",
                    counter=broker.counter("sendThreadPoolQueueHeadWaitTimeMills"),
                ),
            ),
            remedy=TIMEOUTS,
        )
