"""What mqadmin or a console printed, in tables by what they are about: groups and clients, brokers, topics."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.admin import AdminFacts
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import AnyPart, Column, Section, Table
from mqdiag.render.sections.mqadmin_brokers import broker_parts
from mqdiag.render.sections.mqadmin_groups import client_parts, group_parts
from mqdiag.text import say


def mqadmin_sections(report: Report, view: View) -> Iterator[Section]:
    """Nothing of what was not asked for."""
    admin = report.admin
    if admin is None:
        return
    for name, title, parts in (
        ("mqadmin-groups", say("Groups, by mqadmin"), [*group_parts(admin)]),
        ("mqadmin-clients", say("Clients, by mqadmin"), [*client_parts(admin)]),
        ("mqadmin-brokers", say("Brokers, by mqadmin"), [*broker_parts(admin)]),
        ("mqadmin-topics", say("Topics, by mqadmin"), [*topic_parts(admin)]),
    ):
        if parts:
            yield Section(name=name, title=title, parts=parts)


_ROWS = (30, 2000)


def topic_parts(admin: AdminFacts) -> Iterator[AnyPart]:
    """One table for each command."""
    if admin.topic_rates:
        yield Table(
            name="topic-rates",
            caption=say("Traffic (statsAll)"),
            columns=(
                Column(say("topic"), of="topic"),
                Column(say("group"), of="group", none=say("none")),
                Column(say("messages behind"), "count", of="accumulation"),
                Column(say("in"), "rate", of="in_tps"),
                Column(say("out"), "rate", of="out_tps"),
                Column(say("in, 24 hours"), "count", of="in_24_hours", wide=True),
                Column(say("out, 24 hours"), "count", of="out_24_hours", wide=True),
                Column(say("file"), of="source", whole=True, wide=True),
            ),
            rows_of=admin.topic_rates,
            shown=_ROWS,
        )
    if admin.topic_queues:
        yield Table(
            name="topic-queues",
            caption=say("Queues (topicStatus)"),
            columns=(
                Column(say("topic"), of="topic"),
                Column(say("broker"), of="broker"),
                Column(say("queue"), of="queue_id", number=True),
                Column(say("first offset"), of="min_offset", number=True),
                Column(say("end"), of="max_offset", number=True),
                Column(say("last message"), "time", of="last_updated"),
                Column(say("file"), of="source", whole=True, wide=True),
            ),
            rows_of=admin.topic_queues,
            shown=_ROWS,
        )
    if admin.routes:
        yield Table(
            name="topic-routes",
            caption=say("Routes (topicRoute)"),
            columns=(
                Column(say("topic"), of="topic"),
                Column(say("broker"), of="broker"),
                Column(say("addresses"), of="addresses"),
                Column(say("read queues"), "count", of="read_queues"),
                Column(say("write queues"), "count", of="write_queues"),
                Column(say("permission"), of="permission", number=True),
                Column(say("cluster"), of="cluster", none="", wide=True, optional=True),
                Column(say("file"), of="source", whole=True, wide=True),
            ),
            rows_of=admin.routes,
            shown=_ROWS,
            note=say('"permission": 2 write, 4 read, 6 both'),
        )
