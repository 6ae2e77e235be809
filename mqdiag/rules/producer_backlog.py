"""The application sends messages faster than the brokers answer, and they pile up in the client."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from mqdiag.facts import HeapFacts
from mqdiag.facts.producers import ProducerFacts
from mqdiag.findings import Subject
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.text import Value

RULE = Rule("producer-backlog")


@RULE.ages
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """One finding for each client instance."""
    sending = heap.sending
    if sending is None:
        return
    for remoting in sending.remoting:
        producers = [one for one in sending.producers if one.client_id == remoting.client_id]
        left, most = remoting.async_permits, remoting.async_permits_max
        few_permits = left is not None and bool(most) and left <= limits["permits_left_share"] * (most or 0)
        many_requests = remoting.in_flight >= limits["in_flight"]
        signs = tuple(sign for producer in producers for sign in _signs(producer, limits))
        if remoting.client_id is None or not (few_permits or many_requests or signs):
            continue
        groups = sorted(
            {one.group for one in producers if not one.group.startswith(RULE.names("own_producers"))}
        )
        queued = sum(one.async_queue or 0 for one in producers)
        yield RULE.case(
            "producer-backlog",
            remoting,
            subject=Subject(group=groups[0] if len(groups) == 1 else None),
            evidence={
                "groups": tuple(groups),
                "waiting_sends": max(remoting.in_flight, queued, sending.messages),
                "async_queue": queued,
                "async_queue_by_producer": _known(one.async_queue for one in producers),
                "async_queue_capacity_by_producer": _known(one.async_queue_capacity for one in producers),
                "backpressure_permits_by_producer": _known(one.backpressure_permits for one in producers),
                "backPressureForAsyncSendNum_by_producer": _known(map(_backpressure, producers)),
                "unsent_messages": sending.messages,
                "unsent_body_bytes": sending.body_bytes,
            },
            words={"few_permits": few_permits, "many_requests": many_requests},
            rows={"producers": signs},
            age_ms=remoting.oldest_in_flight_ms,
        )


def _signs(producer: ProducerFacts, limits: Limits) -> Iterator[Mapping[str, Value]]:
    """The numbers of a producer that show a backlog: those of its queue, and those of backpressure."""
    queue, capacity = producer.async_queue, producer.async_queue_capacity
    if queue is not None and capacity and queue >= limits["queue_share"] * capacity:
        yield {"group": producer.group, "waiting": queue, "capacity": capacity}
    left, most = producer.backpressure_permits, _backpressure(producer)
    if left is not None and most is not None and left <= limits["permits_left_share"] * most:
        yield {"group": producer.group, "most": most, "left": left}


def _backpressure(producer: ProducerFacts) -> int | None:
    """The setting backPressureForAsyncSendNum where backpressure is on, else None."""
    most = producer.config.get("backPressureForAsyncSendNum")
    on = producer.config.get("enableBackpressureForAsyncMode") is True
    return most if on and isinstance(most, int) else None


def _known(values: Iterable[int | None]) -> tuple[int, ...]:
    return tuple(value for value in values if value is not None)
