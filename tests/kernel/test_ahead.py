"""Kernels that are compiled in several processes before a command begins."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mqdiag.kernel import ahead
from mqdiag.kernel.ahead import LIST
from mqdiag.kernel.definition import spelled, type_code, type_spelled
from tests.kernel import sample_kernels as sample
from tests.kernel.called import lines
from tests.layers import CHECK
from tests.waiting import PATIENCE_S, wait_until

ROOT = Path(__file__).parents[2]
SCRIPT = """
import sys
from mqdiag.kernel import ahead, folder
from mqdiag.progress import Silent

SAMPLE = "tests.kernel.sample_kernels."
rows = {
    "is_even": ("<u8",),
    "divide": ("<i8", "<i8"),
    "first_number": ("|u1 1 Cra",),
    "allocates": ("<i8 1 Cwa",),  # is refused
}
wanted = sys.argv[1].split(",")
ahead.listed = lambda: tuple(ahead.Listed(frozenset({"heap"}), SAMPLE + name, rows[name]) for name in wanted)
ahead.compile_ahead(Silent(), "heap")
print(folder.is_ready(["heap"]), "numba" in sys.modules)
"""
PLANTED = 'raise SystemExit("a module of the evidence was imported")'


def start(folder: Path, *names: str) -> subprocess.Popen[str]:
    """Compile sample kernels into a folder, from a folder with modules that nobody should import."""
    evidence = folder / "evidence"
    evidence.mkdir()
    for module in ("json", "numba", "importlib"):
        (evidence / f"{module}.py").write_text(PLANTED)
    script = folder / "compile.py"
    script.write_text(SCRIPT)
    return subprocess.Popen(
        [sys.executable, "-P", script, ",".join(names)],
        env={"PATH": os.environ["PATH"], "MQDIAG_KERNELS": str(folder / "kernels"), "PYTHONPATH": str(ROOT)},
        cwd=evidence,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def kept(folder: Path) -> set[str]:
    return {path.name.split("-")[0].rpartition(".")[2] for path in (folder / "kernels").rglob("*.o")}


@CHECK
def test_the_list_has_what_the_commands_call() -> None:
    listed, called = set(LIST.read_text().splitlines()), set(lines())
    assert listed == called, "python -m tests.kernel.called writes the list again"


@CHECK
def test_kernels_are_kept_without_a_compiler_in_this_process(tmp_path: Path) -> None:
    out, errors = start(tmp_path, "is_even", "divide", "first_number").communicate(timeout=PATIENCE_S)
    assert (out, errors) == ("True False\n", "")
    assert kept(tmp_path) == {"is_even", "divide", "first_number"}


@CHECK
def test_a_kernel_that_cannot_be_compiled_keeps_no_other_back(tmp_path: Path) -> None:
    out, errors = start(tmp_path, "allocates", "is_even").communicate(timeout=PATIENCE_S)
    assert (out, errors) == ("False False\n", "")
    assert kept(tmp_path) == {"is_even"}


def test_where_no_process_can_be_started_nothing_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then a kernel is compiled when it is called first."""
    monkeypatch.setattr(sys, "executable", "/dev/null")
    assert not ahead._compile([ahead.listed()[0]])


@CHECK
def test_an_interrupt_ends_the_compilers_too(tmp_path: Path) -> None:
    process = start(tmp_path, "is_even", "divide")
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    most = min(2, len(os.sched_getaffinity(0)))
    wait_until(lambda: len(children.read_text().split()) >= most, "a compiler for each core")
    compilers = children.read_text().split()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert "KeyboardInterrupt" in errors
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in compilers), "the end of the compilers")


def test_a_type_is_read_back_from_its_text() -> None:
    pair = sample.Pair(np.array([7, 8], np.int32), np.array([1, 1], np.int32))
    table = np.zeros((2, 3), np.uint8)[:, ::2]
    for value in (1, True, 2.5, np.uint16(4), table, pair, sample.Nested(pair, 4)):
        assert type_spelled(spelled(type_code(value))) == type_code(value)
