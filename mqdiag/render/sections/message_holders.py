"""Messages that something outside RocketMQ keeps."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.heap import MessageHolder
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import Fold, Path, Section, Several
from mqdiag.render.tables import Tables
from mqdiag.text import Text, say

TABLES = Tables("message_holders")


def message_holders_section(report: Report, view: View) -> Iterator[Section]:
    """The fields that hold them, and the references that keep those alive."""
    if report.heap is None or not report.heap.message_holders:
        return
    holders = report.heap.message_holders
    table = TABLES.table("holders", holders, named=_name)
    folds = [
        Fold(say("References from a GC root to {holder}", holder=_name(one)), (Path(one.path),))
        for one in holders
        if one.path
    ]
    paths = Several(
        parts=folds,
        shown=(3, 100),
        rest=lambda hidden: say("and {hidden:count} more {hidden:path|paths}", hidden=hidden),
    )
    yield Section(name="holders", title=say("Messages held outside RocketMQ"), parts=(table, paths))


def _name(holder: MessageHolder) -> Text:
    return say("{class_name}.{field}", class_name=holder.holder_class, field=holder.holder_field)
