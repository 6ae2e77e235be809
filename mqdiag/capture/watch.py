"""`--watch`: conditions that end the taking of samples, so that the evidence is of the moment that matters."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable
from pathlib import Path

from mqdiag.capture.heap_dump import used_heap_bytes
from mqdiag.capture.jdk import Tool, ToolFailed, ask
from mqdiag.capture.logs import find_logs
from mqdiag.capture.target import Target
from mqdiag.errors import UsageError
from mqdiag.text import Text, say

Condition = Callable[[Path], Text | None]
"""looks at the newest thread dump, and says what holds now; None while nothing does"""
MOST_NEW_BYTES = 8 << 20
"""of each log that are searched in one step; of more only the end"""
_MAX_HEAP = re.compile(r"-XX:MaxHeapSize=(\d+)")
_CONSUME_THREAD = re.compile(r'^"(ConsumeMessageThread_[^"]*)"[^\n]*\n((?:[ \t][^\n]*\n?)+)', re.MULTILINE)
_IDLE = "ThreadPoolExecutor.getTask("


def condition(text: str, target: Target, jcmd: Tool | None) -> Condition:
    """Make a condition of heap=PERCENT, stuck=SECONDS or log=TEXT.

    Raises:
        UsageError: it is none of these, or this JVM does not tell what it needs.
    """
    kind, _, value = text.partition("=")
    if kind == "log" and value:
        return LogLine(target, value)
    number = value.removesuffix({"heap": "%", "stuck": "s"}.get(kind, ""))
    if kind == "stuck" and number.isdecimal() and int(number) > 0:
        return Unchanged(int(number))
    if kind == "heap" and number.isdecimal() and 0 < int(number) < 100:
        return HeapAbove(target, jcmd, int(number) / 100)
    raise UsageError(say("--watch {text} is none of heap=80%, stuck=60s and log=TEXT", text=repr(text)))


class HeapAbove:
    """More than a share of the heap's maximum is in use, as the JVM counts it; garbage counts too.

    Raises:
        UsageError: the JVM does not tell its maximum.
    """

    def __init__(self, target: Target, jcmd: Tool | None, share: float) -> None:
        self._target, self._share = target, share
        try:
            found = None if jcmd is None else _MAX_HEAP.search(ask(jcmd, target, "VM.flags"))
        except ToolFailed:
            found = None
        if jcmd is None or found is None:
            raise UsageError(say("--watch heap needs jcmd, and a JVM that tells its MaxHeapSize"))
        self._jcmd, self._most_bytes = jcmd, int(found[1])

    def __call__(self, dump: Path) -> Text | None:
        """See `Condition`."""
        try:
            used = used_heap_bytes(ask(self._jcmd, self._target, "GC.heap_info")) / self._most_bytes
        except ToolFailed:
            return None
        return say("{used:percent} of the heap is in use", used=used) if used > self._share else None


class Unchanged:
    """A consume thread that works stands at the same frames for some seconds."""

    def __init__(self, seconds: int) -> None:
        self._seconds = seconds
        self._since: dict[str, tuple[str, float]] = {}

    def __call__(self, dump: Path) -> Text | None:
        """See `Condition`."""
        now = time.monotonic()
        text = dump.read_text(encoding="utf-8", errors="replace")
        seen = {name: frames for name, frames in _CONSUME_THREAD.findall(text) if _IDLE not in frames}
        before, self._since = self._since, {}
        for name, frames in seen.items():
            same, since = before.get(name, ("", now))
            self._since[name] = frames, since if same == frames else now
        stuck = [name for name, (_, since) in self._since.items() if now - since >= self._seconds]
        if not stuck:
            return None
        return say(
            "thread {name} has stood at the same frames for {stood:seconds}", name=stuck[0], stood=self._seconds
        )


class LogLine:
    """One of the process's logs has a new line with a text."""

    def __init__(self, target: Target, text: str) -> None:
        self._text = text.encode()
        self._read_to: dict[Path, int] = {}
        for log in find_logs(target, None):
            path = Path(target.seen_from_here(log.path))
            with contextlib.suppress(OSError):  # rotated away since it was found
                self._read_to[path] = path.stat().st_size

    def __call__(self, dump: Path) -> Text | None:
        """See `Condition`."""
        for path, read_to in self._read_to.items():
            try:
                size = path.stat().st_size
                # A log that is smaller now was started again. The text may have been half written at the last look.
                begin = max(read_to - len(self._text) + 1, size - MOST_NEW_BYTES, 0) if size >= read_to else 0
                with path.open("rb") as file:
                    file.seek(begin)
                    new = file.read(MOST_NEW_BYTES)
            except OSError:
                continue
            self._read_to[path] = size
            if self._text in new:
                return say("{path} has the text", path=str(path))
        return None
