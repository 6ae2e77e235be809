"""Reads crash reports line by line: single lines by their patterns, lists by the lines that begin them.

Source: `VMError::report` of HotSpot, JDK 8 to 25.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from mqdiag.facts.crash import CrashContainer, CrashedThread, CrashMemory, CrashReport
from mqdiag.read.crash.around import SIGNS, Around
from mqdiag.read.crash.frames import FRAME, FrameParts, parts_of
from mqdiag.read.crash.log_around import LEAST_RECORDS, LogAround
from mqdiag.read.crash.recognise import HEADS, SIGNALS

MOST_LINES = 500_000
_SECTION = "---------------  "
"""what begins the line of a section's name: no section is in the head"""
_LAST_SECTION = _SECTION + "S Y S T E M"
_LAST_LINES = ("END.", "elapsed time: ")
"""what begins the last line of a report; the second one in JDK 8"""
LONGEST_LINE = 8192
MOST_FRAMES = 200
MOST_THREADS = 10_000
_UNITS = {"": 1, "k": 1 << 10, "K": 1 << 10, "m": 1 << 20, "M": 1 << 20, "g": 1 << 30, "G": 1 << 30}


def read_crash(
    source: str, lines: Iterable[str], is_record: Callable[[str], bool] = lambda _: False
) -> list[CrashReport]:
    """All reports of a text; a console may have the head of one, and a paste any part.

    Args:
        source: the file's name.
        lines: its lines.
        is_record: whether further lines of a user may stand below a line.
    """
    reports: list[CrashReport] = []
    reader, log, around = _Reader(source), LogAround(is_record), Around()
    for line, _ in zip(lines, range(MOST_LINES), strict=False):
        text = line.rstrip("\r\n")[:LONGEST_LINE]
        was_in = around.before is not None
        own = None if reader.in_body else around.taken_off(text)
        if own is not None:
            log.take(text)
            text = own
        elif was_in:
            reader.leave_head()
        if not reader.in_body and text.lstrip(SIGNS).startswith(HEADS):
            if reader.has_head:
                reports += reader.report(log)
                reader = _Reader(source)
            log.begin()
        if own is None:
            log.take(text)
            reader.pass_sections(text)
        reader.take(text)
    reports += reader.report(log)
    return [report for report in reports if not report.pasted] or reports


class _Parts(msgspec.Struct):
    """What has been read of one report: values by their field."""

    values: dict[str, Any] = msgspec.field(default_factory=dict)
    memory: dict[str, int] = msgspec.field(default_factory=dict)
    container: dict[str, Any] = msgspec.field(default_factory=dict)
    native: list[str] = msgspec.field(default_factory=list)
    java: list[str] = msgspec.field(default_factory=list)
    threads: list[CrashedThread] = msgspec.field(default_factory=list)
    listed: bool = False
    """the list of Java threads is there"""
    mappings: int = 0


_TOLD = frozenset({"problematic_frame", "out_of_memory", "internal_error"})
"""what says more of a crash than its uppermost frame does"""
_REPORTERS = ("VMError::", "report_vm_", "report_fatal")
"""functions of the JVM in the uppermost frame where it ended itself, mostly for want of memory: they did not crash"""
_Take = Callable[[_Parts, re.Match[str]], None]


def _keep(*names: str, of: Callable[[str], Any] = str.strip) -> _Take:
    """Groups of a match to fields; the first value of a field stays."""

    def take(parts: _Parts, found: re.Match[str]) -> None:
        for name, text in zip(names, found.groups(), strict=True):
            if text is not None:
                parts.values.setdefault(name, of(text))

    return take


def _signal(parts: _Parts, found: re.Match[str]) -> None:
    parts.values.setdefault("signal", found["signal"])
    parts.values.setdefault("pid", int(found["pid"]))


def _internal(parts: _Parts, found: re.Match[str]) -> None:
    kind, place, pid, says = found["kind"], found["place"], found["pid"], found["says"]
    if kind == "Internal Error":
        parts.values.setdefault("internal_error", f"{place} {says or ''}".strip())
    parts.values.setdefault("pid", int(pid))


