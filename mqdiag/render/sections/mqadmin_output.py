"""What mqadmin or a console printed, in tables by what they are about: groups and clients, brokers, topics."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.admin import AdminFacts
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import AnyPart, Section
from mqdiag.render.sections.mqadmin_brokers import broker_parts
from mqdiag.render.sections.mqadmin_groups import client_parts, group_parts
from mqdiag.render.tables import Tables
from mqdiag.text import say

TABLES = Tables("mqadmin_output")


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


def topic_parts(admin: AdminFacts) -> Iterator[AnyPart]:
    """One table for each command."""
    if admin.topic_rates:
        yield TABLES.table("topic-rates", admin.topic_rates)
    if admin.topic_queues:
        yield TABLES.table("topic-queues", admin.topic_queues)
    if admin.routes:
        yield TABLES.table("topic-routes", admin.routes)
