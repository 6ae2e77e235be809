"""Files of other tools are named with the way out, by `mqdiag heap` and by `mqdiag diagnose`."""

from __future__ import annotations

import gzip
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from mqdiag.diagnose.heap import diagnose_heap
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.language import english
from mqdiag.read.foreign_form import foreign_form
from tests.layers import NIGHTLY
from tests.waiting import PATIENCE_S

LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22ead\nsize 12345\n"
PHD = b"\x00\x12portable heap dump" + struct.pack(">II", 6, 4) + bytes(40)
RECORDING = b"FLR\0" + struct.pack(">HHQ", 2, 1, 1000) + bytes(60)
HPROF_TEXT = b"JAVA PROFILE 1.0.1, created Sun Nov 22 13:00:00 2026\n\nHeader for -agentlib:hprof\n"
CLASSIC = b"// Version: J2RE 8.0 IBM J9 2.9 Linux amd64-64\n0x0000 [32] java/lang/String\n"


def elf(kind: int, *, big: bool = False) -> bytes:
    """The first bytes of an ELF file (System V ABI): 2 is a program, 3 a library, 4 a core file."""
    ident = b"\x7fELF" + bytes([2, 2 if big else 1, 1]) + bytes(9)
    return ident + struct.pack(">HHI" if big else "<HHI", kind, 62, 1) + bytes(40)


@pytest.mark.parametrize(
    ("data", "named", "way"),
    [
        (PHD, "portable heap dump", "DTFJ"),
        (CLASSIC, "classic heap dump of OpenJ9", "javacore"),
        (elf(4), "core file", "jhsdb jmap --binaryheap"),
        (elf(4, big=True), "core file", "jhsdb jmap --binaryheap"),
        (b"MDMP" + bytes(60), "minidump", "jhsdb jmap --binaryheap"),
        (LFS, "Git LFS pointer", "git lfs pull"),
        (HPROF_TEXT, "text dump of the hprof agent", "format=b"),
        (b"\x04\x22\x4d\x18" + bytes(60), "lz4", "lz4 -d"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_the_way_out_is_told(data: bytes, named: str, way: str, packed: bool, tmp_path: Path) -> None:
    path = tmp_path / "dump"
    path.write_bytes(gzip.compress(data) if packed else data)
    for report in (diagnose_heap(path).report, diagnose_incident([path]).report):
        (given,) = report.inputs
        assert given.error is not None
        told = english()(given.error)
        assert named in told
        assert way in told


def test_a_recording_is_no_heap_dump(tmp_path: Path) -> None:
    path = tmp_path / "dump"
    path.write_bytes(RECORDING)
    (given,) = diagnose_heap(path).report.inputs
    assert given.error is not None
    told = english()(given.error)
    assert "Flight Recorder" in told
    assert "mqdiag recording FILE" in told
    assert "jcmd PID GC.heap_dump" in told


def test_a_program_is_no_core_file() -> None:
    for kind in (2, 3):
        form = foreign_form(elf(kind))
        assert form is not None
        assert "core" not in english()(form.name)
        assert not form.way_out


@pytest.mark.parametrize("data", [b"", b"JAVA PROFILE 1.0.2\0", b"2026-11-22 13:00:00 INFO started", b"\x7fEL"])
def test_anything_else_is_none_of_them(data: bytes) -> None:
    assert foreign_form(data) is None


@NIGHTLY
@pytest.mark.skipif(not shutil.which("java"), reason="the recording is made by a JVM")
def test_a_recording_of_a_real_jvm_is_named(tmp_path: Path) -> None:
    path = tmp_path / "real.jfr"
    command = ["java", f"-XX:StartFlightRecording=filename={path}", "-version"]
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE_S)
    (given,) = diagnose_heap(path).report.inputs
    assert given.error is not None
    assert "Flight Recorder" in english()(given.error)
