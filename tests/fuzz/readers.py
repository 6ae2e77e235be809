"""The readers of text as functions of bytes, for the fuzzer and for the tests of what it has found.

A reader may refuse its input by an `InputError`, and nothing else. `diagnose` goes from the file to the report in text
and JSON, and reads the JSON back.
"""

from __future__ import annotations

import contextlib
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from mqdiag.config import Settings
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.diagnose.sort.kind import EvidenceKind, all_kinds
from mqdiag.diagnose.sort.piece import Piece
from mqdiag.progress import Silent
from mqdiag.read.sniff import HEAD_BYTES
from mqdiag.render import View, renderer

OF_TEXT = ("admin", "crash", "log", "report", "stacks", "stores")
"""kinds of evidence that are text"""
LONGEST_CPU_S = 5.0
"""for an input of at most 64 KiB"""


class TooSlowError(Exception):
    """An input took longer than its size can be worth."""


def readers() -> dict[str, Callable[[Path], None]]:
    """Each reader by name; the function takes the file, which is shorter than 64 KiB."""
    kinds = {kind.name: kind for kind in all_kinds()}
    made: dict[str, Callable[[Path], None]] = {name: _reader(kinds[name]) for name in OF_TEXT}
    made["diagnose"] = _diagnose
    return made


@contextlib.contextmanager
def file_of(data: bytes) -> Iterator[Path]:
    """A file with these bytes, in memory where the system has such a folder."""
    folder = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.NamedTemporaryFile(dir=folder, prefix="mqdiag-fuzz-", suffix=".log") as file:
        file.write(data)
        file.flush()
        yield Path(file.name)


def in_time(read: Callable[[Path], None], path: Path) -> None:
    """Run a reader.

    Raises:
        TooSlowError: it took more than `LONGEST_CPU_S`.
    """
    begun = time.process_time()
    read(path)
    took = time.process_time() - begun
    if took > LONGEST_CPU_S:
        raise TooSlowError(f"{took:.1f} s of CPU time")


def _reader(kind: EvidenceKind) -> Callable[[Path], None]:
    def read(path: Path) -> None:
        data = path.read_bytes()
        piece = Piece(name=path.name, path=str(path), size_bytes=len(data), head=data[:HEAD_BYTES])
        kind.recognise(piece)
        found = kind.read([piece], Settings(), Silent())
        for crash in found.crashes:
            raise crash

    return read


def _diagnose(path: Path) -> None:
    diagnosis = diagnose_incident([path])
    for crash in diagnosis.crashes:
        raise crash
    assert not diagnosis.report.failed
    view = View(detail="full", all_threads=True)
    renderer("text")(diagnosis.report, view)
    json.loads(renderer("json")(diagnosis.report, view))


def main(names: Sequence[str]) -> None:
    """Run one reader on files: `python -m tests.fuzz.readers READER FILE...`."""
    read = readers()[names[0]]
    for name in names[1:]:
        in_time(read, Path(name))


if __name__ == "__main__":
    main(sys.argv[1:])
