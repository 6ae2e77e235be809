"""What redaction knows of a dump before it looks for names: records, classes, and where reading stopped."""

from __future__ import annotations

from dataclasses import dataclass

from mqdiag.read.hprof.classes import ClassRecords, LoadedClasses
from mqdiag.read.hprof.header import Header
from mqdiag.read.hprof.names import Names
from mqdiag.read.hprof.records import Records
from mqdiag.read.hprof.walk import Segment
from mqdiag.read.source import Source


@dataclass(slots=True)
class Outline:
    """The dump but for its objects."""

    source: Source
    header: Header
    records: Records
    names: Names
    loaded: LoadedClasses
    classes: ClassRecords
    segments: list[Segment]
    further_dumps: int
    stopped_at: int | None = None
    problem: str | None = None
