"""The broker has no off-heap buffer left to write to."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.broker import BrokerFacts, TransientStorePoolFacts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Confidence, EvidenceValue, Severity
from mqdiag.rules.registry import Draft, Limits, Rule, Said, Skip
from mqdiag.rules.shared.brokers import brokers_of_heap, brokers_of_logs, called, subject, subject_of_logs
from mqdiag.rules.shared.busy_answers import REJECT, answer_lines
from mqdiag.rules.shared.busy_remedies import SCALE_OUT
from mqdiag.rules.shared.example_broker import example
from mqdiag.rules.shared.log_events import counted, events, lines_of, when
from mqdiag.text import NOTHING, Text, say
from mqdiag.time_ranges import ranges_of

POOL_EMPTY = (
    say("Check the disk (iostat -x 1): a buffer comes back when its file is committed to the page cache."),
    SCALE_OUT,
    say(
        "A larger transientStorePoolSize only bridges peaks; each buffer takes one commit log file of direct memory,"
        " 1 GiB by default."
    ),
)
POOL_NOT_FILLED = (
    say("Restart the broker in its present role: it fills the pool at the start, if role and flush type fit."),
    say("Or set transientStorePoolEnable=false: only an ASYNC_FLUSH master uses the pool."),
)

RULE = Rule(
    name="transient-pool-exhausted",
    title="The broker refuses messages because its transient store pool has no buffer",
    why=(
        "With transientStorePoolEnable an ASYNC_FLUSH master first writes to off-heap buffers, one for each commit log"
        " file. A buffer returns to the pool when it is committed to the page cache. While no buffer is free, the"
        " broker refuses every send with [REJECTREQUEST]system busy."
    ),
    causes=("commit-too-slow", "pool-not-initialised"),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(*POOL_EMPTY, *POOL_NOT_FILLED),
    references=(
        "article 001: system busy and broker busy",
        "https://github.com/apache/rocketmq/issues/2439",
        "https://github.com/apache/rocketmq/issues/7610",
        "SendMessageProcessor.rejectRequest, TransientStorePool.availableBuffers",
    ),
    lies_at="broker",
)


def _pool(available: int) -> TransientStorePoolFacts:
    return TransientStorePoolFacts(
        enabled=True, pool_size=5, available_buffers=available, in_force=True, buffers_in_use=5 - available
    )


def fires() -> Facts:
    """All five buffers are in use."""
    return example(transient_store_pool=_pool(0))


def silent() -> Facts:
    """One is free."""
    return example(transient_store_pool=_pool(1))


@RULE.sees("heap")
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker whose pool is in force and has no buffer left."""
    for broker in brokers_of_heap(facts):
        if isinstance(broker, Skip):
            yield broker
            continue
        pool = broker.transient_store_pool
        if pool is None or not pool.in_force or pool.available_buffers != 0:
            continue
        yield _empty(broker, pool) if pool.buffers_in_use else _never_filled(broker, pool)


def _evidence(broker: BrokerFacts, pool: TransientStorePoolFacts) -> dict[str, EvidenceValue]:
    log = broker.commit_log
    return {
        "available_buffers": 0,
        "pool_size": pool.pool_size,
        "buffers_in_use": pool.buffers_in_use,
        "uncommitted_bytes": None if log is None else log.uncommitted_bytes,
        "role": broker.role,
        "flush": broker.flush,
    }


def _empty(broker: BrokerFacts, pool: TransientStorePoolFacts) -> Draft:
    evidence = _evidence(broker, pool)
    held = (
        say("No buffer is free: commit log files hold {buffers_in_use:count}.")
        if evidence["uncommitted_bytes"] is None
        else say(
            "No buffer is free: commit log files hold {buffers_in_use:count}, and {uncommitted_bytes:bytes} wait to be"
            " committed."
        )
    )
    return Draft(
        severity=Severity.ERROR,
        cause="commit-too-slow",
        confidence=Confidence.HIGH,
        title=say(
            "The transient store pool of {called} is empty: every send is refused", called=called(broker.name)
        ),
        subject=subject(broker),
        evidence=evidence,
        explanation=(
            held,
            say(
                "While the pool is in force and empty, senders get [REJECTREQUEST]system busy, however fast the page"
                " cache is."
            ),
        ),
        remedy=POOL_EMPTY,
        weight=1.0,
    )


def _never_filled(broker: BrokerFacts, pool: TransientStorePoolFacts) -> Draft:
    return Draft(
        severity=Severity.ERROR,
        cause="pool-not-initialised",
        confidence=Confidence.HIGH,
        title=say(
            "The transient store pool of {called} was never filled: every send is refused",
            called=called(broker.name),
        ),
        subject=subject(broker),
        evidence=_evidence(broker, pool),
        explanation=(
            say(
                "The pool has no buffer, and no commit log file holds one. So the pool was not in force when the"
                " broker started, as for a slave or, up to 4.9.8, with SYNC_FLUSH."
            ),
            say(
                "Now the broker is {role} with {flush}: it asks the empty pool and refuses every send with"
                " [REJECTREQUEST]system busy."
            ),
        ),
        remedy=POOL_NOT_FILLED,
        weight=1.0,
    )


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker: `only remain 0 sheets`, with or without answers that follow from it."""
    for logs in brokers_of_logs(facts):
        if logs.count("pool-empty", "pool-not-enough"):
            yield _by_logs(logs)


def _by_logs(logs: LogsFacts) -> Draft:
    empty = events(logs, "pool-empty", "pool-not-enough")
    refused = events(logs, REJECT)
    put = logs.pagecachert
    explained = [*map(_ran_out, empty), *answer_lines(refused)]
    if put is not None and put.from_1_s == 0:
        explained.append(say("No write took 1 s, so the sends were not refused because of the page cache."))
    return Draft(
        severity=Severity.ERROR if refused else Severity.WARNING,
        cause="commit-too-slow",
        confidence=Confidence.HIGH if refused else Confidence.MEDIUM,
        confidence_reason=NOTHING if refused else say("no sender's log shows the refused messages"),
        title=say("The broker's transient store pool ran out of buffers {times:count} {times:time|times}"),
        subject=subject_of_logs(logs, refused),
        evidence={"times": lines_of(empty), "refused": lines_of(refused), **counted((*empty, *refused))},
        explanation=tuple(explained),
        remedy=POOL_EMPTY,
        when=ranges_of([*empty, *refused]),
        weight=1.0,
    )


def _ran_out(event: LogEvent) -> Text:
    return say(
        "The pool had no buffer left, {lines:count} {lines:time|times} {when}.",
        lines=event.count,
        when=when(event),
    )
