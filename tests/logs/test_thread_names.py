"""The name of a thread may hold a text that a user chose: it tells of no fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.findings import Report

HEAP = "java.lang.OutOfMemoryError: Java heap space"
LAYOUTS = {
    "logback": "{time}.123 [{thread}] {level} c.e.shop.Tickets - {text}",
    "Spring Boot": "{time}.123 {level} 1 --- [{thread}] c.e.shop.Tickets : {text}",
    "Spring Boot with values": "{time}.123 {level} [app,{thread}] 1 --- [main] c.e.shop.Tickets : {text}",
    "log4j": "{time},123 {level} [{thread}] c.e.shop.Tickets - {text}",
    "no logger": "{time} {level} [{thread}] {text}",
    "the thread first": "[{thread}] {time} {level} c.e.shop.Tickets - {text}",
    "bars": "{time} {level} | {thread} | c.e.shop.Tickets | {text}",
    "servers": "{time} {level} {thread} - {text}",
    "clients": "{time}.123 {level}  [1234] [{thread}] [c.e.s.Tickets#y:1] - {text}",
}


def report(folder: Path, layout: str, records: int, **told: str) -> Report:
    """Of a log with one record at ERROR among others."""
    words = [f"{word} done" for word in ("order", "payment", "stock", "basket", "delivery")]
    lines = [
        layout.format(time=f"2026-11-21 20:00:{at:02}", level="INFO", thread="nio-1", text=words[at % 5])
        for at in range(records)
    ]
    own = {"level": "ERROR", "thread": "nio-1", "text": "cannot reserve", **told}
    lines[records // 2] = layout.format(time=f"2026-11-21 20:00:{records // 2:02}", **own)
    (folder / "some.log").write_text("\n".join(lines) + "\n")
    return diagnose_logs([folder / "some.log"]).report


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_name_of_a_thread_tells_nothing(tmp_path: Path, layout: str) -> None:
    for name in (HEAP, f"order {HEAP}", f"Caused by: {HEAP}", "java.net.BindException: Address already in use"):
        for records in (12, 50):
            got = report(tmp_path, LAYOUTS[layout], records, thread=name)
            assert not got.findings, name
            assert got.answer.state == "undecided"
            assert got.inputs[0].quoted == 1


@pytest.mark.parametrize("layout", LAYOUTS)
def test_its_message_does(tmp_path: Path, layout: str) -> None:
    for text in (HEAP, f"cannot reserve: {HEAP}", f"[{HEAP}]", f"[order 17] {HEAP}"):
        found = report(tmp_path, LAYOUTS[layout], 12, text=text).findings
        assert [one.cause for one in found] == ["out-of-memory"], text
