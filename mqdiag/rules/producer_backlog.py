"""The application sends messages faster than the brokers answer, and they pile up in the client."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from mqdiag.facts import Facts
from mqdiag.facts.producers import ProducerFacts, RemotingFacts, SendingFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.text import Text, say

OWN = ("CLIENT_INNER_PRODUCER", "_INNER_TRACE_PRODUCER", "TOOLS_")
"""producers that the client makes for itself"""

RULE = Rule(
    name="producer-backlog",
    title="Messages pile up in the client because brokers answer too slowly",
    why=(
        "An asynchronous send keeps its message until the broker answers. When brokers are slow or cannot be reached"
        " and the application goes on sending, messages wait in the sender's queue and in the table of requests. By"
        " default these hold up to 50,000 and 65,535 messages, which fill the heap. Then sends block or fail."
    ),
    causes=("producer-backlog",),
    severities=(Severity.WARNING,),
    remedy=(
        "Look at the brokers first: busy errors, slow writes, the network to them.",
        "Limit the number of sends in progress: wait for callbacks, or send synchronously from a bounded pool.",
        "Since client 5.0.0: set enableBackpressureForAsyncMode=true, with backPressureForAsyncSendNum and"
        " backPressureForAsyncSendSize that fit into the heap.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/3781",
        "https://github.com/apache/rocketmq/issues/6549",
        "https://github.com/apache/rocketmq/issues/7289",
        "DefaultMQProducerImpl.asyncSenderThreadPoolQueue, NettyRemotingAbstract.semaphoreAsync",
    ),
    explained_by=("send-busy", "page-cache-busy", "send-queue-timeout", "send-queue-full", "disk-full"),
    limits={"queue_share": 0.5, "permits_left_share": 0.05, "in_flight": 10_000},
    lies_at="broker",
    in_chain=say("sends pile up in the producers"),
)


def _facts(waiting: int) -> Facts:
    facts = example()
    assert facts.heap is not None
    sending = SendingFacts(
        producers=(
            ProducerFacts(
                group="PID_orders", client_id="10.0.0.7@1", async_queue=waiting, async_queue_capacity=50_000
            ),
        ),
        remoting=(RemotingFacts(client_id="10.0.0.7@1", async_permits=65_500, async_permits_max=65_535),),
        messages=waiting,
        body_bytes=1024 * waiting,
    )
    return msgspec.structs.replace(facts, heap=msgspec.structs.replace(facts.heap, sending=sending))


def fires() -> Facts:
    """40,000 of 50,000 places in the queue of asynchronous sends are taken."""
    return _facts(40_000)


def silent() -> Facts:
    """400 of them are taken."""
    return _facts(400)


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each client instance."""
    heap = facts.heap
    assert heap is not None
    sending = heap.sending
    if sending is None:
        return
    for remoting in sending.remoting:
        producers = [one for one in sending.producers if one.client_id == remoting.client_id]
        signs = [*_of_remoting(remoting, limits)]
        for producer in producers:
            signs += _of_producer(producer, limits)
        if signs and remoting.client_id is not None:
            yield _draft(sending, remoting, producers, signs)


def _of_remoting(remoting: RemotingFacts, limits: Limits) -> Iterator[Text]:
    """Signs of a backlog in the requests of a client instance."""
    left, most = remoting.async_permits, remoting.async_permits_max
    if left is not None and most and left <= limits["permits_left_share"] * most:
        yield say(
            "{async_permits:count} of {async_permits_max:count} permits for asynchronous requests"
            " {async_permits:is|are} left."
        )
    if remoting.in_flight >= limits["in_flight"]:
        if remoting.oldest_in_flight_ms is None:
            yield say("{in_flight:count} {in_flight:request waits|requests wait} for an answer.")
        else:
            yield say(
                "{in_flight:count} {in_flight:request waits|requests wait} for an answer, the oldest for"
                " {oldest_in_flight_ms:ms}."
            )


def _of_producer(producer: ProducerFacts, limits: Limits) -> Iterator[Text]:
    """Signs of a backlog in the sends of a producer."""
    queue, capacity = producer.async_queue, producer.async_queue_capacity
    if queue is not None and capacity and queue >= limits["queue_share"] * capacity:
        yield say(
            "{waiting:count} asynchronous {waiting:send|sends} of group {group} {waiting:waits|wait} in a queue with"
            " {capacity:count} places.",
            group=producer.group,
            waiting=queue,
            capacity=capacity,
        )
    left, most = producer.backpressure_permits, _backpressure(producer)
    if left is not None and most is not None and left <= limits["permits_left_share"] * most:
        yield say(
            "backPressureForAsyncSendNum of group {group} is {most:count}, and {left:count} more {left:send|sends} may"
            " begin. The application's threads wait, which is the purpose of backpressure.",
            group=producer.group,
            most=most,
            left=left,
        )


def _backpressure(producer: ProducerFacts) -> int | None:
    """The setting backPressureForAsyncSendNum where backpressure is on, else None."""
    most = producer.config.get("backPressureForAsyncSendNum")
    on = producer.config.get("enableBackpressureForAsyncMode") is True
    return most if on and isinstance(most, int) else None


def _draft(
    sending: SendingFacts, remoting: RemotingFacts, producers: list[ProducerFacts], signs: list[Text]
) -> Draft:
    groups = sorted({one.group for one in producers if not one.group.startswith(OWN)})
    queued = sum(one.async_queue or 0 for one in producers)
    return Draft(
        severity=Severity.WARNING,
        cause="producer-backlog",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("in one dump, a short burst looks the same as a lasting backlog"),
        title=(
            say(
                "{waiting_sends:count} {waiting_sends:send|sends} of group {group}"
                " {waiting_sends:waits|wait} in the client for a broker's answer"
            )
            if len(groups) == 1
            else say(
                "{waiting_sends:count} {waiting_sends:send waits|sends wait} in the client for a broker's answer"
            )
        ),
        subject=Subject(group=groups[0] if len(groups) == 1 else None),
        evidence={
            "client_id": remoting.client_id,
            "groups": tuple(groups),
            "waiting_sends": max(remoting.in_flight, queued, sending.messages),
            "in_flight": remoting.in_flight,
            "async_permits": remoting.async_permits,
            "async_permits_max": remoting.async_permits_max,
            "async_queue": queued,
            "async_queue_by_producer": _known(one.async_queue for one in producers),
            "async_queue_capacity_by_producer": _known(one.async_queue_capacity for one in producers),
            "backpressure_permits_by_producer": _known(one.backpressure_permits for one in producers),
            "backPressureForAsyncSendNum_by_producer": _known(map(_backpressure, producers)),
            "unsent_messages": sending.messages,
            "unsent_body_bytes": sending.body_bytes,
            "oldest_in_flight_ms": remoting.oldest_in_flight_ms,
        },
        explanation=(
            *signs,
            say(
                "The heap holds {unsent_messages:count} {unsent_messages:message|messages} to be sent, with"
                " {unsent_body_bytes:bytes} of bodies."
            ),
        ),
        remedy=RULE.remedy,
        age_ms=remoting.oldest_in_flight_ms,
    )


def _known(values: Iterable[int | None]) -> tuple[int, ...]:
    return tuple(value for value in values if value is not None)
