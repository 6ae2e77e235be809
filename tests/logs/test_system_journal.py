"""What the kernel says in the log of a whole machine counts beside the lines of applications."""

from __future__ import annotations

import json
from pathlib import Path

from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.findings import Confidence

KILLED = "Out of memory: Killed process 4711 (java) total-vm:8000000kB, anon-rss:4000000kB, file-rss:0kB"
TIMES = (
    "Nov 20 10:{:02d}:00",
    "Nov 20 10:{:02d}:00.123456",
    "2026 Nov 20 10:{:02d}:00",
    "11月 20 10:{:02d}:00",
    "2026-11-20T10:{:02d}:00+0000",
    "2026-11-20T10:{:02d}:00.123456+00:00",
    "Fri 2026-11-20 10:{:02d}:00 UTC",
    "[12345.{:02d}3456]",
    "17935848{:02d}.123456",
)
"""of rsyslog, and of journalctl's outputs short to short-unix"""


def log(time: str, told: str) -> str:
    lines = [f"{time.format(minute)} host1 consumer[4711]: INFO order {minute} done" for minute in range(50)]
    lines.insert(25, f"{time.format(24)} host1 systemd[1]: Started Session 4 of User app.")
    lines.insert(26, told if told.startswith("  ") else f"{time.format(25)} host1 {told}")
    return "\n".join(lines) + "\n"


def is_believed(text: str, folder: Path) -> bool:
    (folder / "messages").write_text(text)
    findings = diagnose_logs([folder / "messages"]).report.findings
    return any(one.cause == "oom-killer" and one.confidence is Confidence.HIGH for one in findings)


def test_the_kernel_is_believed(tmp_path: Path) -> None:
    for time in TIMES:
        for program in ("kernel: ", "kernel: [ 1234.567890] "):
            assert is_believed(log(time, program + KILLED), tmp_path), (time, program)


def test_a_program_that_repeats_the_kernel_is_not(tmp_path: Path) -> None:
    for time in TIMES:
        for told in (
            f"consumer[4711]: {KILLED}",
            f"consumer[4711]: kernel: {KILLED}",
            f"kernel[99]: {KILLED}",
            f"    kernel: {KILLED}",
        ):
            assert not is_believed(log(time, told), tmp_path), (time, told)


def test_a_line_like_the_kernels_in_the_log_of_one_program_is_not(tmp_path: Path) -> None:
    time = "2026-11-20 10:{:02d}:00.123"
    lines = [f"{time.format(minute)}  INFO 1 --- [main] c.e.Orders : {minute} done\n" for minute in range(50)]
    lines.insert(25, f"Nov 20 10:25:00 host1 kernel: {KILLED}\n")
    assert not is_believed("".join(lines), tmp_path)


def record(program: str, told: str, transport: str = "stdout") -> str:
    fields = {
        "_TRANSPORT": transport,
        "PRIORITY": "6",
        "SYSLOG_IDENTIFIER": program,
        "_PID": "812",
        "MESSAGE": told,
    }
    return json.dumps(fields) + "\n"


def test_the_journal_in_json(tmp_path: Path) -> None:
    usual = "".join(record("shop", f"order {number} done") for number in range(60))
    assert is_believed(usual + record("kernel", KILLED, "kernel"), tmp_path)
    assert not is_believed(usual + record("shop", KILLED), tmp_path)
    assert not is_believed(usual + record("kernel", KILLED), tmp_path)
