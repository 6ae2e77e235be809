"""Threads in forms of other programs and of pastes, to the form of jstack; lines of other kinds stay as they are.

- `Thread.dump_to_file` as text without its head, such as single threads in a ticket.
- Threads that `-Djdk.tracePinnedThreads` prints (JDK 21 to 23).
- What programs print of `Thread.getAllStackTraces()`: `Thread.toString()`, and frames below it.
- `jstack -F` and `jhsdb jstack`, which tell no names of threads.
- JRockit.
- Servers that print threads in forms of their own (`server_forms.py`).

Source: ThreadDumper, PinnedThreadPrinter of JDK 21; sun.jvm.hotspot.tools.StackTrace of JDK 8; JRockit R28.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import pairwise

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.stacks import patterns, server_forms

HEAD = 64 << 10
"""characters in which the first thread stands"""
JROCKIT_MARK = "===== FULL THREAD DUMP"
_POSTED_SIGNS = tuple(f"\n{' ' * blanks}#" for blanks in range(9))
"""how such a line begins: words are found without a pattern"""
_POSTED = lazy_pattern(
    r'(?m)^ {0,8}#\d{1,18} "[^\n]{0,300}"(?: virtual)?(?: [A-Z_]+)?(?: \d{4}-\S+)?[ \t]*\n'
    r"[ \t]*(?:at )?[\w.$/@]+\("
)
_PINNED = lazy_pattern(
    r"(?m)^ {0,8}(?:Thread\[#(?P<carrier>\d{1,18}),(?P<name>[^,\]\n]{1,300}),\d+,CarrierThreads\]"
    r"|VirtualThread\[#(?P<id>\d{1,18})(?:,(?P<own>[^\]\n]{1,300}))?\]/\w+(?:@(?P<on>[^\s\n]{1,300}))?"
    r"(?: reason:\w+)?)[ \t]*$"
)
_BARE_FRAME = lazy_pattern(
    r"^\s+(?:at )?(?P<frame>(?:[\w.@+-]+/)*[\w.$<>/]+\.[\w$<>]+\([^()]{0,300}\))(?:\s*<== monitors:\d+)?\s*$"
)
_PRINTED = lazy_pattern(
    r"^[ \t]{0,8}(?:[\w.$]{1,200}\.)?[\w$]{0,80}Thread\[(?:#(?P<id>\d{1,18}),)?(?P<name>[^\n]{1,300}),\d{1,2},"
    r"[^,\]\n]{0,200}\](?:[ \t:=,()-]{0,6}(?P<state>RUNNABLE|BLOCKED|WAITING|TIMED_WAITING))?[ \t:=)]{0,4}$"
)
_LEAST_PRINTED = 2
"""threads with frames: one may be a line of a log with the stack of an exception below it"""
_JROCKIT_HEADER = lazy_pattern(
    r'^"(?P<name>.{1,300})" id=(?P<id>\d{1,9}|\?) idx=(?P<idx>0x[0-9a-f]{1,16}) tid=(?P<tid>\d{1,9}) prio=-?\d+'
    r" (?P<states>[\w, ]{1,100})$"
)
_JROCKIT_FRAME = lazy_pattern(
    r"^\s+at (?P<method>[\w/$<>]+\.[\w$<>]+)\([^)\s]*\)\S*?\((?P<place>[^()]{1,200})\)"
)
_JROCKIT_LOCK = lazy_pattern(
    r"^\s+(?:--|\^--) (?P<words>[A-Z][\w ]{1,60}): (?P<class>[\w/$\[;]+)@0x(?P<at>[0-9A-Fa-f]{1,16})"
)
_JROCKIT_LOCKS = {
    "Holding lock": "locked",
    "Blocked trying to get lock": "waiting to lock",
    "Waiting for notification on": "waiting on",
    "Parking to wait for": "parking to wait for ",
}
_JROCKIT_STATES = (
    ("blocked", "BLOCKED (on object monitor)"),
    ("sleeping", "TIMED_WAITING (sleeping)"),
    ("parked", "WAITING (parking)"),
    ("waiting", "WAITING (on object monitor)"),
)
_DATE = "%a %b %d %H:%M:%S %Y"
_AGENT_WAITS = (
    (".Thread.sleep", "TIMED_WAITING (sleeping)"),
    (".Unsafe.park", "WAITING (parking)"),
    (".Object.wait", "WAITING (on object monitor)"),
)
"""what a thread does that is "BLOCKED" to the agent, by its first frame; any other waits for a monitor"""


def converter(head: str) -> Callable[[str], str] | None:
    """What makes jstack's form of a text; None where that form is in it already, or none of these."""
    start = head[:HEAD]
    if JROCKIT_MARK in start:
        return _of_jrockit
    if "(state = " in start and patterns.AGENT_HEADER.search(start) is not None:
        return _of_agent
    if any(sign in f"\n{start}" for sign in _POSTED_SIGNS) and _POSTED.search(start) is not None:
        return _of_posted
    if "Thread[" in start and _shows_printed(start):
        return _of_printed
    if "Thread[#" in start and _PINNED.search(start) is not None:
        return _of_posted
    return server_forms.converter(head)


