"""What sends in the JVM of a heap dump: producers, requests without an answer, connections."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.producers import RequestFutures, SendingFacts
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import AnyPart, Fold, Pairs, Section
from mqdiag.render.tables import Tables
from mqdiag.text import Text, Value, say

TABLES = Tables("sending")


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
            say("{messages:count}, {body_bytes:bytes} of bodies", sending),
        )
    ]
    if sending.request_futures is not None:
        rows.append((say("requests without a reply"), _futures(sending.request_futures)))
    yield Pairs(rows)
    if sending.producers:
        yield TABLES.table("producers", sending.producers)
        for producer in sending.producers:
            if producer.config:
                summary = say("All settings of producer {group} {object_id}", producer)
                yield Fold(summary, (Pairs(sorted(producer.config.items())),), wide=True)
    if sending.remoting:
        yield TABLES.table("remoting", sending.remoting)


def _futures(futures: RequestFutures) -> Text:
    if not futures.pending:
        return say("none")
    return say(
        "{pending:count}, {overdue:count} of them overdue; the oldest has waited for {oldest_ms:ms},"
        " {retained_bytes:bytes} retained",
        futures,
    )
