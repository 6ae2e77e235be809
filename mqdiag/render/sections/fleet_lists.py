"""Lists of a fleet's report: how a name is written, and what stands below a list that is cut."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.render.parts import AnyPart, Paragraph, Table
from mqdiag.text import Value, say


def name_in(environment: str, name: str) -> Value:
    """The name of a service, host or group, with its environment if it has one."""
    return say("{environment}/{name}", environment=environment, name=name) if environment else name


def listed(table: Table, total: int) -> Iterator[AnyPart]:
    """A table if it has any rows; the report lists the first ones only, the tables of the run have all."""
    if not table.rows:
        return
    yield table
    hidden = total - len(table.rows)
    if hidden > 0:
        yield Paragraph(say("The run's tables have {hidden:count} more.", hidden=hidden), soft=True)
