"""The table `consumers`."""

from __future__ import annotations

from mqdiag.facts.heap import ConsumerFacts
from mqdiag.graph import Heap
from mqdiag.query.fact_columns import fact_table
from mqdiag.query.table import Table
from mqdiag.redact.report import redact_rows
from mqdiag.rocketmq.view import rocketmq_facts


def table(heap: Heap, hide: bool) -> Table:
    """A row for each consumer."""
    rows = rocketmq_facts(heap).consumers
    return fact_table(ConsumerFacts, redact_rows(rows) if hide else rows)
