"""Files that were given to the command for one kind of evidence: others read them where they hold something else too.

People give a paste to the command that they know.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING

from mqdiag.diagnose.sort.piece import CRASH_HEADS, STANDARD_INPUT, Piece
from mqdiag.errors import TAKES_ANY, InputError
from mqdiag.read.admin.recognise import is_admin_output
from mqdiag.read.collapsed import is_collapsed
from mqdiag.read.crash.recognise import is_crash_report
from mqdiag.read.named_lines import has_several
from mqdiag.read.open.door import first_of
from mqdiag.read.parts import MAX_BYTES, parts_of
from mqdiag.read.paste import decoded
from mqdiag.read.sniff import HEAD_BYTES, Content, content_of, packing_of
from mqdiag.read.stacks.reader import MARKS, ReadResult, is_of_a_tool
from mqdiag.text import say

if TYPE_CHECKING:
    from mqdiag.config import Settings
    from mqdiag.diagnose.judge import Diagnosis
    from mqdiag.progress import Progress


def diagnose_routed_stacks(paths: Sequence[str], settings: Settings, progress: Progress) -> Diagnosis:
    """As `diagnose_stacks`, or as `diagnose_incident` where a file holds something else too.

    Args:
        paths: files, each with one thread dump or many; "-" is standard input.
        settings: expectations and thresholds.
        progress: who listens.
    """
    # what cannot be read twice is left to all readers before it is read
    is_searched = not all(map(_is_regular, paths))
    if _needs_all_readers(paths, "stacks") or (is_searched and any(map(_has_crash_head, paths))):
        return _by_all_readers(paths, settings, progress)
    # Here, not above: a run imports the readers that it needs.
    from mqdiag.diagnose.stacks import diagnose_results, read_paths

    results = read_paths(paths, settings, progress)
    if any(_may_have_crash_head(result) and _has_crash_head(path) for path, result in results):
        results.clear()
        return _by_all_readers(paths, settings, progress)
    return diagnose_results(results, settings, progress)


def diagnose_routed_logs(paths: Sequence[str], settings: Settings, progress: Progress) -> Diagnosis:
    """As `diagnose_logs`, or as `diagnose_incident` where a file holds something else too.

    Args:
        paths: files, plain or packed; "-" is standard input.
        settings: expectations, thresholds, and the zone of logs that do not tell theirs.
        progress: who listens.
    """
    if _needs_all_readers(paths, "log"):
        return _by_all_readers(paths, settings, progress)
    from mqdiag.diagnose.logs import diagnose_logs

    return diagnose_logs(paths, settings, utc_offset_minutes=settings.utc_offset_minutes, progress=progress)


def diagnose_routed_recordings(paths: Sequence[str], settings: Settings, progress: Progress) -> Diagnosis:
    """As `diagnose_incident`, where one of the files at least may be what the command is for.

    Args:
        paths: recordings, collapsed stacks, and what is joined with them.
        settings: expectations and thresholds.
        progress: who listens.

    Raises:
        InputError: all of them are other evidence.
    """
    if not any(map(_may_be_recording, paths)):
        raise InputError(
            paths[0],
            say("holds neither a flight recording nor collapsed stacks"),
            hint=say(
                "take one with jcmd PID JFR.dump filename=/path/recording.jfr; {or_else}", or_else=TAKES_ANY
            ),
        )
    return _by_all_readers(paths, settings, progress)


def _may_be_recording(path: str) -> bool:
    """Whether the first bytes do not tell that it is another kind of evidence."""
    if not _is_regular(path):
        return True
    piece = _piece_of(path)
    if piece.content in (Content.TEXT, Content.JSON):
        return is_collapsed(piece.text)
    return piece.content is not Content.HEAP_DUMP


def needs_sorting(path: str, own: str) -> bool:
    """Whether `mqdiag diagnose` reads a file better than the reader of one kind.

    Of a large file of thread dumps only the beginning is searched for heads of crash reports: its reader notices those
    that come later.

    Args:
        path: a file; "-" is standard input, of which only the first bytes are looked at.
        own: name of the kind of evidence that the file was given as.
    """
    piece = _piece_of(path)
    head, size = piece.head, piece.size_bytes
    if packing_of(head) is not None:
        return _needs_sorting_unpacked(piece, own)
    if not head or not piece.is_text:
        return False
    if has_several(path, head):
        return True
    # answers of mqadmin and crash reports have no command of their own
    if piece.has_admin_output or is_crash_report(piece.text):
        return True
    if (own == "log" or size <= len(head)) and piece.holds(CRASH_HEADS):
        return True
    # the beginning tells of most logs that they are logs: only others are searched to their end
    if own == "log" and not _is_log(head, path) and (piece.holds(MARKS) or is_of_a_tool(head)):
        return True
    if own == "log" and _is_document(piece):
        return True
    if piece.content is not Content.TEXT or size > MAX_BYTES:
        return False
    if size > len(head):
        return bool(parts_of(decoded(Path(path).read_bytes())))
    return bool(parts_of(piece.text, has_answers=False))


def _is_document(piece: Piece) -> bool:
    """Whether it is a page or data without a line of a log, as `mqdiag diagnose` says of it."""
    # Here, not above: thread dumps are read without the patterns of logs.
    from mqdiag.diagnose.kinds import logs

    return piece.name.lower().endswith(logs.DOCUMENTS) and not (
        logs.KIND.recognise(piece) or logs.KIND.takes_rest(piece)
    )


def _may_have_crash_head(result: ReadResult | InputError) -> bool:
    """Whether the reader of thread dumps met the head of a crash report, or did not see the whole file."""
    return isinstance(result, InputError) or result.has_crash_head or result.ended_by is not None


def _has_crash_head(path: str) -> bool:
    if not _is_regular(path):
        return False
    piece = _piece_of(path)
    return bool(piece.head) and not piece.packed and piece.is_text and piece.holds(CRASH_HEADS)


def _is_regular(path: str) -> bool:
    return path != STANDARD_INPUT and Path(path).is_file()


def _needs_sorting_unpacked(piece: Piece, own: str) -> bool:
    """As `needs_sorting`, by the first bytes of the first file in what is packed."""
    name, head = piece.path, piece.inner_head
    if piece.path != STANDARD_INPUT:
        name, head = first_of(piece.path, HEAD_BYTES)
    elif packing_of(head) is not None:
        return False  # an archive that comes through a pipe
    if content_of(head) not in (Content.TEXT, Content.JSON):
        return False
    if has_several(piece.path, head):
        return True
    text = decoded(head)
    if is_admin_output(text) or is_crash_report(text):
        return True
    return own == "log" and any(mark in head for mark in MARKS) and not _is_log(head, name)


def _is_log(head: bytes, path: str) -> bool:
    # Here, not above: thread dumps are read without the patterns of logs.
    from mqdiag.read.logs.recognise import is_log

    return is_log(head, path)


def _needs_all_readers(paths: Sequence[str], own: str) -> bool:
    return any(needs_sorting(path, own) for path in paths)


def _by_all_readers(paths: Sequence[str], settings: Settings, progress: Progress) -> Diagnosis:
    from mqdiag.diagnose.incident import diagnose_incident

    return diagnose_incident(paths, settings, progress=progress)


def _piece_of(path: str) -> Piece:
    head, size = _beginning(path)
    return Piece(name=path, path=path, size_bytes=size, head=head, given=True)


def _beginning(path: str) -> tuple[bytes, int]:
    """First bytes of a file and its size; nothing of what cannot be read, which its reader tells."""
    if path == STANDARD_INPUT:
        stream = None if sys.stdin is None else sys.stdin.buffer
        head = stream.peek(HEAD_BYTES)[:HEAD_BYTES] if isinstance(stream, BufferedReader) else b""
        return head, len(head)
    try:
        if not Path(path).is_file():
            return b"", 0
        with open(path, "rb") as file:
            return file.read(HEAD_BYTES), Path(path).stat().st_size
    except (OSError, ValueError):
        return b"", 0
