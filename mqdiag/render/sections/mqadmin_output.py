"""What mqadmin or a console printed, in tables by what they are about: groups and clients, brokers, topics."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import Section
from mqdiag.render.sections.mqadmin_brokers import broker_parts
from mqdiag.render.sections.mqadmin_groups import client_parts, group_parts
from mqdiag.render.sections.mqadmin_topics import topic_parts
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
