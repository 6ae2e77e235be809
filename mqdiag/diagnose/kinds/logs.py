"""Logs of clients, brokers, applications and collectors, and excerpts of them without times."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from mqdiag.config import Settings
from mqdiag.diagnose.logs import NamedLog, read_logs
from mqdiag.diagnose.read_heaps import is_histogram
from mqdiag.diagnose.sort.kind import Collected, EvidenceKind
from mqdiag.diagnose.sort.piece import Piece
from mqdiag.logs.reader import LogsReader
from mqdiag.logs.statements import searched
from mqdiag.logs.untold import MOST_BYTES
from mqdiag.progress import Progress
from mqdiag.read.crash.recognise import begins_as_crash_report
from mqdiag.read.logs.container_status import has_row_of_trouble, has_status_lines, is_container_status
from mqdiag.read.logs.heads import known_heads
from mqdiag.read.logs.listings import without_rows
from mqdiag.read.logs.prose import is_prose
from mqdiag.read.logs.recognise import is_log
from mqdiag.read.open.squeezed import unpacked_head
from mqdiag.read.sniff import Content
from mqdiag.read.stacks.cpu_times import is_cpu_times
from mqdiag.read.stacks.reader import MARKS, is_of_a_tool

LEAST_SHARE = 0.5
"""share of the lines of a text with a dump in it that are records with a level"""
LEAST_LITERAL = 14
"""bytes of a text that no prose has by accident"""
_DATA = (".json", ".xml", ".yaml", ".yml")
_HEAP = ".hprof"
_PAGES = (".md", ".html", ".htm")
"""files that write about log lines; one that the user names is taken for a saved post"""
DOCUMENTS = (*_DATA, *_PAGES)
"""ends of names of texts that are logs only where a line in them is one"""


def _recognise(piece: Piece) -> bool:
    told = _as_container_status(piece)
    if told is not None:
        return told
    if (
        not piece.given
        and piece.name.lower().endswith(_DATA)
        and piece.inner_head.count(b"\n{") < 1
        and not piece.is_mostly_records
    ):
        return False  # a document, and neither a log nor records of JSON one below the other
    return piece.is_text and (
        is_log(piece.inner_head, piece.name) or _has_wrapped_records(piece) or is_excerpt(piece)
    )


def _as_container_status(piece: Piece) -> bool | None:
    """Whether the description of a container, or lines of one, are read; None of other texts."""
    if not piece.is_text:
        return None
    is_whole = is_container_status(piece.text)
    if not is_whole and (not has_status_lines(piece.text) or _is_page_of_prose(piece)):
        return None
    if piece.holds(MARKS):
        return None
    is_read = piece.given or piece.size_bytes > len(piece.head) or not is_whole
    return is_read or has_row_of_trouble(piece.text) or _tells_an_end(piece)


def _is_page_of_prose(piece: Piece) -> bool:
    is_page = not piece.given and piece.name.lower().endswith(_PAGES)
    return is_page and is_prose(piece.name, piece.inner_head)


def _tells_an_end(piece: Piece) -> bool:
    """Whether the description of a container says that something ended it; one that is well is no log."""
    return bool(LogsReader().read(piece.name, iter([piece.inner_head])).tally.events)


def _has_wrapped_records(piece: Piece) -> bool:
    """Whether its lines are records of a logger around the texts that are left of them where one holds a dump."""
    lines = unpacked_head(piece.head)
    return piece.holds(MARKS) and (known_heads(lines)[0] or 0) >= LEAST_SHARE


def is_excerpt(piece: Piece) -> bool:
    """Whether text has a message of RocketMQ, of which time, level and thread were cut off."""
    name = piece.name.lower().removesuffix(".gz")
    if (
        name.endswith(_DATA if piece.given else DOCUMENTS)
        or piece.holds(MARKS)
        or begins_as_crash_report(piece.text)  # it has names of threads and texts of exceptions
    ):
        return False
    head = piece.inner_head
    if is_histogram(head) or is_cpu_times(piece.text):  # names of classes and threads are no messages
        head = without_rows(head)
    elif is_of_a_tool(head):
        return False
    return any(literal in head for literal in _telling_literals())


@cache
def _telling_literals() -> tuple[bytes, ...]:
    rows = searched()
    return tuple(
        literal
        for literal, event in zip(rows.literals, rows.event_of, strict=True)
        # what is harmless stands in other evidence too, such as the version of Java
        if len(literal) >= LEAST_LITERAL and not rows.events[event].why
    )


def _read(pieces: Sequence[Piece], settings: Settings, progress: Progress) -> Collected:
    named = [
        NamedLog(
            path=piece.path,
            name=piece.name,
            is_document=not piece.given and is_prose(piece.name, piece.inner_head),
        )
        for piece in pieces
    ]
    evidence = read_logs(named, settings, utc_offset_minutes=settings.utc_offset_minutes, progress=progress)
    return Collected(inputs=evidence.inputs, shared=dict(evidence.by_field()))


def _takes_rest(piece: Piece) -> bool:
    """Whether it is a log behind its beginning, or a short text that the user named.

    The lines of such a text are quoted, and decide nothing. A text that is named as a heap dump is a mistake of
    whoever stored it, such as the page of a login.
    """
    if _HEAP in piece.name.lower():
        return False
    is_page = piece.name.lower().endswith(DOCUMENTS)
    is_long = piece.packed or piece.size_bytes > len(piece.head)
    if piece.content is Content.TEXT and is_long and not is_page and piece.goes_on_as_log:
        return True
    is_document = is_page or piece.content is Content.JSON
    if is_document and not any(literal in piece.inner_head for literal in searched().literals):
        return False  # such as notes, or settings
    return piece.given and piece.content in (Content.TEXT, Content.JSON) and piece.size_bytes <= MOST_BYTES


KIND = EvidenceKind(name="log", recognise=_recognise, takes_rest=_takes_rest, read=_read)
