"""Series of real JVMs under `fixtures/stacks`, with the truth that their listeners told."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from mqdiag.diagnose.judge import Diagnosis
from mqdiag.diagnose.stacks import diagnose_stacks

CASES = Path(__file__).parents[2] / "fixtures" / "stacks"
STANDS = frozenset({"stuck", "blocked"})
SAME_CALL = "same call"
"""a thread that hangs or is slow, and nothing tells which"""


def packed_series() -> list[Path]:
    """Every archive of every case: the same moment in several forms."""
    return sorted(path for path in CASES.glob("*/*.tar.gz") if (path.parent / "truth.json").exists())


@cache
def truth_of(case: Path) -> dict[str, Any]:
    """A case's truth."""
    loaded: dict[str, Any] = json.loads((case / "truth.json").read_text())
    return loaded


@cache
def diagnosis_of(path: Path) -> Diagnosis:
    """What mqdiag says, worked out once for all tests."""
    return diagnose_stacks([path])


def _truth(told: dict[str, Any]) -> str:
    """A thread's truth; work that began while the first sample was taken stands since then if it never ended."""
    seen = told["message_at_each_sample"]
    if told["messages_begun"] == 0 and seen[0] is None and seen[1] is not None and len(set(seen[1:])) == 1:
        return "blocked"
    truth: str = told["truth"]
    return truth


def is_without_cpu_times(path: Path) -> bool:
    """Whether a series is of JDK 8 alone: only objects, locks and pools can decide."""
    return path.parent.name.startswith("jdk8-") and path.name == "series.tar.gz"


def confusion(path: Path) -> Counter[tuple[str, str]]:
    """(truth, decision) of each consume thread; names repeat, so ids decide."""
    stacks = diagnosis_of(path).report.stacks
    assert stacks is not None
    by_id = {thread.java_id: thread for thread in stacks.threads}
    counts: Counter[tuple[str, str]] = Counter()
    for told in truth_of(path.parent)["threads"]:
        thread = by_id.get(told["java_id"])
        # a plain jstack does not list virtual threads; what is not in a dump cannot be judged
        if thread is not None:
            said = SAME_CALL if thread.same_call is not None else thread.state
            counts[(_truth(told), said)] += 1
    return counts
