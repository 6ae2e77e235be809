"""Names of threads with line ends: a thread dump prints them as they are, and any line may stand in one."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident

SERIES = Path(__file__).parents[2] / "fixtures" / "stacks" / "idle" / "series.tar.gz"
NAME = '"Common-Cleaner"'
LINES = {
    "crash": (
        "#\n# A fatal error has been detected by the Java Runtime Environment:\n#\n"
        "#  SIGSEGV (0xb) at pc=0x00007f11c23ed3a0, pid=216, tid=217\n#\n"
        "# Problematic frame:\n# V  [libjvm.so+0xc393a0]  Node::uncast() const+0x0\n#"
    ),
    "pod": "    Last State:     Terminated\n      Reason:       OOMKilled\nContainers:",
    "log": (
        "2026-11-21 20:00:00,123 INFO RocketmqClient - ok\n"
        "2026-11-21 20:00:00,123 ERROR RocketmqClient - java.io.IOException: No space left on device\n"
        "2026-11-21 20:00:00,124 INFO RocketmqClient - ok"
    ),
    "collections": "\n".join(
        f"[2026-11-21T20:00:{at:02d}.000+0000][{at}.000s][info][gc] GC({at}) Pause Full (G1) 50M->50M(50M) 900.0ms"
        for at in range(20)
    ),
}


@pytest.mark.parametrize("lines", LINES.values(), ids=LINES)
def test_no_line_in_a_name_is_evidence(lines: str, tmp_path: Path) -> None:
    with tarfile.open(SERIES) as series:
        content = series.extractfile(series.getmembers()[0])
        assert content is not None
        text = content.read().decode()
    assert NAME in text
    reports = []
    for name in (NAME, f'"x\n{lines}\n"'):
        (tmp_path / "j1.log").write_text(text.replace(NAME, name, 1))
        reports.append(diagnose_incident([tmp_path]).report)
    usual, report = reports
    # of a very long name nobody knows where it ends, and the report says so
    told = {one.rule for one in report.findings} - {"input-incomplete"}
    assert told <= {one.rule for one in usual.findings}
