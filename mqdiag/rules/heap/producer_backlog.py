"""Messages are sent faster than the brokers answer, and pile up in the client."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from mqdiag.facts import Facts
from mqdiag.facts.producers import ProducerFacts, RemotingFacts, SendingFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import without_graph
from mqdiag.text import say

OWN = ("CLIENT_INNER_PRODUCER", "_INNER_TRACE_PRODUCER", "TOOLS_")
"""producers that the client makes for itself"""


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
    """400 are."""
    return _facts(400)


@rule(
    name="producer-backlog",
    title="Messages pile up in the client because they are sent faster than brokers answer",
    why=(
        "An asynchronous send keeps its message until the broker answers. When brokers are slow or out of reach and"
        " the application goes on sending, messages wait in the sender's queue and in the table of requests, up to"
        " 50,000 and 65,535 of them by default, and fill the heap; then sends block or fail."
    ),
    causes=("producer-backlog",),
    severities=(Severity.WARNING,),
    remedy=(
        "Look at the brokers first: busy errors, slow writes, the network between.",
        "Bound what is sent at once: wait for callbacks, or send synchronously from a bounded pool.",
        "From client 5.0.0 on set enableBackpressureForAsyncMode=true with backPressureForAsyncSendNum and"
        " backPressureForAsyncSendSize below what the heap bears.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/3781",
        "https://github.com/apache/rocketmq/issues/6549",
        "https://github.com/apache/rocketmq/issues/7289",
        "DefaultMQProducerImpl.asyncSenderThreadPoolQueue, NettyRemotingAbstract.semaphoreAsync",
    ),
    needs=("heap",),
    explained_by=("send-busy", "page-cache-busy", "send-queue-timeout", "send-queue-full", "disk-full"),
    limits={"queue_share": 0.5, "permits_left_share": 0.05, "in_flight": 10_000},
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each client instance."""
    heap = facts.heap
    assert heap is not None
    skip = without_graph(heap)
    if skip is not None:
        yield skip
        return
    sending = heap.sending
    if sending is None:
        return
    for remoting in sending.remoting:
        producers = [one for one in sending.producers if one.client_id == remoting.client_id]
        said = [*_of_remoting(remoting, limits)]
        for producer in producers:
            said += _of_producer(producer, limits)
        if said and remoting.client_id is not None:
            yield _draft(sending, remoting, producers, said)


def _of_remoting(remoting: RemotingFacts, limits: Limits) -> Iterator[str]:
    left, most = remoting.async_permits, remoting.async_permits_max
    if left is not None and most and left <= limits["permits_left_share"] * most:
        yield say(
            "Of {most:count} permits for asynchronous requests {left:count} are left.", most=most, left=left
        )
    if remoting.in_flight >= limits["in_flight"]:
        age = remoting.oldest_in_flight_ms
        oldest = "" if age is None else say(", the oldest for {age:ms}", age=age)
        yield say(
            "{in_flight:count} requests wait for an answer{oldest}.",
            in_flight=remoting.in_flight,
            oldest=oldest,
        )


def _of_producer(producer: ProducerFacts, limits: Limits) -> Iterator[str]:
    queue, room = producer.async_queue, producer.async_queue_capacity
    if queue is not None and room and queue >= limits["queue_share"] * room:
        yield say(
            "Group {group}: {queue:count} asynchronous sends wait in a queue for {room:count}.",
            group=producer.group,
            queue=queue,
            room=room,
        )
    left, most = producer.backpressure_permits, producer.config.get("backPressureForAsyncSendNum")
    on = producer.config.get("enableBackpressureForAsyncMode") is True
    if on and left is not None and isinstance(most, int) and left <= limits["permits_left_share"] * most:
        yield (
            say(
                (
                    "Group {group}: of backPressureForAsyncSendNum={most:count} sends {left:count} may begin;"
                    " the application's threads wait, as backpressure is meant to do."
                ),
                group=producer.group,
                most=most,
                left=left,
            )
        )


def _draft(
    sending: SendingFacts, remoting: RemotingFacts, producers: list[ProducerFacts], said: list[str]
) -> Draft:
    groups = sorted({one.group for one in producers if not one.group.startswith(OWN)})
    queued = sum(one.async_queue or 0 for one in producers)
    waiting = max(remoting.in_flight, queued, sending.messages)
    named = say(" of group {groups}", groups=groups[0]) if len(groups) == 1 else ""
    return Draft(
        severity=Severity.WARNING,
        cause="producer-backlog",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("one dump does not tell a short burst from a lasting backlog"),
        title=say(
            "{sends}{named} wait in the client for an answer of a broker",
            sends=say("{number:count} {number:send|sends}", number=waiting),
            named=named,
        ),
        subject=Subject(group=groups[0] if len(groups) == 1 else None),
        evidence={
            "client_id": remoting.client_id,
            "groups": tuple(groups),
            "in_flight": remoting.in_flight,
            "async_permits": remoting.async_permits,
            "async_queue": queued,
            "unsent_messages": sending.messages,
            "unsent_body_bytes": sending.body_bytes,
            "oldest_in_flight_ms": remoting.oldest_in_flight_ms,
        },
        explanation=(
            *said,
            say(
                "{messages:count} messages to be sent are in the heap, with {body_bytes:bytes} of bodies.",
                messages=sending.messages,
                body_bytes=sending.body_bytes,
            ),
        ),
        remedy=check.card.remedy,
    )
