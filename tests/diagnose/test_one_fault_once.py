"""A fault that a series shows twice is told once, by each command."""

from __future__ import annotations

from pathlib import Path

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.diagnose.stacks import diagnose_stacks

SERIES = Path(__file__).parents[2] / "fixtures" / "stacks" / "jdk8-deadlock" / "series.tar.gz"


def test_two_locks_before_which_threads_of_one_pool_wait_are_one_finding() -> None:
    """Four threads wait for each thread of a deadlock: the finding names both holders."""
    alone, together = (diagnose([SERIES]).report for diagnose in (diagnose_stacks, diagnose_incident))
    assert alone.stacks is not None
    holders = {still.holder for still in alone.stacks.standstills if still.kind == "lock"}
    assert len(holders) == 2
    for report in (alone, together):
        (found,) = (one for one in report.findings if one.rule == "lock-convoy")
        told = repr(found.explanation)
        assert all(holder is not None and holder in told for holder in holders)
    assert [one.fingerprint for one in alone.findings] == [one.fingerprint for one in together.findings]
