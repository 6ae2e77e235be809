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

_HEAD = (
    r"\s*(?:#[ \t]*\r?\n)?# (?:"
    + "|".join(HEADS)
    + r").*(?:\n|\Z)(?:(?:#.*|[ \t]*\r?|\[(?:thread \d+ also had|error occurred|timeout occurred) .*)(?:\n|\Z)){0,80}?"
)
"""lines that begin with a number sign, blank ones, and what the JVM says between them of its own troubles"""
_FIRST_SECTION = lazy_pattern(_HEAD + r"-{10,}  (?:S U M M A R Y|T H R E A D) ")
_BEGINS_HEAD = r"#[ \t]*\r?\n# (?:" + "|".join(HEADS) + ")"
_HEAD_ALONE = lazy_pattern(
    _HEAD + rf"(?=(?P<again>{_BEGINS_HEAD})|(?!#|[ \t]*\r?$|\[(?:thread \d|error o|timeout o)).|\Z)", MULTILINE
)
_OF_A_BODY = lazy_pattern(
    r"^(?:-{10,}  [A-Z] [A-Z] |Current thread \(0x|(?:Native|Java) frames: \(|siginfo: ?|Stack: \[0x|Java Threads: \()",
    MULTILINE,
)
_BODY_WITHIN = 4096
"""characters below a head in which a report of which parts were left out goes on"""
_MARK = lazy_pattern(
    r"^(?P<system>-{10,}  S Y S T E M )"
    r"|^(?P<end>END\.[ \t]*\r?$|elapsed time: \d+ seconds.*(?:\s+^END\.[ \t]*\r?$)?)"
    rf"|^(?P<head>{_BEGINS_HEAD})"
    r"|^(?P<opened>(?:=>|[ \t])*0x[0-9a-f]+ JavaThread \"(?!.*\"[ \t]+(?:daemon[ \t]+)?\[_))"
    r"|(?P<closed>\"[ \t]+(?:daemon[ \t]+)?\[_thread_)"
    r"|^(?P<inside>-{10,}  (?:S U M M A R Y|T H R E A D|P R O C E S S) |Event: \d)",
    MULTILINE,
)
"""what tells where a report ends: its last section, the line behind it, in JDK 8 the second form, and what is not
behind it"""


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


def begins_with_head(text: str) -> bool:
    """Whether a text begins with the head of a report, with sections below it or without."""
    return _FIRST_SECTION.match(text) is not None or _HEAD_ALONE.match(text) is not None


def end_of_reports(text: str) -> int | None:
    """Where the reports end that a text begins with; None where it begins with none.

    Each is a whole report, or the head alone that the JVM prints to its console. None also for a head alone with
    nothing below it, and for one with a part of a report below it.
    """
    end, is_whole = 0, False
    while True:
        if _FIRST_SECTION.match(text, end):
            end, is_whole = _end_of_whole(text, end), True
        elif (head := _HEAD_ALONE.match(text, end)) and (
            head["again"] or not _OF_A_BODY.search(text, head.end(), head.end() + _BODY_WITHIN)
        ):
            end = head.end()
        else:
            break
    return end if is_whole or (end and text[end:].strip()) else None


def _end_of_whole(text: str, begin: int) -> int:
    """Where a report ends; the end of the text where it was cut, as what stands behind its cut cannot be told.

    A variable of the environment or a name of a thread may hold any line. Only the last line counts that stands behind
    the last section, and only where no line follows that this report must have above it.
    """
    end: int | None = None
    is_last_section = is_in_name = False
    for found in _MARK.finditer(text, begin):
        kind = found.lastgroup
        if kind == "closed" or (kind == "inside" and not is_in_name):
            end, is_last_section, is_in_name = None, False, False
        elif kind == "opened":
            end, is_last_section, is_in_name = None, False, True
        elif is_in_name:
            continue
        elif kind == "system":
            end, is_last_section = None, True
        elif kind == "end" and is_last_section and end is None:
            end = found.end()
        elif kind == "head" and end is not None and _FIRST_SECTION.match(text, found.start()):
            break
    return len(text) if end is None else end
