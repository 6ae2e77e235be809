"""The broker cannot write to the page cache in time."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.broker import BrokerFacts, PutLock
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Confidence, EvidenceValue, Finding, Margin, Severity
from mqdiag.rules.registry import Draft, Limits, Rule, Said, Skip
from mqdiag.rules.shared.broker_status import counters
from mqdiag.rules.shared.brokers import brokers_of_heap, brokers_of_logs, called, subject, subject_of_logs
from mqdiag.rules.shared.busy_answers import ONLY_PAGE_CACHE, REJECT, answer_lines
from mqdiag.rules.shared.busy_remedies import BUSY, busy, busy_by_logs
from mqdiag.rules.shared.example_broker import example
from mqdiag.rules.shared.log_events import counted, events, lines_of, when
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
from mqdiag.rules.shared.write_times import slow_ranges
from mqdiag.text import NOTHING, Text, say
from mqdiag.time_ranges import joined, ranges_apart, ranges_of

NEW_FILE = "AllocateMappedFileService.putRequestAndReturnMappedFile("
"""the frame in which a write waits for the next commit log file"""


def _in_chain(finding: Finding) -> Text:
    """With a raised limit no send is refused, however long a write takes."""
    if finding.evidence.get("refused") == 0:
        return say("its page cache is busy")
    return say("the broker calls its page cache busy")


LOOK_FIRST = say(
    "Look at the broker first: [PAGECACHERT] lines of store.log at that time, and iostat -x 1, show whether its disk is"
    " slow."
)

RULE = Rule(
    name="page-cache-busy",
    title="The broker refuses messages because its page cache is busy",
    why=(
        "The broker writes messages to the commit log one at a time, under a lock. When one write takes longer than"
        " osPageCacheBusyTimeOutMills (one second), the broker takes its page cache for busy and refuses all sends"
        " until that write is done. Senders see system busy or broker busy, and try other brokers."
    ),
    causes=("page-cache-busy",),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=BUSY,
    references=(
        "article 001: system busy and broker busy",
        "DefaultMessageStore.isOSPageCacheBusy, CommitLog.beginTimeInLock, BrokerFastFailure",
    ),
    explained_by=("transient-pool-exhausted", "slow-writes", "broker-send-blocked"),
    limits={"slow_ms": 500},
    lies_at="broker",
    in_chain=_in_chain,
    leads_to={"send-busy": say("and")},
)

_WRITER = PutLock(
    held=True,
    holder="SendMessageThread_1",
    holder_frames=("org.apache.rocketmq.store.MappedFile.appendMessagesInner(MappedFile.java:208)",),
    writers=("SendMessageThread_1",),
)


def fires() -> Facts:
    """One write has taken three seconds so far."""
    return example(page_cache_lock_ms=3000, put_lock=_WRITER)


def silent() -> Facts:
    """It has taken a tenth of a second."""
    return example(page_cache_lock_ms=100, put_lock=_WRITER)


@RULE.sees("heap")
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker."""
    for broker in brokers_of_heap(facts):
        if isinstance(broker, Skip):
            yield broker
        elif is_busy(broker):
            yield _busy(broker)
        elif _waits_for_file(broker, limits):
            yield _waiting(broker)
        elif broker.page_cache_lock_ms is not None and broker.page_cache_lock_ms <= limit_ms(broker):
            yield _margin(called(broker.name), broker.page_cache_lock_ms, limit_ms(broker))


def _waits_for_file(broker: BrokerFacts, limits: Limits) -> bool:
    """Below the broker's limit, but its stack shows a wait for the disk, which no pause of the JVM does."""
    age, lock = broker.page_cache_lock_ms, broker.put_lock
    if age is None or lock is None or not limits["slow_ms"] < age < FORGIVEN_MS:
        return False
    return bool(lock.held) and any(NEW_FILE in frame for frame in lock.holder_frames)


def _margin(broker: Text, age_ms: int, limit: float) -> Margin:
    label = say("write in progress on {broker}", broker=broker)
    return Margin(rule="", label=label, value=age_ms, limit=limit, kind="ms")


