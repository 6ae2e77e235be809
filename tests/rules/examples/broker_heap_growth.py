from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.broker import BrokerTable
from tests.rules.examples.broker import example


def _facts(retained: int) -> Facts:
    table = BrokerTable(
        name="PopBufferMergeService.buffer",
        entries=2_000_000,
        retained_bytes=retained,
        issues=("https://github.com/apache/rocketmq/issues/6598",),
    )
    return example(tables=(table,))


def fires() -> Facts:
    """3 of 8 GiB."""
    return _facts(3 << 30)


def silent() -> Facts:
    """30 MiB."""
    return _facts(30 << 20)
