"""Pauses of the whole JVM by the way to the safepoint and the work there."""

from __future__ import annotations

import pytest

from tests.logs.given import facts

JDK_8 = (
    "2026-11-21T20:00:01.508+0800: 871.963: Total time for which application threads were stopped: 37.5596741 seconds,"
    " Stopping threads took: 37.5579624 seconds\n"
    "2026-11-21T20:01:12.697+0800: 943.152: Total time for which application threads were stopped: 0.0021384 seconds,"
    " Stopping threads took: 0.0000384 seconds\n"
)
JDK_17 = (
    '[2026-11-21T20:00:01.508+0800][871.963s][info][safepoint] Safepoint "G1CollectForAllocation", Time since last:'
    " 1200345 ns, Reaching safepoint: 90210 ns, Cleanup: 3210 ns, At safepoint: 1499906580 ns, Total: 1500000000 ns\n"
    '[2026-11-21T20:00:03.508+0800][873.963s][info][safepoint] Safepoint "ICBufferFull", Time since last:'
    " 1200345 ns, Reaching safepoint: 2000000 ns, Cleanup: 0 ns, At safepoint: 500000 ns, Total: 2500000 ns\n"
)


def test_lines_of_jdk_8() -> None:
    (pauses,) = facts(JDK_8).safepoints
    assert (pauses.pauses, pauses.long) == (2, 1)
    assert (pauses.longest_ms, pauses.longest_reaching_ms) == (37559.674, 37557.962)
    assert (pauses.total_ms, pauses.reaching_ms) == (37561.813, 37558.001)
    assert (pauses.longest_operation, pauses.longest_at) == (None, "2026-11-21T20:00:01.508+08:00")


def test_lines_of_jdk_17_name_the_operation() -> None:
    (pauses,) = facts(JDK_17).safepoints
    assert (pauses.pauses, pauses.long, pauses.longest_operation) == (2, 1, "G1CollectForAllocation")
    assert (pauses.longest_ms, pauses.longest_reaching_ms) == (1500.0, 0.09)
    assert pauses.operations == {"G1CollectForAllocation": 1500, "ICBufferFull": 2}


def test_a_line_without_the_way_to_the_safepoint() -> None:
    (pauses,) = facts(
        "1.5: Total time for which application threads were stopped: 0,2500000 seconds\n"
    ).safepoints
    assert (pauses.longest_ms, pauses.reaching_ms, pauses.longest_reaching_ms) == (250.0, None, None)


@pytest.mark.parametrize(
    "text", ["2026-11-21 20:00:01 INFO main - x\n", "1.5: application threads were stopped: soon\n"]
)
def test_nothing_without_such_a_line(text: str) -> None:
    assert facts(f"2026-11-21 20:00:01 INFO main - up\n{text}").safepoints == ()