def _assertion(parts: _Parts, found: re.Match[str]) -> None:
    if "internal_error" in parts.values:
        parts.values["internal_error"] += f": {found[1].strip()}"


def _short_memory(parts: _Parts, found: re.Match[str]) -> None:
    parts.values.setdefault("out_of_memory", found[1].strip().removesuffix("."))
    size = re.search(r"(\d{1,18}) bytes", found[1])
    if size:
        parts.values.setdefault("out_of_memory_bytes", int(size[1]))


def _current(parts: _Parts, found: re.Match[str]) -> None:
    parts.values.setdefault("thread", found["name"])
    parts.values.setdefault("thread_state", found["state"])


def _siginfo(parts: _Parts, found: re.Match[str]) -> None:
    parts.values.setdefault("signal", found["signal"])
    for name in ("signal_code", "fault_address"):
        if found[name]:
            parts.values.setdefault(name, found[name])


def _elapsed(parts: _Parts, found: re.Match[str]) -> None:
    parts.values.setdefault("elapsed_s", float(found[1]))


def _at(parts: _Parts, found: re.Match[str]) -> None:
    parts.values.setdefault("crashed_at", found[1].strip())
    if found[2]:
        parts.values.setdefault("elapsed_s", float(found[2]))


def _heap(parts: _Parts, found: re.Match[str]) -> None:
    """A generation or the whole heap; G1, ZGC and Shenandoah have one line, others one for each generation."""
    total, used = _size(found["total"], found["unit"]), _size(found["used"], found["unit2"])
    parts.memory["heap_bytes"] = parts.memory.get("heap_bytes", 0) + total
    parts.memory["heap_used_bytes"] = parts.memory.get("heap_used_bytes", 0) + used


def _metaspace(parts: _Parts, found: re.Match[str]) -> None:
    parts.memory.setdefault("metaspace_used_bytes", _size(found[1], found[2]))


def _machine(parts: _Parts, found: re.Match[str]) -> None:
    for name, value in found.groupdict().items():
        if value is not None:
            parts.memory.setdefault(name, int(value) << 10)


def _limits(parts: _Parts, found: re.Match[str]) -> None:
    for name, pattern in (("processes_limit", r"NPROC (\d{1,18})"), ("open_files_limit", r"NOFILE (\d{1,18})")):
        limit = re.search(pattern, found[0])
        if limit:
            parts.values.setdefault(name, int(limit[1]))


def _container(name: str) -> _Take:
    def take(parts: _Parts, found: re.Match[str]) -> None:
        parts.container.setdefault(name, _size(found[1], found[2] or ""))

    return take


def _container_type(parts: _Parts, found: re.Match[str]) -> None:
    parts.container.setdefault("type", found[1])


def _thread(parts: _Parts, found: re.Match[str]) -> None:
    if len(parts.threads) < MOST_THREADS:
        parts.threads.append(
            CrashedThread(
                name=found["name"],
                state=found["state"],
                os_id=int(found["id"]),
                current=found["current"] is not None,
            )
        )


