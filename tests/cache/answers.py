"""Questions to a dump, with and without the cache."""

from __future__ import annotations

import gzip
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from mqdiag.config import Settings
from mqdiag.diagnose.heap import diagnose_heap
from mqdiag.diagnose.secrets import secrets_in_heap
from mqdiag.diagnose.show import show_in_heap
from mqdiag.findings import Report
from mqdiag.graph import open_heap
from mqdiag.query.session import Session
from mqdiag.report_json import to_values
from mqdiag.text import Text

HEAPS = Path(__file__).parents[2] / "fixtures" / "heap"
QUERIES = (
    "SELECT * FROM classes",
    "SELECT count(*), hash(string_agg(objects::VARCHAR ORDER BY id)) FROM objects",
    "SELECT count(*), sum(hash(refs)) FROM refs",
    "SELECT * FROM roots",
    "SELECT count(*), sum(hash(strings)) FROM strings",
)


@dataclass
class Notes:
    """Progress that keeps what is worth a line."""

    phases: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def phase(self, name: Text) -> None:
        self.phases.append(str(name.template))

    def advance(self, share: float) -> None:
        pass

    def note(self, text: Text) -> None:
        self.notes.append(text.template.format_map({k: str(v) for k, v in text.values.items()}))

    @property
    def walked(self) -> bool:
        """Whether the objects of the dump were read."""
        return "walking objects" in self.phases


def plain(name: str, folder: Path) -> str:
    """A committed dump, unpacked."""
    path = folder / "dump.hprof"
    with gzip.open(HEAPS / name / "dump.hprof.gz") as packed, path.open("wb") as file:
        shutil.copyfileobj(packed, file)
    return str(path)


def _json(report: Report) -> str:
    return msgspec.json.encode(to_values(report)).decode()


def heap_answer(path: str, cache_bytes: int | None, progress: Notes) -> str:
    """The report of `mqdiag heap`."""
    return _json(diagnose_heap(path, Settings(cache_bytes=cache_bytes), progress=progress).report)


def show_answer(path: str, what: str, cache_bytes: int | None, progress: Notes) -> str:
    """The report of `mqdiag show`."""
    return _json(show_in_heap(path, what, cache_bytes=cache_bytes, progress=progress))


def secrets_answer(path: str, cache_bytes: int | None, progress: Notes) -> str:
    """The report of `mqdiag secrets`."""
    return _json(secrets_in_heap(path, cache_bytes=cache_bytes, progress=progress))


def query_answer(path: str, cache_bytes: int | None, progress: Notes, *queries: str) -> str:
    """The rows of `mqdiag query`."""
    heap = open_heap(path, cache_bytes=cache_bytes, progress=progress)
    with Session(heap) as session:
        rows = [list(session.ask(sql).rows()) for sql in queries]
    heap.finish()
    return msgspec.json.encode(rows).decode()


def all_answers(path: str, what: str, cache_bytes: int | None) -> tuple[list[str], Notes]:
    """One answer of each kind, and what was told meanwhile."""
    notes = Notes()
    found = [query_answer(path, cache_bytes, notes, *QUERIES)]
    found += [heap_answer(path, cache_bytes, notes), show_answer(path, what, cache_bytes, notes)]
    found.append(secrets_answer(path, cache_bytes, notes))
    return found, notes
