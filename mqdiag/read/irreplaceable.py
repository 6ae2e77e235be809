"""Files that nothing may be written over: the inputs of a run, and other evidence."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from mqdiag.errors import UsageError
from mqdiag.read.logs.recognise import is_log
from mqdiag.read.report import is_report
from mqdiag.read.sniff import ARCHIVES, HEAD_BYTES, SQUEEZED, Content, content_of
from mqdiag.read.stacks.reader import MARKS
from mqdiag.text import Text, say

_NAMED_HEAD = 1024
_REPORT_MARKS = (
    b"## mqdiag",
    b'<meta name="generator" content="mqdiag',
    b'<testsuites name="mqdiag"',
    b'"name": "mqdiag"',
    b"::error title=",
    b"::warning title=",
    b"::notice title=",
)
"""one stands near the beginning of each report in Markdown, HTML, JUnit, SARIF and the format of GitHub"""
_CSV_HEADS = (
    b"rule,severity,confidence,cause,title,",
    b"path,kind,format,bytes,captured_at,",
    b"rule,reason,needs",
    b"group,kind,traits,object_id,client_id,",
    b"group,topic,broker,queue_id,object_id,",
    b"name,loaders,instances,shallow_bytes,",
    b"class,object_id,retained_bytes,share,",
    b"name,java_id,tid,nid,role,pool,group,",
)
"""with one of them each report in CSV begins"""
_TEXT_HEADS = tuple(
    f"{label} ".encode()
    for label in ("ERROR", "WARNING", "KNOWN", "OK", "UNDECIDED", "错误", "警告", "已知", "正常", "无法判定")
)
"""with one of them each report in text begins, unless it has all details"""
_COMMAND_OF_DETAILS = b"`mqdiag "
"""near the beginning of a report in text with all details"""
_TEXT_ENDS = (b"`mqdiag rules ", b"--detail full", b"--detail normal", b"`mqdiag diff`")
"""one stands near the end of each report in text"""
_NAMED_END = 512
_NO_LOGS = (".csv", ".json", ".md")
"""endings of files with rows"""


def refuse_input(target: Path, shown: str, inputs: Iterable[str]) -> None:
    """Refuse a file that a run reads: through any link or spelling, or because it lies in a folder that is an input.

    A report that mqdiag wrote into such a folder may be replaced, so that the same command can run again.

    Args:
        target: the file to be written.
        shown: what the message calls it.
        inputs: files and folders that the run reads; "-" is standard input, and what does not exist is left out.

    Raises:
        UsageError: it is an input.
    """
    if not target.is_file():
        return
    real = target.resolve()
    for name in inputs:
        given = Path("/dev/stdin" if name == "-" else name)
        # Not Path.exists: it raises an error where this user may not look into the folder.
        if not os.path.exists(given):
            continue
        if os.path.samefile(given, real):
            raise UsageError(say("{shown}: is an input of this run; name another file", shown=shown))
        if given.resolve() in real.parents and not _is_own_report(real, _head(real)):
            raise UsageError(
                say(
                    "{shown}: is a file of {folder}, an input of this run; name another file",
                    shown=shown,
                    folder=name,
                )
            )


def refuse_evidence(target: Path, shown: str, *, may_be_log: bool = False) -> None:
    """Refuse a file that holds evidence, such as the first of several files behind an option that lacks its value.

    Args:
        target: the file to be written.
        shown: what the message calls it.
        may_be_log: whether lines are added to a log.

    Raises:
        UsageError: it holds evidence.
    """
    if not target.is_file():
        return
    evidence = _evidence(_head(target), target, may_be_log)
    if evidence is not None:
        raise UsageError(
            say(
                "{shown}: is there already and holds {evidence}; name another file, or remove this one first",
                shown=shown,
                evidence=evidence,
            )
        )


def _evidence(head: bytes, path: Path, may_be_log: bool) -> Text | None:
    """What evidence begins like this, if it is any."""
    content = content_of(head)
    if content is Content.HEAP_DUMP:
        return say("a heap dump")
    if content in (*SQUEEZED, *ARCHIVES):
        return say("packed data")
    if content not in (Content.TEXT, Content.JSON) or _is_own_report(path, head):
        return None
    if any(mark in head for mark in MARKS):
        return say("a thread dump")
    # Rows that mqdiag query wrote can begin with times, as lines of a log do.
    is_table = path.suffix in _NO_LOGS
    return say("a log") if not may_be_log and not is_table and is_log(head, str(path)) else None


def _is_own_report(path: Path, head: bytes) -> bool:
    if is_report(head) or head.startswith(_CSV_HEADS):
        return True
    begin = head[:_NAMED_HEAD]
    if any(mark in begin for mark in _REPORT_MARKS):
        return True
    if not begin.startswith(_TEXT_HEADS) and _COMMAND_OF_DETAILS not in begin:
        return False
    with path.open("rb") as file:
        file.seek(-min(_NAMED_END, path.stat().st_size), os.SEEK_END)
        end = file.read()
    return any(mark in end for mark in _TEXT_ENDS)


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(HEAD_BYTES)
