"""Whether a text is a log: most texts of an incident are none, and every line of a log is looked at."""

from __future__ import annotations

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.crash.recognise import begins_as_crash_report
from mqdiag.read.encoding import encoding_of, is_wide
from mqdiag.read.logs.shape import SAMPLE_LINES, has_records, shape_of
from mqdiag.read.logs.stamps import StampReader
from mqdiag.read.stacks.endpoint import is_endpoint_json
from mqdiag.read.stacks.patterns import is_dump_file

LEAST_SHARE = 0.05
"""share of lines with a time among the first lines that begin something"""
LEAST_LINES = 2
_CONTINUES = lazy_pattern(rb"\s|$|Caused by: |at ")
"""a blank line, or one of a stack trace, of which an error may have dozens"""
_DUMP = b"Full thread dump"
_DUMP_HEAD = 400


def is_log(head: bytes, name: str) -> bool:
    """Whether text is a log, or an excerpt of one without times."""
    if is_wide(head):
        head = head.decode(encoding_of(head), "replace").encode()
    head = head.lstrip(b"\0")
    text = head.decode(errors="replace")
    if is_dump_file(head) or is_endpoint_json(text) or begins_as_crash_report(text):
        return False
    if shape_of(head, name).form != "plain":
        return True
    lines = [line for line in head.split(b"\n", SAMPLE_LINES)[:SAMPLE_LINES] if not _CONTINUES.match(line)]
    stamps = StampReader()
    dated = sum(1 for line in lines if stamps.of_line(line) is not None)
    if _DUMP in head[:_DUMP_HEAD]:
        # jstack prints a date above its dump
        return dated > LEAST_LINES
    if dated >= min(LEAST_LINES, len(lines)) and dated >= LEAST_SHARE * len(lines) and dated > 0:
        return True
    return has_records(head)
