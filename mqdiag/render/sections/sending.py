"""What sends in the JVM of a heap dump: producers, requests without an answer, connections."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.producers import ProducerFacts, RemotingFacts, RequestFutures, SendingFacts
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import NO_VALUE, AnyPart, Column, Fold, Pairs, Section, Table
from mqdiag.text import Text, Value, say


def sending_section(report: Report, view: View) -> Iterator[Section]:
    """Nothing where nothing sends."""
    sending = None if report.heap is None else report.heap.sending
    if sending is None or not (sending.producers or sending.remoting):
        return
    yield Section(name="sending", title=say("Sending"), parts=[*_parts(sending)])


def _parts(sending: SendingFacts) -> Iterator[AnyPart]:
    rows: list[tuple[Text, Value]] = [
        (
            say("messages to send"),
            say(
                "{messages:count}, {body_bytes:bytes} of bodies",
                messages=sending.messages,
                body_bytes=sending.body_bytes,
            ),
        )
    ]
    if sending.request_futures is not None:
        rows.append((say("requests without a reply"), _futures(sending.request_futures)))
    yield Pairs(rows)
    if sending.producers:
        yield _producers(sending.producers)
        for producer in sending.producers:
            if producer.config:
                summary = say(
                    "All settings of producer {group} {object_id}",
                    group=producer.group,
                    object_id=producer.object_id,
                )
                yield Fold(summary, (Pairs(sorted(producer.config.items())),), wide=True)
    if sending.remoting:
        yield _remoting(sending.remoting)


def _futures(futures: RequestFutures) -> Text:
    if not futures.pending:
        return say("none")
    return say(
        "{pending:count}, {overdue:count} of them overdue; the oldest has waited for {oldest_ms:ms},"
        " {retained_bytes:bytes} retained",
        pending=futures.pending,
        overdue=futures.overdue,
        oldest_ms=futures.oldest_ms,
        retained_bytes=futures.retained_bytes,
    )


def _producers(producers: tuple[ProducerFacts, ...]) -> Table:
    return Table(
        name="producers",
        caption=say("Producers"),
        columns=(
            Column(say("group")),
            Column(say("client"), optional=True),
            Column(say("client id"), wide=True, optional=True),
            Column(say("state"), wide=True, optional=True),
            Column(say("waiting sends"), "count"),
            Column(say("capacity"), "count"),
            Column(say("sends that may begin"), "count", wide=True, optional=True),
            Column(say("bytes that may be sent"), "bytes", wide=True, optional=True),
            Column(say("transaction checker"), wide=True, optional=True),
        ),
        rows=[
            (
                one.group,
                one.client_version or "",
                one.client_id or "",
                one.service_state or "",
                one.async_queue,
                one.async_queue_capacity,
                one.backpressure_permits,
                one.backpressure_bytes,
                say("has one") if one.transaction_checker else "",
            )
            for one in producers
        ],
        note=say('"waiting sends": asynchronous sends that no thread has begun'),
    )


def _remoting(clients: tuple[RemotingFacts, ...]) -> Table:
    return Table(
        name="remoting",
        caption=say("Requests and connections"),
        columns=(
            Column(say("client")),
            Column(say("in flight"), "count"),
            Column(say("overdue"), "count"),
            Column(say("oldest"), "ms"),
            Column(say("permits left"), "count", wide=True),
            Column(say("permits in all"), "count", wide=True),
            Column(say("one-way permits left"), "count", wide=True),
            Column(say("one-way permits in all"), "count", wide=True),
            Column(say("channels"), "count"),
            Column(say("closed"), "count"),
            Column(say("closed, for example"), wide=True, optional=True),
            Column(say("retained"), "bytes", wide=True),
        ),
        rows=[
            (
                one.client_id or say("not of a client"),
                one.in_flight,
                one.overdue,
                NO_VALUE if one.oldest_in_flight_ms is None else one.oldest_in_flight_ms,
                one.async_permits,
                one.async_permits_max,
                one.oneway_permits,
                one.oneway_permits_max,
                one.channels,
                one.dead_channels,
                one.dead_addresses,
                one.retained_bytes,
            )
            for one in clients
        ],
        note=say('"in flight": requests without an answer; "overdue": for longer than their timeout'),
    )