_THREAD = r'JavaThread "(?P<name>.*)"\s+(?:daemon )?\s*\[(?P<state>_\w+)[^\[]*?, id=(?P<id>\d{1,18})'
_LIMIT = r"\s*:?\s+(\d{1,19})( ?[kKmMgG])?"
_OF_HEAD: tuple[tuple[re.Pattern[str], _Take], ...] = (
    (
        re.compile(r"#\s+(?P<signal>[A-Z][A-Z_]+) \(0x[0-9a-f]+\) at pc=0x[0-9a-f]+, pid=(?P<pid>\d{1,18})\b"),
        _signal,
    ),
    (
        re.compile(
            r"#\s+(?P<kind>Internal Error|Out of Memory Error) \((?P<place>[^)]+)\),"
            r" pid=(?P<pid>\d{1,18}), tid=\S+(?P<says>.*)"
        ),
        _internal,
    ),
    (re.compile(r"#\s+((?:guarantee|assert|fatal error|Error:|ShouldNot).*)"), _assertion),
    (re.compile(r"# (Native memory allocation \(\w+\) failed to .*)"), _short_memory),
    (re.compile(r"# JRE version: (.*)"), _keep("jre")),
    (re.compile(r"# Java VM: (.*)"), _keep("jvm")),
    (re.compile(r"# ([CVvJjA]\s+\S.*)$"), _keep("problematic_frame")),
)
_OF_BODY: tuple[tuple[re.Pattern[str], _Take], ...] = (
    (re.compile(r"vm_info: (.*)"), _keep("jvm")),
    (re.compile(r"Command Line: (.*)"), _keep("command_line")),
    (re.compile(r"Host: (.*)"), _keep("host")),
    (re.compile(r"[Tt]ime: ([A-Z]\w\w .*?)(?: elapsed time: (\d{1,12}(?:\.\d{1,9})?) seconds.*)?$"), _at),
    (re.compile(r"elapsed time: (\d{1,12}(?:\.\d{1,9})?) seconds"), _elapsed),
    (re.compile(rf"Current thread \(0x[0-9a-f]+\):\s+{_THREAD}"), _current),
    (re.compile(r'Current thread \(0x[0-9a-f]+\):\s+(?P<state>\w*Thread) "(?P<name>[^"]*)"'), _current),
    (
        re.compile(
            r"siginfo:.*?si_signo: ?\d+ \((?P<signal>\w+)\), si_code: ?-?\d+ \((?P<signal_code>\w+)\)"
            r"(?:.*?si_addr: ?(?P<fault_address>0x[0-9a-f]+))?"
        ),
        _siginfo,
    ),
    (re.compile(r"VM state: ?(.*)"), _keep("vm_state")),
    (re.compile(r"VM_Operation \(0x[0-9a-f]+\): (\w+)"), _keep("vm_operation")),
    (
        re.compile(
            r"\s(?:\S.{0,40}?)\s+total (?:reserved \d+[KMG], committed )?(?P<total>\d{1,18})(?P<unit>[KMG]),"
            r" used (?P<used>\d{1,18})(?P<unit2>[KMG])\b"
        ),
        _heap,
    ),
    (
        re.compile(
            r"\s*ZHeap\s+used (?P<used>\d{1,18})(?P<unit2>[KMG]), capacity (?P<total>\d{1,18})(?P<unit>[KMG])"
        ),
        _heap,
    ),
    (re.compile(r"\s*Metaspace\s+used (\d{1,18})([KMG])"), _metaspace),
    (re.compile(r"jvm_args: (.*)"), _keep("jvm_args")),
    (re.compile(r"java_command: (.*)"), _keep("command")),
    (re.compile(r"uname: ?(.*)"), _keep("os")),
    (re.compile(r"rlimit.*?: .*"), _limits),
    (
        re.compile(
            r"Memory: \w+ page, physical (?P<physical_bytes>\d{1,18})k\((?P<physical_free_bytes>\d{1,18})k free\)"
            r"(?:, swap (?P<swap_bytes>\d{1,18})k\((?P<swap_free_bytes>\d{1,18})k free\))?"
        ),
        _machine,
    ),
    (re.compile(r"\S*max_map_count\D*(\d{1,18})\s*$"), _keep("max_map_count", of=int)),
    (re.compile(r"Total number of mappings: (\d{1,18})"), _keep("mappings", of=int)),
    (re.compile(r"container_type: (\w+)"), _container_type),
    (re.compile(r"memory_limit_in_bytes" + _LIMIT), _container("memory_limit_bytes")),
    (re.compile(r"memory_usage_in_bytes" + _LIMIT), _container("memory_usage_bytes")),
    (re.compile(r"memory_max_usage_in_bytes" + _LIMIT), _container("memory_max_usage_bytes")),
    (re.compile(r"maximum number of tasks" + _LIMIT), _container("tasks_limit")),
    (re.compile(r"current number of tasks" + _LIMIT), _container("tasks")),
    (re.compile(rf"(?P<current>=>)?\s*0x[0-9a-f]+ {_THREAD}"), _thread),
)
_LINES = (*_OF_HEAD, *_OF_BODY)
"""patterns of single lines; the first that matches is taken"""


