"""Whether a text is a crash report, or has the head of one; without the patterns of the reader, which cost time."""

from __future__ import annotations

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
