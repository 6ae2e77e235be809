"""Files that are cut, changed or replaced while they are read: one line and exit code 3, and nothing half written."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.layers import CHECK, NIGHTLY
from tests.writers.hprof_records import OBJECT, STICKY_CLASS
from tests.writers.hprof_writer import DumpWriter

WHEN_MAPPED = """
import os, sys
from mqdiag.read import mapping
change, sys.argv = sys.argv[1], ["mqdiag", *sys.argv[2:]]
map_file = mapping.map_file
def changed(descriptor, size_bytes, name):
    mapped = map_file(descriptor, size_bytes, name)
    path = os.readlink(f"/proc/self/fd/{descriptor}")
    if change == "cut":
        os.truncate(path, 4096)
    elif change == "grow":
        open(path, "ab").write(b"more")
    elif change == "write":
        os.utime(path, ns=(0, 0))
    else:
        os.rename(path + ".new", path)
    return mapped
mapping.map_file = changed
from mqdiag.__main__ import start
start()
"""
COMMANDS = (
    ("heap", "DUMP"),
    ("heap", "DUMP", "--quick"),
    ("heap", "DUMP", "--format", "json", "-o", "OUT"),
    ("show", "DUMP", "a.Node"),
    ("redact", "DUMP", "OUT"),
    ("redact", "DUMP", "OUT.gz"),
    ("diagnose", "DUMP"),
    ("diff", "DUMP", "DUMP"),
)


def dump_of_bytes(size: int) -> bytes:
    """A dump of about so many bytes."""
    dump = DumpWriter()
    node = dump.java_class("a/Node", fields={"next": OBJECT})
    made = [dump.instance(node) for _ in range(size // 33)]
    dump.root(STICKY_CLASS, made[0])
    for here, following in itertools.pairwise(made):
        dump.set(here, next=following)
    return dump.to_bytes()


@pytest.fixture(scope="module")
def whole() -> bytes:
    return dump_of_bytes(1 << 20)


def changed(change: str, folder: Path, data: bytes, *words: str) -> subprocess.CompletedProcess[str]:
    """A run of these words over a dump to which something happens when it has just been opened."""
    (folder / "dump.hprof").write_bytes(data)
    (folder / "dump.hprof.new").write_bytes(b"another")
    named = [word.replace("DUMP", "dump.hprof").replace("OUT", "out.hprof") for word in words]
    return subprocess.run(
        [sys.executable, "-c", WHEN_MAPPED, change, *named],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder), "LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=False,
    )


@CHECK
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_cut_ends_with_one_line_and_nothing_half_written(
    words: tuple[str, ...], tmp_path: Path, whole: bytes
) -> None:
    done = changed("cut", tmp_path, whole, *words)
    assert done.returncode == 3
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("mqdiag: dump.hprof (byte ")
    assert "was cut while it was read" in line
    assert sorted(os.listdir(tmp_path)) == ["dump.hprof", "dump.hprof.new"]


ONCE = COMMANDS[4]
"""whose output can be left half written"""


@CHECK
@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param(
            change,
            words,
            marks=[] if words == ONCE else [NIGHTLY],
            id=f"{change} {' '.join(words)}",
        )
        for change in ("grow", "write")
        for words in COMMANDS
    ],
)
def test_what_is_part_old_and_part_new_is_refused(
    words: tuple[str, ...], change: str, tmp_path: Path, whole: bytes
) -> None:
    done = changed(change, tmp_path, whole, *words)
    assert done.returncode == 3
    assert "was changed while it was read" in done.stderr
    written = tmp_path / "out.hprof"
    if "json" in words:  # a program always gets its JSON, in which the dump is refused
        (given,) = json.loads(written.read_text())["inputs"]
        assert "was changed while it was read" in given["error"]
        written.unlink()
    assert sorted(os.listdir(tmp_path)) == ["dump.hprof", "dump.hprof.new"]


@CHECK
def test_a_file_that_is_replaced_is_read_to_its_end(tmp_path: Path, whole: bytes) -> None:
    assert changed("replace", tmp_path, whole, "heap", "DUMP").returncode == 0


@NIGHTLY
@pytest.mark.parametrize("words", COMMANDS[:5], ids=" ".join)
def test_a_cut_is_noticed_by_any_of_several_threads(words: tuple[str, ...], tmp_path: Path) -> None:
    done = changed("cut", tmp_path, dump_of_bytes(100 << 20), *words)
    assert (done.returncode, done.stdout) == (3, "")


@CHECK
def test_a_bus_error_elsewhere_still_ends_the_process(tmp_path: Path, whole: bytes) -> None:
    code = WHEN_MAPPED.replace(
        "    return mapped", "    os.kill(os.getpid(), 7)\n    os.kill(os.getpid(), 7)\n    return mapped"
    )
    (tmp_path / "dump.hprof").write_bytes(whole)
    done = subprocess.run(
        [sys.executable, "-c", code, "write", "heap", "dump.hprof"], cwd=tmp_path, check=False
    )
    assert done.returncode == -7
