"""The broker's queue of sends is full."""

from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.broker import BrokerFacts
from mqdiag.log_events import events, lines_of, number_set
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.broker_status import Counters
from mqdiag.rules.shared.brokers import brokers_of_logs, called, subject, subject_of_logs
from mqdiag.rules.shared.busy_answers import answer_lines
from mqdiag.rules.shared.transient_pool import pool_fits, pool_fits_broker

RULE = Rule("send-queue-full")
REJECTIONS_PER_LINE = 10_000
"""NettyRemotingAbstract logs a rejection only when the clock's milliseconds end in 0000"""
DEFAULT_CAPACITY = 10_000
LEAST_CAPACITY = 1000
"""a shorter queue is full before the broker is busy"""
MANY_REFUSED = 10
"""from here on it is an error"""


@RULE.brokers
def in_heap(broker: BrokerFacts, limits: Limits) -> Findings:
    """One finding for each broker whose queue is full or nearly full."""
    queue = broker.send_queue
    if queue is None or queue.size is None or not queue.capacity:
        return
    share = queue.size / queue.capacity
    if share < limits["share"]:
        yield RULE.margin("queue", share, limits["share"], broker=called(broker.name))
        return
    yield RULE.case(
        "queue-full" if queue.size >= queue.capacity else "queue-nearly-full",
        queue,
        subject=subject(broker),
        evidence={"share": round(share, 4)},
        words={"pool_fits": pool_fits_broker(broker)},
        weight=share,
    )


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Findings:
    """One finding for each broker: answers [OVERLOAD], and the few rejections that the broker logs."""
    for logs in brokers_of_logs(facts):
        answers, rejections = events(logs, "busy-overload"), events(logs, "send-pool-rejected")
        if not answers and not rejections:
            continue
        refused, logged = lines_of(answers), lines_of(rejections)
        capacity = number_set(logs, "sendThreadPoolQueueCapacity")
        small = capacity is not None and capacity < LEAST_CAPACITY
        many = refused + logged >= MANY_REFUSED
        yield RULE.case(
            "small-queue" if small else "many-refused" if many else "few-refused",
            logs=logs,
            events=[*answers, *rejections],
            subject=subject_of_logs(logs, answers),
            evidence={
                "refused": refused,
                "logged_rejections": logged,
                "capacity": capacity,
                "default_capacity": DEFAULT_CAPACITY,
                "rejections_per_line": REJECTIONS_PER_LINE,
            },
            words={
                "below_default": capacity is not None and capacity < DEFAULT_CAPACITY,
                "pool_fits": pool_fits(logs, facts.heap),
                "rejections_per_line": REJECTIONS_PER_LINE,
            },
            given={"answer_lines": answer_lines(answers)},
        )


@RULE.counters
def in_admin(broker: Counters, limits: Limits) -> Findings:
    """One finding for each broker of brokerStatus whose queue is full or nearly full."""
    size = broker.number("sendThreadPoolQueueSize")
    capacity = broker.number("sendThreadPoolQueueCapacity")
    if size is None or not capacity:
        return
    share = size / capacity
    if share < limits["share"]:
        yield RULE.margin("queue", share, limits["share"], broker=broker.called)
        return
    yield RULE.case(
        "queue-full-by-counter" if size >= capacity else "queue-nearly-full-by-counter",
        subject=broker.subject,
        evidence={
            "size": size,
            "capacity": capacity,
            "share": round(share, 4),
            "head_wait_ms": broker.number("sendThreadPoolQueueHeadWaitTimeMills"),
        },
        words={"called": broker.called, "pool_fits": True},
        because=broker.one_moment,
        when=broker.when,
        weight=share,
    )
