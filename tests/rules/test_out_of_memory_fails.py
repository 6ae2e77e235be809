"""A dump of a JVM that ran out of memory never ends with exit code 0, whatever the rules find in it."""

from __future__ import annotations

import msgspec
import pytest

from mqdiag.config import Settings
from mqdiag.diagnose.judge import judge
from mqdiag.facts.heap import HeapThread, Suspect
from mqdiag.fail_on import FailOn
from mqdiag.rules import heap_held_by_application
from tests.rules.checks import heap_of, with_heap

MIB = 1 << 20
FIELD = heap_of(heap_held_by_application.fires()).suspects[0]
EVEN = {"even": True, "entries": 60, "entry_classes": ("com.acme.Bean: 60",), "largest_entry_share": 0.02}
SOFT = {"entries": 9, "entry_classes": ("java.lang.ref.SoftReference: 9",), "largest_entry_share": 0.2}


@pytest.mark.parametrize("share", [0.95, 0.5, 0.31, 0.29, 0.01])
@pytest.mark.parametrize("how", [{}, EVEN, SOFT, {"owner": "rocketmq"}, {"owner": "jdk"}], ids=repr)
@pytest.mark.parametrize("reachable", [30 * MIB, 900 * MIB])
def test_the_run_fails(share: float, how: dict[str, object], reachable: int) -> None:
    suspect: Suspect = msgspec.structs.replace(FIELD, retained_bytes=int(share * reachable), share=share, **how)
    frames = (
        "java.lang.OutOfMemoryError.<init>(OutOfMemoryError.java:48)",
        "com.acme.Import.run(Import.java:9)",
    )
    thread = HeapThread(name="main", role="other", hit_out_of_memory=True, frames=frames)
    facts = with_heap(
        heap_held_by_application.fires(),
        suspects=(suspect,),
        shallow_bytes=reachable,
        heap_bytes=reachable + 4 * MIB,
        threads=(thread,),
        out_of_memory=True,
    )
    assert FailOn().fails(judge(facts, Settings()).report)
