"""Where a dump begins in a text."""

from __future__ import annotations

from mqdiag.read.stacks import patterns, thread_info
from mqdiag.read.stacks.header import is_header


def find_start(buffer: str) -> int:
    """Where a dump begins: at its first line, or, in a paste without one, at its first thread."""
    starts = [buffer.find(patterns.DUMP_MARK), _line_start(buffer, buffer.find(patterns.DEADLOCK_MARK))]
    stop = min((start for start in starts if start >= 0), default=len(buffer))
    starts += (_jstack_thread(buffer, stop), _jstack_thread(buffer, stop, "Carrying virtual thread #"))
    starts.append(_tool_thread(buffer, stop))
    return min((start for start in starts if start >= 0), default=-1)


def _jstack_thread(buffer: str, stop: int, mark: str = patterns.STATE_MARK) -> int:
    """Start of the first thread of jstack, by its line of state or what it carries; -1 when there is none."""
    state = buffer.find(mark, 0, stop)
    while state >= 0:
        line = buffer.rfind("\n", 0, state)
        above = buffer.rfind("\n", 0, line) if line > 0 else -1
        header = buffer[above + 1 : line] if line > 0 else ""
        if header.startswith('"') and (is_header(header[1:]) or patterns.CUT_HEADER.match(header[1:])):
            return above + 1
        # a log line that happens to hold the words, perhaps many times: look behind it
        state = buffer.find(mark, _line_end(buffer, state), stop)
    return -1


def _tool_thread(buffer: str, stop: int) -> int:
    """Start of the first thread in the form of another tool; -1 when there is none."""
    starts = []
    for mark in patterns.INFO_MARKS:
        at = buffer.find(mark, 0, stop)
        while at >= 0:
            start, end = _line_start(buffer, at), _line_end(buffer, at)
            if buffer.startswith('"', start) and thread_info.begins(buffer[start + 1 : end]):
                starts.append(start)
                break
            at = buffer.find(mark, end, stop)
    return min(starts, default=-1)


def _line_start(buffer: str, at: int) -> int:
    """Start of the line of a place; -1 for no place."""
    return -1 if at < 0 else buffer.rfind("\n", 0, at) + 1


def _line_end(buffer: str, at: int) -> int:
    """End of the line of a place."""
    end = buffer.find("\n", at)
    return end if end >= 0 else len(buffer)


def head_start(buffer: str, mark: int) -> int:
    """Start of the lines before a dump's first line that belong to it: date and pid."""
    start = buffer.rfind("\n", 0, mark) + 1
    for _ in range(2):
        above = buffer.rfind("\n", 0, max(start - 1, 0)) + 1
        line = buffer[above : max(start - 1, 0)]
        if patterns.DATE_LINE.search(line) or patterns.PID_LINE.match(line):
            start = above
        else:
            break
    return start