def is_agents(head: str) -> bool:
    """Whether `jstack -F` wrote a text."""
    return converter(head) is _of_agent


def _lines(text: str, convert: Callable[[str], str | None]) -> str:
    return "\n".join(line if (made := convert(line)) is None else made for line in text.split("\n"))


def _of_posted(text: str) -> str:
    """Threads of Thread.dump_to_file, and of tracePinnedThreads, as `ThreadInfo.toString()` has them."""
    in_thread = False

    def convert(line: str) -> str | None:
        nonlocal in_thread
        found = patterns.FILE_HEADER.match(line.strip())
        if found is not None:
            in_thread = True
            return f'"{found["name"]}" Id={found["id"]} {found["state"] or ""}'.rstrip()
        pinned = _PINNED.match(line)
        if pinned is not None:
            in_thread = True
            name = pinned["name"] or pinned["own"] or pinned["on"] or ""
            return f'\n"{name}" Id={pinned["carrier"] or pinned["id"]} WAITING'
        frame = _BARE_FRAME.match(line) if in_thread else None
        if frame is not None:
            return f"\tat {frame['frame']}"
        in_thread = in_thread and line.lstrip().startswith("- ")
        return None

    return _lines(text, convert)


def _shows_printed(text: str) -> bool:
    """Whether several lines with `Thread.toString()` alone have frames right below them."""
    found = 0
    for line, below in pairwise(text.split("\n")):
        if "Thread[" in line and ",CarrierThreads]" not in line and _BARE_FRAME.match(below) is not None:
            found += _PRINTED.match(line.rstrip()) is not None
            if found >= _LEAST_PRINTED:
                return True
    return False


def _of_printed(text: str) -> str:
    """Threads with the frames of `Thread.getStackTrace()`, as `ThreadInfo.toString()` has them."""
    in_thread = False

    def convert(line: str) -> str | None:
        nonlocal in_thread
        header = _PRINTED.match(line.rstrip()) if "Thread[" in line else None
        if header is not None:
            in_thread = True
            return f'\n"{header["name"]}" Id={header["id"] or -1} {header["state"] or ""}'.rstrip()
        frame = _BARE_FRAME.match(line) if in_thread else None
        if frame is not None:
            return f"\tat {frame['frame']}"
        in_thread = in_thread and not line.strip()
        return None

    return _lines(text, convert)


def _of_agent(text: str) -> str:
    return "\n".join(_agent_lines(text.split("\n")))


def _agent_lines(lines: list[str]) -> Iterator[str]:
    for at, line in enumerate(lines):
        found = patterns.AGENT_HEADER.match(line)
        if found is None:
            yield line
            continue
        first = lines[at + 1] if at + 1 < len(lines) else ""
        state = "RUNNABLE"
        if found["state"] == "BLOCKED":
            waits = (state for part, state in _AGENT_WAITS if f"{part}(" in first or f"{part}0(" in first)
            state = next(waits, "BLOCKED (on object monitor)")
        yield f'"Thread {found["nid"]}" nid={found["nid"]}'
        yield f"   {patterns.STATE_MARK}{state}"


def _of_jrockit(text: str) -> str:
    """With the head and the end of HotSpot's dumps, so that several of them are samples."""

    def convert(line: str) -> str | None:
        if JROCKIT_MARK in line:
            return ""
        if line.startswith("===== END OF THREAD DUMP"):
            return "JNI global references: 0"
        if line.startswith(("Oracle JRockit", "BEA JRockit")):
            return "Full thread dump " + line.strip() + ":\n"
        header = _JROCKIT_HEADER.match(line)
        if header is not None:
            states = header["states"]
            state = next((state for word, state in _JROCKIT_STATES if word in states), "RUNNABLE")
            daemon = " daemon" if "daemon" in states else ""
            number = "" if header["id"] == "?" else f" #{header['id']}"
            head = f'"{header["name"]}"{number}{daemon} prio=5 tid={header["idx"]} nid={header["tid"]}'
            return f"\n{head}\n   {patterns.STATE_MARK}{state}"
        frame = _JROCKIT_FRAME.match(line)
        if frame is not None:
            return f"\tat {frame['method'].replace('/', '.')}({frame['place']})"
        lock = _JROCKIT_LOCK.match(line)
        if lock is not None:
            words = _JROCKIT_LOCKS.get(lock["words"])
            name = lock["class"].replace("/", ".")
            return "" if words is None else f"\t- {words} <0x{lock['at'].lower().zfill(16)}> (a {name})"
        return "" if line.strip() == "-- end of trace" else _date(line)

    return re.sub(r"\n\n+(?=\t[a-]\w* )", "\n", _lines(text, convert))


def _date(line: str) -> str | None:
    """The line of the date as HotSpot prints it; None for any other line."""
    if not 20 <= len(line.strip()) <= 28:
        return None
    try:
        return datetime.strptime(line.strip(), _DATE).strftime("%Y-%m-%d %H:%M:%S")
    except ValueError:
        return None
