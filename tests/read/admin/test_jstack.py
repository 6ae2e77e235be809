"""The threads in a client's file of `consumerStatus -s`, as UtilAll.jstack prints them."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.read.admin.jstack import as_thread_dump

LONG = "ConsumeMessageThread_CID_with_a_very_long_name_1"


def block(name: str, number: int, *frames: str) -> str:
    lines = [f"{name:<40}TID: {number} STATE: WAITING", *(f"{name:<40}{frame}" for frame in frames)]
    return "\n".join(lines) + "\n\n"


CLIENT = (
    "#Consumer Properties#\nconsumerGroup      : CID_stock\n\n\n#Consumer jstack#\n"
    + block(
        "ConsumeMessageThread_CID_stock_1", 33, "java.lang.Object.wait(Native Method)", "com.acme.A.b(A.java:3)"
    )
    + block(LONG, 34, "com.acme.C.d(C.java:4)")
    + block("two words", 35, "com.acme.E.f(E.java:5)")
)


def test_threads_of_the_form() -> None:
    text = "".join(as_thread_dump(CLIENT.splitlines(keepends=True)))
    assert text.startswith("Full thread dump ")
    assert f'"{LONG}" - Thread t@34\n   java.lang.Thread.State: WAITING\n\tat com.acme.C.d(C.java:4)\n' in text
    assert '"two words" - Thread t@35' in text
    assert text.count("\tat ") == 4


@pytest.mark.parametrize(
    "text", ["", "#Consumer jstack#\n", "main   TID: 1 STATE: RUNNABLE\n", "#Consumer jstack#\nx\n"]
)
def test_nothing_where_there_are_none(text: str) -> None:
    assert "".join(as_thread_dump(text.splitlines(keepends=True))) == ""


def test_they_are_threads_of_the_client(tmp_path: Path) -> None:
    (tmp_path / "127.0.0.1@10982#15086452180225").write_text(CLIENT)
    report = diagnose_incident([tmp_path]).report
    assert report.stacks is not None
    assert {thread.name for thread in report.stacks.threads} == {
        "ConsumeMessageThread_CID_stock_1", LONG, "two words",
    }  # fmt: skip
    assert report.process is not None
    assert report.process.pid == 10982
    assert report.admin is not None
    assert report.admin.clients[0].group == "CID_stock"
