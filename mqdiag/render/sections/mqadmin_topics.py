"""Topics as mqadmin has them: their queues, their routes, their traffic."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.admin import AdminFacts
from mqdiag.render.parts import AnyPart, Column, Table
from mqdiag.text import say

_ROWS = (30, 2000)


def topic_parts(admin: AdminFacts) -> Iterator[AnyPart]:
    """One table for each command."""
    if admin.topic_rates:
        yield Table(
            name="topic-rates",
            caption=say("Traffic (statsAll)"),
            columns=(
                Column(say("topic")),
                Column(say("group")),
                Column(say("messages behind"), "count"),
                Column(say("in"), "rate"),
                Column(say("out"), "rate"),
                Column(say("in, 24 hours"), "count", wide=True),
                Column(say("out, 24 hours"), "count", wide=True),
                Column(say("file"), whole=True, wide=True),
            ),
            rows=[
                (
                    one.topic,
                    one.group or say("none"),
                    one.accumulation,
                    one.in_tps,
                    one.out_tps,
                    one.in_24_hours,
                    one.out_24_hours,
                    one.source,
                )
                for one in admin.topic_rates
            ],
            shown=_ROWS,
        )
    if admin.topic_queues:
        yield Table(
            name="topic-queues",
            caption=say("Queues (topicStatus)"),
            columns=(
                Column(say("topic")),
                Column(say("broker")),
                Column(say("queue"), number=True),
                Column(say("first offset"), number=True),
                Column(say("end"), number=True),
                Column(say("last message"), "time"),
                Column(say("file"), whole=True, wide=True),
            ),
            rows=[
                (
                    one.topic,
                    one.broker,
                    one.queue_id,
                    one.min_offset,
                    one.max_offset,
                    one.last_updated,
                    one.source,
                )
                for one in admin.topic_queues
            ],
            shown=_ROWS,
        )
    if admin.routes:
        yield Table(
            name="topic-routes",
            caption=say("Routes (topicRoute)"),
            columns=(
                Column(say("topic")),
                Column(say("broker")),
                Column(say("addresses")),
                Column(say("read queues"), "count"),
                Column(say("write queues"), "count"),
                Column(say("permission"), number=True),
                Column(say("cluster"), wide=True, optional=True),
                Column(say("file"), whole=True, wide=True),
            ),
            rows=[
                (
                    one.topic,
                    one.broker,
                    one.addresses,
                    one.read_queues,
                    one.write_queues,
                    one.permission,
                    one.cluster or "",
                    one.source,
                )
                for one in admin.routes
            ],
            shown=_ROWS,
            note=say('"permission": 2 write, 4 read, 6 both'),
        )