def _busy(broker: BrokerFacts) -> Draft:
    return Draft(
        severity=Severity.ERROR,
        cause="page-cache-busy",
        confidence=Confidence.MEDIUM,
        confidence_reason=say(
            "one dump: a pause of the JVM, such as the collection before a dump, counts as well"
        ),
        title=say(
            "The page cache of {called} is busy: one write has taken {page_cache_lock_ms:ms} so far",
            called=called(broker.name),
        ),
        subject=subject(broker),
        evidence=_evidence(broker),
        explanation=(
            say("Writing one message to the commit log has taken {page_cache_lock_ms:ms} so far."),
            _effect(limit_ms(broker)),
            *_details(broker),
        ),
        remedy=busy(broker),
        weight=1.0,
    )


def _effect(limit: int) -> Text:
    if limit > DEFAULT_LIMIT_MS:
        return say(
            "By the default limit of {default_limit_ms:count} ms the page cache is busy;"
            " osPageCacheBusyTimeOutMills={osPageCacheBusyTimeOutMills} makes senders wait instead of going to"
            " another broker."
        )
    return say(
        "After osPageCacheBusyTimeOutMills={osPageCacheBusyTimeOutMills} the broker refuses every send with"
        " [REJECTREQUEST], [PC_SYNCHRONIZED] or [PCBUSY_CLEAN_QUEUE]."
    )


def _waiting(broker: BrokerFacts) -> Draft:
    return Draft(
        severity=Severity.WARNING,
        cause="page-cache-busy",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("one dump, and the broker's own limit is not reached at this moment"),
        title=say(
            "A write on {called} has waited for {page_cache_lock_ms:ms} for the next commit log file",
            called=called(broker.name),
        ),
        subject=subject(broker),
        evidence=_evidence(broker),
        explanation=(
            say(
                "The file system has not made the file in {page_cache_lock_ms:ms}. After"
                " osPageCacheBusyTimeOutMills={osPageCacheBusyTimeOutMills} the broker refuses all sends."
            ),
            *_details(broker),
        ),
        remedy=busy(broker),
        weight=0.5,
    )


def _evidence(broker: BrokerFacts) -> dict[str, EvidenceValue]:
    lock, queue = broker.put_lock, broker.send_queue
    frames = lock.holder_frames if lock is not None else ()
    return {
        "page_cache_lock_ms": broker.page_cache_lock_ms,
        "osPageCacheBusyTimeOutMills": limit_ms(broker),
        "default_limit_ms": DEFAULT_LIMIT_MS,
        "thread": _writer(broker),
        "frame": _store_frame(frames),
        "send_queue_size": None if queue is None else queue.size,
    }


def _writer(broker: BrokerFacts) -> str | None:
    lock = broker.put_lock
    if lock is None:
        return None
    return lock.holder or next(iter(lock.writers), None)


def _store_frame(frames: tuple[str, ...]) -> str | None:
    """The broker's own frame nearest to the wait."""
    return next((frame for frame in frames if ".store." in frame), next(iter(frames), None))