class _Reader:
    def __init__(self, source: str) -> None:
        self._source = source
        self._parts = _Parts()
        self._list: list[str] | None = None
        self._libraries = False
        self.has_head = False
        self.in_body = False
        """behind the head of a whole report, and not behind its end: names and command lines stand there"""
        self._whole = False
        self._in_last_section = False
        self._without_signs = False
        """inside of a head whose number signs a mail or a forum has taken away"""

    def pass_sections(self, line: str) -> None:
        """Note where a section begins, or the last one ends: a name in an earlier one may look like the end."""
        if self.has_head and line.startswith(_SECTION):
            self.in_body = self._whole = True
            self._in_last_section = line.startswith(_LAST_SECTION)
        elif self._in_last_section and line.startswith(_LAST_LINES):
            self.in_body = False

    def take(self, line: str) -> None:
        """Take one line."""
        if not self._whole and line.lstrip(SIGNS).startswith(HEADS):
            self.has_head = True
            self._without_signs = "#" not in line
        elif not self.has_head and line.lstrip(SIGNS).startswith(SIGNALS):
            # the head's first line was left out
            self._without_signs = "#" not in line
            self._match(line)
        elif line.startswith("Native frames:"):
            self._list = self._parts.native
        elif line.startswith("Java frames:"):
            self._list = self._parts.java
        elif line.startswith("Java Threads:"):
            self._parts.listed = True
        elif line.startswith("Dynamic libraries:"):
            self._libraries = True
        elif line == "END.":
            self._parts.values["complete"] = True
        elif self._list is not None and FRAME.match(line):
            if len(self._list) < MOST_FRAMES:
                self._list.append(line.strip())
        elif self._libraries and line.strip():
            self._parts.mappings += line[:1] in "0123456789abcdef"
            self._libraries = line[:1] in "0123456789abcdef"
            if not self._libraries:
                self._match(line)
        else:
            self._list = None
            self._libraries = False
            self._match(line)

    def leave_head(self) -> None:
        """A line that does not stand as those of the head do: the head is over."""
        self._without_signs = False

    def report(self, log: LogAround) -> Iterator[CrashReport]:
        """The report; nothing where no line of one was there."""
        parts, values = self._parts, dict(self._parts.values)
        frames = (*parts.native, *parts.java)
        if not values and not parts.threads and not frames:
            return
        ended_itself = any(name in frame for frame in frames[:1] for name in _REPORTERS)
        if frames and not (self.has_head or ended_itself or _TOLD.intersection(values)):
            # the head, which repeats it, was left out
            values["problematic_frame"] = frames[0]
        command_line = values.pop("command_line", None)
        if command_line is not None and "jvm_args" not in values:
            # the summary has options and main class on one line
            words = command_line.split(" ")
            options = next((place for place, word in enumerate(words) if not word.startswith("-")), len(words))
            values["jvm_args"] = " ".join(words[:options])
            values.setdefault("command", " ".join(words[options:]))
        frame = values.get("problematic_frame")
        kind = parts_of(frame) if frame else FrameParts()
        if parts.mappings:
            values.setdefault("mappings", parts.mappings)
        yield CrashReport(
            source=self._source,
            pasted=log.goes_on is True,
            followed=log.goes_on is not None,
            is_message=log.is_message if self.has_head else log.records >= LEAST_RECORDS,
            frame_kind=kind.kind,
            library=kind.library,
            method=kind.method,
            native_frames=tuple(parts.native),
            java_frames=tuple(parts.java),
            memory=CrashMemory(**parts.memory),
            container=CrashContainer(**parts.container) if parts.container else None,
            threads=tuple(parts.threads),
            threads_total=len(parts.threads) if parts.listed else None,
            **values,
        )

    def _match(self, line: str) -> None:
        if line.startswith("---"):
            self._without_signs = False
        elif self._without_signs:
            line = "# " + line.lstrip(SIGNS)
        # a name of a thread, or the text of an exception, may look like a line of the head
        for pattern, take in _OF_BODY if self._whole else _LINES:
            found = pattern.match(line)
            if found is not None:
                take(self._parts, found)
                return


def _size(number: str, unit: str) -> int:
    return int(number) * _UNITS[unit.strip()]
