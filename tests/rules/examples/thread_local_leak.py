from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.waste import ThreadLocals, ThreadLocalsOf, Waste
from tests.rules.examples.waste import example


def _facts(retained: int) -> Facts:
    return example(
        Waste(
            thread_locals=ThreadLocals(
                entries=210,
                retained_bytes=retained,
                stale_entries=0,
                stale_bytes=0,
                threads=(
                    ThreadLocalsOf(
                        thread="ConsumeMessageThread_CID_wash_1",
                        object_id="0x7f",
                        entries=3,
                        retained_bytes=retained // 20,
                        largest_class="com.acme.ReportBuffer",
                    ),
                ),
                values=("com.acme.ReportBuffer: 90,000,000 bytes in 20",),
            )
        )
    )


def fires() -> Facts:
    """Buffers of worker threads hold a quarter of the heap."""
    return _facts(100_000_000)


def silent() -> Facts:
    """They hold a twentieth."""
    return _facts(20_000_000)
