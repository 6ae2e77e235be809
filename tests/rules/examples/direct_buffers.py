from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.waste import DirectBuffers, DirectHolder, Waste
from tests.rules.examples.waste import example


def _facts(reserved: int) -> Facts:
    return example(
        Waste(
            direct_buffers=DirectBuffers(
                buffers=900,
                capacity_bytes=reserved,
                unreachable_bytes=0,
                unmanaged_buffers=0,
                unmanaged_bytes=0,
                mapped_buffers=0,
                mapped_bytes=0,
                reserved_bytes=reserved,
                limit_bytes=1_000_000_000,
                holders=(
                    DirectHolder(class_name="com.acme.ImagePool", buffers=880, capacity_bytes=reserved // 2),
                ),
            )
        )
    )


def fires() -> Facts:
    """90 % of the limit is in use."""
    return _facts(900_000_000)


def silent() -> Facts:
    """70 % is in use."""
    return _facts(700_000_000)
