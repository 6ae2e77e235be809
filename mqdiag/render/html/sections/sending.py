"""What sends in this JVM: producers, requests on the way, connections."""

from __future__ import annotations

from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.html.page.cells import age_cell, count_cell, size_cell, table
from mqdiag.render.html.page.parts import AnyPart, Pairs, Section
from mqdiag.render.wording.sizes import number, size
from mqdiag.text import say


def sending_section(report: Report, view: View) -> Section | None:
    """Nothing when nothing sends."""
    sending = None if report.heap is None else report.heap.sending
    if sending is None or not (sending.producers or sending.remoting):
        return None
    parts: list[AnyPart] = [
        Pairs([(say("messages to be sent"), f"{number(sending.messages)}, {size(sending.body_bytes)}")])
    ]
    if sending.producers:
        rows = [
            (
                one.group,
                one.client_version or "",
                count_cell(one.async_queue),
                count_cell(one.async_queue_capacity),
            )
            for one in sending.producers
        ]
        parts.append(table("producers", "Producers", ("group", "client", "#waiting sends", "#room for"), rows))
    if sending.remoting:
        links = [
            (
                one.client_id or "?",
                count_cell(one.in_flight),
                count_cell(one.overdue),
                age_cell(one.oldest_in_flight_ms),
                count_cell(one.async_permits),
                count_cell(one.channels),
                count_cell(one.dead_channels),
                size_cell(one.retained_bytes),
            )
            for one in sending.remoting
        ]
        heads = (
            "client",
            "#in flight",
            "#overdue",
            "#oldest",
            "#permits left",
            "#channels",
            "#closed",
            "#retained",
        )
        parts.append(table("remoting", "Requests and connections", heads, links))
    return Section(name="sending", title=say("Sending"), parts=parts)
