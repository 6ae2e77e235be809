"""Whether a text is a crash report, or has the head of one; without the patterns of the reader, which cost time."""

from __future__ import annotations

from re import MULTILINE

from mqdiag.lazy_pattern import lazy_pattern

HEADS = (
    "A fatal error has been detected by the Java Runtime Environment",
    "There is insufficient memory for the Java Runtime Environment to continue",
)
"""without the number sign before them, which mails and forums take away"""
FRAMES = ("Native frames: (J=", "Java frames: (J=")
"""what stands above the frames of the thread that crashed, with the letters of their kinds"""
SIGNALS = ("SIGSEGV (0xb) at pc=", "SIGBUS (0x7) at pc=", "EXCEPTION_ACCESS_VIOLATION (0xc0000005) at pc=")
"""what stands below the head, and is the first line of many posts"""
MARKS = (
    *HEADS,
    *FRAMES,
    *SIGNALS,
    "Java Threads: ( => current thread )",
    "---------------  P R O C E S S  ---------------",
)

_FIRST_SECTION = lazy_pattern(
    r"\s*#[ \t]*\r?\n# (?:"
    + "|".join(HEADS)
    + r").*\n(?:#.*\n|[ \t]*\r?\n){0,80}-{10,}  (?:S U M M A R Y|T H R E A D) "
)
_END = lazy_pattern(r"^(?:END\.|elapsed time: \d+ seconds.*)[ \t]*$", MULTILINE)
"""the last line of a report; the second form in JDK 8"""


_OF_A_CRASH = (*HEADS, *FRAMES, *SIGNALS, "---------------  T H R E A D  ---------------", "siginfo:")
"""what no report of a process that runs has, as `jcmd PID VM.info` prints it"""


def is_crash_report(text: str) -> bool:
    """Whether text has the head of a crash report, or a list that only such a report has."""
    if "---------------  S U M M A R Y" in text and not any(mark in text for mark in _OF_A_CRASH):
        return False
    return any(mark in text for mark in MARKS)


def begins_as_crash_report(text: str) -> bool:
    """Whether a text is a crash report, or a part of one, and not a log that has the head of one."""
    first = [line.strip() for line in text[:4096].split("\n") if line.strip(" #\r\n")][:1]
    return bool(first) and first[0].lstrip("# \t").startswith(MARKS)


def end_of_whole(text: str) -> int | None:
    """Where a report ends that a text begins with, sections and all; None where it has no such report.

    A variable of the environment or a name of a thread may hold any line, its last one too: what counts is the last of
    the text. A report that was cut has no last line.
    """
    if _FIRST_SECTION.match(text) is None:
        return None
    return max((found.end() for found in _END.finditer(text)), default=len(text))
