"""The table `consumers`."""

from __future__ import annotations

from mqdiag.facts.heap import ConsumerFacts
from mqdiag.graph import Heap
from mqdiag.query.fact_columns import fact_table
from mqdiag.query.table import Table
from mqdiag.redact.report import redact_rows
from mqdiag.rocketmq.view import rocketmq_facts

ABOUT = (
    "Consumers of RocketMQ, those of the gRPC client included, with columns as `consumers` of the JSON report."
)


def table(heap: Heap, hide: bool) -> Table:
    """A row for each consumer."""
    rows = rocketmq_facts(heap).consumers
    about = {
        "config": "settings by their Java names: config['pullBatchSize']",
        "state": "live counters and flags",
    }
    return fact_table(ConsumerFacts, redact_rows(rows) if hide else rows, about)