def _details(broker: BrokerFacts) -> Iterator[Text]:
    lock, queue = broker.put_lock, broker.send_queue
    if _writer(broker) is not None:
        known = lock is not None and lock.holder_frames
        yield say("Thread {thread} writes it, in {frame}.") if known else say("Thread {thread} writes it.")
    if queue is not None and queue.size:
        yield say("{send_queue_size:count} more {send_queue_size:send waits|sends wait} in the queue.")


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker: answers of a busy page cache, and writes that held the lock too long."""
    for logs in brokers_of_logs(facts):
        if was_busy(logs):
            yield _by_logs(logs, busy_by_logs(logs, facts.heap))


def _by_logs(logs: LogsFacts, remedy: tuple[Text, ...]) -> Draft:
    answers = events(logs, *ONLY_PAGE_CACHE, REJECT)
    in_lock = events(logs, "slow-put-in-lock")
    put, longest = logs.pagecachert, longest_in_lock_ms(logs)
    own_ranges = joined((*ranges_of(in_lock), *slow_ranges(put)))
    found = [event for event in answers if ranges_apart(ranges_of([event]), own_ranges) is not True]
    own_lines = lock_over_limit(logs) or (put is not None and put.from_1_s > 0)
    pool = pool_was_empty(logs)
    sure = own_lines and not pool
    return Draft(
        severity=Severity.WARNING if pool else Severity.ERROR,
        cause="page-cache-busy",
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
        confidence_reason=NOTHING if sure else _doubt(logs, pool=pool),
        title=say(
            "The broker's page cache was busy: {slow_puts_in_lock:count} {slow_puts_in_lock:write|writes} held the lock"
            " for up to {longest_in_lock_ms:ms}"
        )
        if longest is not None and own_lines
        else say("The broker's page cache was busy"),
        subject=subject_of_logs(logs, found),
        evidence={
            "refused": lines_of(found),
            **{event.kind.replace("-", "_"): event.count for event in found},
            "slow_puts_in_lock": lines_of(in_lock),
            "longest_in_lock_ms": longest,
            "puts": None if put is None else put.puts,
            "puts_from_100_ms": None if put is None else put.from_100_ms,
            "puts_from_1_s": None if put is None else put.from_1_s,
            "answers_of_other_times": lines_of(answers) - lines_of(found),
            "longest_in_lock_by_event_ms": tuple(_longest_ms(event) for event in in_lock),
            **counted((*found, *in_lock)),
        },
        explanation=(
            *answer_lines(found),
            *_of_other_times(answers, found),
            *map(_slow_in_lock, in_lock),
            *_write_times(logs),
        ),
        remedy=remedy if own_lines or _has_store_log(logs) else (LOOK_FIRST, *remedy),
        when=joined((*ranges_of(found), *own_ranges)),
        weight=1.0,
    )


def _doubt(logs: LogsFacts, *, pool: bool) -> Text:
    if pool:
        return say(
            "the transient store pool ran out of buffers: a write that waits for a buffer holds the lock too"
        )
    if _has_store_log(logs):
        return say("only senders say so: no line of store.log shows such a long write")
    return say("only senders say so: store.log would show how long the writes took")


def _has_store_log(logs: LogsFacts) -> bool:
    """Whether a store.log of this broker is among the logs."""
    own = [path for broker in logs.brokers for path in broker.paths]
    return any(file.kind == "store" and (not logs.brokers or file.path in own) for file in logs.files)


def _of_other_times(answers: list[LogEvent], found: list[LogEvent]) -> Iterator[Text]:
    if len(found) < len(answers):
        yield say(
            "{answers_of_other_times:count} {answers_of_other_times:answer is|answers are} of other times and"
            " not counted here, because the broker's own lines show nothing then."
        )


def _slow_in_lock(event: LogEvent) -> Text:
    return say(
        "{lines:count} {lines:write|writes} held the commit log's lock for more than 500 ms, the longest for"
        " {longest_ms:ms}, {when} ([NOTIFYME] lines). After osPageCacheBusyTimeOutMills the broker refuses every send.",
        lines=event.count,
        longest_ms=_longest_ms(event),
        when=when(event),
    )


def _longest_ms(event: LogEvent) -> int:
    return event.values.get("longest_ms", 0)


def _write_times(logs: LogsFacts) -> Iterator[Text]:
    if logs.pagecachert is not None:
        yield say(
            "Of {puts:count} writes that PAGECACHERT counts, {puts_from_100_ms:count} took 100 ms or longer and"
            " {puts_from_1_s:count} took 1 s or longer."
        )


@RULE.sees("admin")
def in_admin(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker of brokerStatus or clusterList."""
    for broker in counters(facts):
        held = broker.number("pageCacheLockTimeMills")
        if held is None or held >= FORGIVEN_MS:
            continue
        if held < limits["slow_ms"]:
            yield _margin(broker.called, held, limits["slow_ms"])
            continue
        yield Draft(
            severity=Severity.ERROR if held > DEFAULT_LIMIT_MS else Severity.WARNING,
            cause="page-cache-busy",
            confidence=Confidence.MEDIUM,
            confidence_reason=broker.one_moment,
            title=say(
                "Writing one message on {called} has taken {page_cache_lock_ms:ms} so far", called=broker.called
            ),
            subject=broker.subject,
            when=broker.when,
            evidence={"page_cache_lock_ms": held, "limit_ms": DEFAULT_LIMIT_MS},
            explanation=(
                say(
                    "{counter} is {page_cache_lock_ms:count}. After osPageCacheBusyTimeOutMills, by default"
                    " {limit_ms:count} ms, the broker refuses all sends.",
                    counter=broker.counter("pageCacheLockTimeMills"),
                ),
            ),
            remedy=BUSY,
        )
