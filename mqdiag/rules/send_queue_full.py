"""The broker's queue of sends is full."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.broker import RequestQueue
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Confidence, EvidenceValue, Margin, Severity
from mqdiag.rules.registry import Draft, Limits, Rule, Said, Skip
from mqdiag.rules.shared.broker_status import counters
from mqdiag.rules.shared.brokers import brokers_of_heap, brokers_of_logs, called, subject, subject_of_logs
from mqdiag.rules.shared.busy_answers import answer_lines
from mqdiag.rules.shared.busy_remedies import BUSY, busy, busy_by_logs
from mqdiag.rules.shared.example_broker import example
from mqdiag.rules.shared.log_events import counted, events, lines_of, number_set, when
from mqdiag.text import Text, say
from mqdiag.time_ranges import ranges_of

REJECTIONS_PER_LINE = 10_000
"""NettyRemotingAbstract logs a rejection only when the clock's milliseconds end in 0000"""
DEFAULT_CAPACITY = 10_000
LEAST_CAPACITY = 1000
"""a shorter queue is full before the broker is busy"""
MANY_REFUSED = 10
"""from here on it is an error"""
SMALL_QUEUE = say(
    "Set sendThreadPoolQueueCapacity back to 10,000, the default: so short a queue is full within a moment."
)

RULE = Rule(
    name="send-queue-full",
    title="The broker refuses messages because its send queue is full",
    why=(
        "Sends wait in a queue of sendThreadPoolQueueCapacity requests until a send thread takes them. When more sends"
        " arrive than are written, the queue fills up, and the broker refuses further sends with [OVERLOAD]system busy."
    ),
    causes=("overload", "small-queue"),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=BUSY,
    references=(
        "article 001: system busy and broker busy",
        "BrokerController.sendThreadPoolQueue, NettyRemotingAbstract.processRequestCommand",
    ),
    limits={"share": 0.9},
    explained_by=("page-cache-busy", "stuck-lock-time", "broker-send-blocked"),
    lies_at="broker",
    in_chain=say("the broker's send queue is full"),
)


def fires() -> Facts:
    """As many sends wait as the queue takes."""
    return example(send_queue=RequestQueue(size=10_000, capacity=10_000, head_wait_ms=2500))


def silent() -> Facts:
    """A tenth of them."""
    return example(send_queue=RequestQueue(size=1000, capacity=10_000, head_wait_ms=90))


@RULE.sees("heap")
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker whose queue is full or nearly full."""
    for broker in brokers_of_heap(facts):
        if isinstance(broker, Skip):
            yield broker
            continue
        queue = broker.send_queue
        if queue is None or queue.size is None or not queue.capacity:
            continue
        share = queue.size / queue.capacity
        if share < limits["share"]:
            yield _margin(called(broker.name), share, limits)
            continue
        full = queue.size >= queue.capacity
        yield Draft(
            severity=Severity.ERROR if full else Severity.WARNING,
            cause="overload",
            confidence=Confidence.HIGH,
            title=say("The send queue of {called} is full", called=called(broker.name))
            if full
            else say("The send queue of {called} is {share:percent} full", called=called(broker.name)),
            subject=subject(broker),
            evidence=_evidence(queue.size, queue.capacity, queue.head_wait_ms),
            explanation=(
                say(
                    "{size:count} {size:send waits|sends wait} in sendThreadPoolQueue, which takes {capacity:count}."
                    " Further sends get [OVERLOAD]system busy."
                ),
                *(() if queue.head_wait_ms is None else (say("The oldest has waited for {head_wait_ms:ms}."),)),
            ),
            remedy=busy(broker),
            weight=share,
        )


def _margin(broker: Text, share: float, limits: Limits) -> Margin:
    label = say("send queue of {broker}", broker=broker)
    return Margin(rule="", label=label, value=share, limit=limits["share"], kind="percent")


def _evidence(size: int, capacity: int, head_wait_ms: int | None) -> dict[str, EvidenceValue]:
    return {
        "size": size,
        "capacity": capacity,
        "share": round(size / capacity, 4),
        "head_wait_ms": head_wait_ms,
    }


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker: answers [OVERLOAD], and the few rejections that the broker logs."""
    for logs in brokers_of_logs(facts):
        if logs.count("busy-overload", "send-pool-rejected"):
            yield _by_logs(logs, busy_by_logs(logs, facts.heap))


def _by_logs(logs: LogsFacts, remedy: tuple[Text, ...]) -> Draft:
    answers = events(logs, "busy-overload")
    rejections = events(logs, "send-pool-rejected")
    refused, logged = lines_of(answers), lines_of(rejections)
    capacity = number_set(logs, "sendThreadPoolQueueCapacity")
    small = capacity is not None and capacity < LEAST_CAPACITY
    explained = [*answer_lines(answers), *map(_rejections, rejections)]
    if capacity is not None and capacity < DEFAULT_CAPACITY:
        explained.append(
            say(
                "sendThreadPoolQueueCapacity is {capacity:count}, less than the default of {default_capacity:count}."
            )
        )
    return Draft(
        severity=Severity.ERROR if refused + logged >= MANY_REFUSED and not small else Severity.WARNING,
        cause="small-queue" if small else "overload",
        confidence=Confidence.HIGH,
        title=_title(small=small, refused=refused),
        subject=subject_of_logs(logs, answers),
        evidence={
            "refused": refused,
            "logged_rejections": logged,
            "capacity": capacity,
            "default_capacity": DEFAULT_CAPACITY,
            "rejections_per_line": REJECTIONS_PER_LINE,
            **counted((*answers, *rejections)),
        },
        explanation=tuple(explained),
        remedy=(SMALL_QUEUE,) if small else remedy,
        when=ranges_of([*answers, *rejections]),
        weight=0.9,
    )


def _title(*, small: bool, refused: int) -> Text:
    if small and refused:
        return say(
            "The broker's send queue takes only {capacity:count} requests and was full: {refused:count}"
            " {refused:send was|sends were} refused"
        )
    if small:
        return say("The broker's send queue takes only {capacity:count} requests and was full")
    if refused:
        return say("The broker's send queue was full: {refused:count} {refused:send was|sends were} refused")
    return say("The broker's send queue was full")


def _rejections(event: LogEvent) -> Text:
    return say(
        "The broker logged {lines:count} {lines:rejection|rejections} {when}; it logs about one in"
        " {rejections_per_line:count}.",
        lines=event.count,
        when=when(event),
    )


@RULE.sees("admin")
def in_admin(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker of brokerStatus whose queue is full or nearly full."""
    for broker in counters(facts):
        size = broker.number("sendThreadPoolQueueSize")
        capacity = broker.number("sendThreadPoolQueueCapacity")
        if size is None or not capacity:
            continue
        share = size / capacity
        if share < limits["share"]:
            yield _margin(broker.called, share, limits)
            continue
        yield Draft(
            severity=Severity.ERROR if size >= capacity else Severity.WARNING,
            cause="overload",
            confidence=Confidence.MEDIUM,
            confidence_reason=broker.one_moment,
            title=say("The send queue of {called} is {share:percent} full", called=broker.called),
            subject=broker.subject,
            when=broker.when,
            evidence=_evidence(size, capacity, broker.number("sendThreadPoolQueueHeadWaitTimeMills")),
            explanation=(
                say(
                    "brokerStatus: {size:count} {size:send waits|sends wait} in sendThreadPoolQueue, which takes"
                    " {capacity:count}. Further sends get [OVERLOAD]system busy."
                ),
            ),
            remedy=BUSY,
            weight=share,
        )
