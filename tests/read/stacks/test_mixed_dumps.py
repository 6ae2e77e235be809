"""Lines of two dumps mixed: no stack in them is that of a thread."""

from __future__ import annotations

import gzip
import io
import random
import tarfile
from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.language import english
from mqdiag.read.stacks.body import parse_stack
from mqdiag.read.stacks.reader import read_stacks
from tests.read.stacks.given import real_dump

RUNNABLE = "   java.lang.Thread.State: RUNNABLE\n"
PARKED = """\
	at jdk.internal.misc.Unsafe.park(java.base@17/Native Method)
	- parking to wait for  <@> (a java.lang.Object)
"""
RUN = "\tat java.lang.Thread.run(java.base@17/Thread.java:840)\n"


def dumps(case: str) -> list[list[str]]:
    return [real_dump(case, number=number).splitlines(keepends=True) for number in (1, 2, 3, 4, 5)]


def mixed(one: list[str], other: list[str], lines: int) -> str:
    out: list[str] = []
    for at in range(0, max(len(one), len(other)), lines):
        out += one[at : at + lines] + other[at : at + lines]
    return "".join(out)


@pytest.mark.parametrize("lines", [1, 3, 20])
def test_no_stack_of_mixed_dumps_is_judged(lines: int, tmp_path: Path) -> None:
    for number, (one, other) in enumerate(zip(dumps("apache4-progressing"), dumps("idle"), strict=True)):
        (tmp_path / f"d{number}.txt").write_text(mixed(one, other, lines))
    report = diagnose_incident([tmp_path]).report
    assert report.stacks is None
    assert report.answer.state == "undecided"
    assert all(given.error is not None and given.contradictory for given in report.inputs)
    assert "mixed" in english()(report.inputs[0].error)  # type: ignore[arg-type]


def test_whole_dumps_beside_mixed_ones_are_judged(tmp_path: Path) -> None:
    one, other = dumps("apache4-stuck"), dumps("idle")
    for number, dump in enumerate(one):
        (tmp_path / f"d{number}.txt").write_text("".join(dump))
    (tmp_path / "mixed.txt").write_text(mixed(one[0], other[0], 3))
    report = diagnose_incident([tmp_path]).report
    assert "stuck-socket-read" in {found.rule for found in report.findings}
    assert [given.path for given in report.inputs if given.error is not None] == [str(tmp_path / "mixed.txt")]


def test_a_mixed_dump_behind_a_damaged_one_of_an_archive_is_told(tmp_path: Path) -> None:
    one, other = dumps("apache4-stuck"), dumps("idle")
    # more than one piece of it comes before the damage
    whole = "".join(one[1]) + random.Random(1).randbytes(4 << 20).hex("\n", 32)
    damaged = bytearray(gzip.compress(whole.encode(), 1, mtime=0))
    damaged[-(1 << 20) :] = bytes(255 - byte for byte in damaged[-(1 << 20) :])
    packed = tmp_path / "all.tar"
    with tarfile.open(packed, "w") as made:
        for name, content in (("a.gz", bytes(damaged)), ("b", mixed(one[2], other[2], 3).encode())):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            made.addfile(entry, io.BytesIO(content))
    result = read_stacks(str(packed))
    assert result.ended_by is not None
    assert result.mixed is not None


@pytest.mark.parametrize(
    "body",
    [
        RUNNABLE + "\tat com.x.A.a(A.java:1)\n" + PARKED + RUN,
        RUNNABLE + RUN + PARKED + RUN,
        RUNNABLE + "\tat com.x.A.a(A.java:1)\n" + RUNNABLE + RUN,
        RUNNABLE + "\tat com.x.A.a(A.java:1)\n\tat java.lang.Thread.sleep(Native Method)\n" + RUN,
    ],
    ids=["lock line below the top frame", "frames below the last one", "second state", "frame above a leaf"],
)
def test_a_line_where_no_jvm_prints_it_is_told(body: str) -> None:
    assert parse_stack(body).misplaced


@pytest.mark.parametrize(
    "body",
    [
        RUNNABLE + PARKED + RUN,
        # a thread that is given to a pool as a task, and a class that calls what it extends
        RUNNABLE
        + "\tat com.x.A.a(A.java:1)\n"
        + RUN
        + "\tat java.util.concurrent.FutureTask.run(F.java:1)\n"
        + RUN,
        RUNNABLE + PARKED + RUN + "\tat com.x.Own.run(Own.java:1)\n",
        # the header of the second thread is missing
        RUNNABLE + PARKED + RUN + RUNNABLE + "\tat com.x.A.a(A.java:1)\n",
        RUNNABLE + "\tat java.net.SocketTimeoutException.<init>(S.java:1)\n"
        "\tat java.net.SocketInputStream.socketRead0(Native Method)\n" + RUN,
        PARKED,
    ],
    ids=["whole", "thread as a task", "run of a thread's own", "lost header", "exception", "cut"],
)
def test_stacks_of_one_thread_have_no_such_line(body: str) -> None:
    assert not parse_stack(body).misplaced
