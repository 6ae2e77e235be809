"""A put lock whose holder changes, in series of real brokers: those who spin before it make no progress."""

from __future__ import annotations

import pytest

from mqdiag.findings import Severity
from mqdiag.language import english
from tests.threads.real_series import CASES, diagnosis_of


def states(case: str) -> set[str]:
    stacks = diagnosis_of(CASES / case / "series.tar.gz").report.stacks
    assert stacks is not None
    return {thread.state for thread in stacks.threads if thread.name.startswith("SendMessageThread_")}


@pytest.mark.parametrize("case", ["broker-put-lock-held-4.3.2", "broker-put-lock-held-4.9.7"])
def test_all_are_blocked_while_the_next_file_is_not_made(case: str) -> None:
    assert states(case) <= {"blocked", "stuck"}
    first = diagnosis_of(CASES / case / "series.tar.gz").report.findings[0]
    assert (first.rule, first.cause, first.severity) == (
        "broker-send-blocked",
        "page-cache-busy",
        Severity.ERROR,
    )
    assert "thread AllocateMappedFileService" in english()(first.remedy[0])


@pytest.mark.parametrize("case", ["broker-spinning-4.3.2", "broker-flush-quick-4.3.2", "broker-healthy-5.3.3"])
def test_a_busy_broker_with_a_sound_disk_is_not(case: str) -> None:
    assert not states(case) & {"blocked", "stuck"}
