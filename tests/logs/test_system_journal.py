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


ASKED = "java invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0"
CHOSEN = "oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,task=java,pid=4711,uid=0"


def log(time: str, *told: str) -> str:
    lines = [f"{time.format(minute)} host1 consumer[4711]: INFO order {minute} done" for minute in range(50)]
    lines.insert(25, f"{time.format(24)} host1 systemd[1]: Started Session 4 of User app.")
    lines[26:26] = [one if one.startswith("  ") else f"{time.format(25)} host1 {one}" for one in told]
    return "\n".join(lines) + "\n"


def confidence(text: str, folder: Path) -> Confidence | None:
    (folder / "messages").write_text(text)
    findings = diagnose_logs([folder / "messages"]).report.findings
    return next((one.confidence for one in findings if one.cause == "oom-killer"), None)


def is_believed(text: str, folder: Path) -> bool:
    return confidence(text, folder) is Confidence.HIGH


def test_a_report_of_the_kernel_is_believed(tmp_path: Path) -> None:
    for time in TIMES:
        for program in ("kernel: ", "kernel: [ 1234.567890] "):
            for other in (ASKED, CHOSEN, "Mem-Info:"):
                assert is_believed(log(time, program + other, program + KILLED), tmp_path), (time, program)


def test_one_line_of_the_kernel_is_not_sure(tmp_path: Path) -> None:
    """Any program may give itself its name, such as by `logger -t kernel`, and no number of a process."""
    for time in TIMES:
        for told in (KILLED, ASKED, CHOSEN):
            for others in ((), (f"consumer[4711]: {ASKED}", "consumer[4711]: kernel: Mem-Info:")):
                text = log(time, *others, f"kernel: {told}")
                assert confidence(text, tmp_path) is Confidence.MEDIUM, (time, told)


def test_a_short_log_of_a_machine_is_no_surer(tmp_path: Path) -> None:
    time = "Nov 20 10:00:00 host1"
    text = f"{time} cron[812]: job done\n{time} kernel: {KILLED}\n"
    assert confidence(text, tmp_path) is Confidence.MEDIUM
    # the kernel alone writes kern.log
    assert is_believed(f"{time} kernel: {KILLED}\n", tmp_path)


def test_what_a_device_or_a_program_is_called_is_not_the_kernels(tmp_path: Path) -> None:
    stamps = (
        "[12345.678901] ",
        "Nov 20 10:00:00 host1 kernel: ",
        "Nov 20 10:00:00 host1 kernel: [ 1234.567890] ",
        "",
    )
    for stamp in stamps:
        for who in (
            "usb 1-1: Product: ",
            "usb 1-1: SerialNumber: ",
            "input: ",
            "java[12]: ",
            "java[12]: kernel: ",
        ):
            for told in (KILLED, KILLED.removeprefix("Out of memory: "), ASKED, CHOSEN):
                assert confidence(f"{stamp}{who}{told}\n", tmp_path) is None, (stamp, who, told)
    assert confidence(f"Nov 20 10:00:00 host1 kernel[99]: {KILLED}\n", tmp_path) is None


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
