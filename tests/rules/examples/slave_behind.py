from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.broker import Replication, SlaveLink
from tests.rules.examples.broker import example


def _facts(behind: int) -> Facts:
    slave = SlaveLink(address="10.0.0.8:40122", acknowledged_offset=(4 << 30) - behind, behind_bytes=behind)
    return example(replication=Replication(slaves=(slave,), fall_behind_max_bytes=256 << 20))


def fires() -> Facts:
    """Half a GiB is missing."""
    return _facts(512 << 20)


def silent() -> Facts:
    """A MiB is on its way."""
    return _facts(1 << 20)
