"""Threads of an application that have the name of a consume thread, in recordings."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.findings import Severity
from mqdiag.recordings import constants

FIXTURES = Path(__file__).parents[2] / "fixtures"
NAME = "ConsumeMessageThread_CID_x_1"


@pytest.mark.parametrize("of", ["main", "event-writer"])
def test_a_recorded_thread_that_consumes_nothing(
    of: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "recording.jfr"
    path.write_bytes(lzma.decompress((FIXTURES / "recordings/idle-jdk17/recording.jfr.xz").read_bytes()))
    thread = constants.Constants.thread
    renamed = []

    def named(self: constants.Constants, key: int) -> constants.ThreadKey:
        found = thread(self, key)
        if found.name != of:
            return found
        renamed.append(found)
        return found._replace(name=NAME)

    monkeypatch.setattr(constants.Constants, "thread", named)
    report = diagnose_incident([path]).report
    assert renamed
    assert [found.rule for found in report.findings if found.severity is not Severity.INFO] == []
    assert report.answer is not None
    assert report.answer.state == "healthy"
