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
            Column(say("group"), of="group"),
            Column(say("client"), of="client_version", none="", optional=True),
            Column(say("client id"), of="client_id", none="", wide=True, optional=True),
            Column(say("state"), of="service_state", none="", wide=True, optional=True),
            Column(say("waiting sends"), "count", of="async_queue"),
            Column(say("capacity"), "count", of="async_queue_capacity"),
            Column(say("sends that may begin"), "count", of="backpressure_permits", wide=True, optional=True),
            Column(say("bytes that may be sent"), "bytes", of="backpressure_bytes", wide=True, optional=True),
            Column(
                say("transaction checker"),
                of="transaction_checker",
                flag=say("has one"),
                wide=True,
                optional=True,
            ),
        ),
        rows_of=producers,
        note=say('"waiting sends": asynchronous sends that no thread has begun'),
    )


def _remoting(clients: tuple[RemotingFacts, ...]) -> Table:
    return Table(
        name="remoting",
        caption=say("Requests and connections"),
        columns=(
            Column(say("client"), of="client_id", none=say("not of a client")),
            Column(say("in flight"), "count", of="in_flight"),
            Column(say("overdue"), "count", of="overdue"),
            Column(say("oldest"), "ms", of="oldest_in_flight_ms", none=NO_VALUE),
            Column(say("permits left"), "count", of="async_permits", wide=True),
            Column(say("permits in all"), "count", of="async_permits_max", wide=True),
            Column(say("one-way permits left"), "count", of="oneway_permits", wide=True),
            Column(say("one-way permits in all"), "count", of="oneway_permits_max", wide=True),
            Column(say("channels"), "count", of="channels"),
            Column(say("closed"), "count", of="dead_channels"),
            Column(say("closed, for example"), of="dead_addresses", wide=True, optional=True),
            Column(say("retained"), "bytes", of="retained_bytes", wide=True),
        ),
        rows_of=clients,
        note=say('"in flight": requests without an answer; "overdue": for longer than their timeout'),
    )
