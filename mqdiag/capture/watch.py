"""`--watch`: conditions that end the taking of samples, so that the evidence is of the moment that matters."""

from __future__ import annotations

import contextlib
import os
import re
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from mqdiag.capture.folder import CaptureFolder, Tell, sample_file
from mqdiag.capture.heap_dump import used_heap_bytes
from mqdiag.capture.inside import open_file
from mqdiag.capture.jdk import Tool, ToolFailed, ask
from mqdiag.capture.logs import find_logs
from mqdiag.capture.target import Target
from mqdiag.errors import UsageError
from mqdiag.text import Text, say
from mqdiag.threads.listener_frames import runs_something_else

Condition = Callable[[Path], Text | None]
"""looks at the newest thread dump, and says what holds now; None while nothing does"""
MOST_NEW_BYTES = 8 << 20
"""bytes of a log on another host that are searched in one step; of more only the end, as grep keeps a line in memory"""
_MOST_SEARCHED = 256 << 20
"""the same on this host; a hole in a file may have any size"""
_CHUNK = 4 << 20
_END_BYTES = 64
"""bytes at the end of what was searched, by which a log is known to have gone on"""
_MAX_HEAP = re.compile(r"-XX:MaxHeapSize=(\d+)")
_CONSUME_THREAD = re.compile(r'^"(ConsumeMessageThread_[^"]*)"[^\n]*\n((?:[ \t][^\n]*\n?)+)', re.MULTILINE)
_IDLE = "ThreadPoolExecutor.getTask("
_METHOD = re.compile(r"^[ \t]+at (?:[^\s/()]+/{1,2}){0,2}([^\s/()]+)\(", re.MULTILINE)
_FIRST_METHOD = "java.lang.Thread.run"


class Watched(Protocol):
    """The JVM that is watched, on this host or on another."""

    def ask(self, word: str) -> str:
        """What it answers to a word of jcmd.

        Raises:
            ToolFailed: it does not answer.
        """

    def log_sizes(self) -> dict[str, int]:
        """The size of each of its logs in bytes, by path; none where they cannot be looked at."""

    def log_with(self, text: bytes, read_to: dict[str, int]) -> str | None:
        """The path of a log whose new bytes have a text; None where no log has it.

        Args:
            text: what is searched for.
            read_to: up to which byte each log was searched; this moves on to its end.
        """


def condition(text: str, watched: Watched) -> Condition:
    """Make a condition of heap=PERCENT, stuck=SECONDS or log=TEXT.

    Raises:
        UsageError: it is none of these, or this JVM does not tell what it needs.
    """
    kind, _, value = text.partition("=")
    if kind == "log" and value:
        return LogLine(watched, value)
    number = value.removesuffix({"heap": "%", "stuck": "s"}.get(kind, ""))
    if kind == "stuck" and number.isdecimal() and int(number) > 0:
        return Unchanged(int(number))
    if kind == "heap" and number.isdecimal() and 0 < int(number) < 100:
        return HeapAbove(watched, int(number) / 100)
    raise UsageError(say("--watch {text} is not one of heap=80%, stuck=60s and log=TEXT", text=repr(text)))


def keep_last(
    folder: CaptureFolder,
    samples: int,
    interval: float,
    conditions: Sequence[Condition],
    take: Callable[[int], bool],
    tell: Tell,
) -> int:
    """Take samples until a condition holds, and keep the last ones.

    Args:
        folder: where to; its manifest says what held.
        samples: how many are kept; where a condition holds earlier, so many are taken all the same.
        interval: seconds from one to the next.
        conditions: one of them ends it.
        take: takes the sample of a number, and says whether it could.
        tell: hears what held.

    Returns:
        How many are kept; fewer than `samples` where one could not be taken.
    """
    kept: deque[int] = deque()
    held: Text | None = None
    due = time.monotonic()
    number = 0
    while held is None or len(kept) < samples:
        time.sleep(max(0.0, due - time.monotonic()))
        due = time.monotonic() + interval
        number += 1
        if not take(number):
            break
        kept.append(number)
        if len(kept) > samples:
            folder.forget(kept.popleft())
        if held is None:
            held = next(filter(None, (holds(folder.path / sample_file(number)) for holds in conditions)), None)
            if held is not None:
                tell(held)
    if held is not None:
        folder.done("watch", held)
    return len(kept)


class HeapAbove:
    """More than a share of the heap's maximum is in use, as the JVM counts it; garbage counts too.

    Raises:
        UsageError: the JVM does not tell its maximum.
    """

    def __init__(self, watched: Watched, share: float) -> None:
        self._watched, self._share = watched, share
        try:
            found = _MAX_HEAP.search(watched.ask("VM.flags"))
        except ToolFailed as error:
            raise UsageError(
                say(
                    "--watch heap needs jcmd, and a JVM that reports its MaxHeapSize: {reason}",
                    reason=error.reason,
                )
            ) from None
        if found is None:
            raise UsageError(say("--watch heap needs a JVM that reports its MaxHeapSize"))
        self._most_bytes = int(found[1])

    def __call__(self, dump: Path) -> Text | None:
        """See `Condition`."""
        try:
            used = used_heap_bytes(self._watched.ask("GC.heap_info")) / self._most_bytes
        except ToolFailed:
            return None
        return say("{used:percent} of the heap is in use", used=used) if used > self._share else None


class Unchanged:
    """A consume thread that works stands at the same frames for some seconds; others may have such a name."""

    def __init__(self, seconds: int) -> None:
        self._seconds = seconds
        self._since: dict[str, tuple[str, float]] = {}

    def __call__(self, dump: Path) -> Text | None:
        """See `Condition`."""
        now = time.monotonic()
        text = dump.read_text(encoding="utf-8", errors="replace")
        seen = {name: frames for name, frames in _CONSUME_THREAD.findall(text) if _consumes(frames)}
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


def _consumes(frames: str) -> bool:
    """Whether a thread with the name of a consume thread may work for one; a whole stack can deny it."""
    methods = tuple(_METHOD.findall(frames))
    denied = methods[-1:] == (_FIRST_METHOD,) and runs_something_else(methods)
    return _IDLE not in frames and not denied


class LogLine:
    """One of the process's logs has a new line with a text."""

    def __init__(self, watched: Watched, text: str) -> None:
        self._watched, self._text = watched, os.fsencode(text)
        self._read_to = watched.log_sizes()

    def __call__(self, dump: Path) -> Text | None:
        """See `Condition`."""
        path = self._watched.log_with(self._text, self._read_to)
        return None if path is None else say("{path} has the text", path=path)


def overlap_begin(read_to: int, text: bytes) -> int:
    """The byte from which on a log is searched: its last line may have been half written at the last look."""
    return max(read_to - len(text) + 1, 0)


class _Followed:
    """A log that stays open: what is written before it is rotated away is searched too.

    Args:
        file: descriptor of the log, which is closed with this.
        read_to: up to which byte it counts as searched; its end where not given.
    """

    def __init__(self, file: int, read_to: int | None = None) -> None:
        self._file = file
        self.close = weakref.finalize(self, os.close, file)
        self.read_to = self._size() if read_to is None else read_to
        self._end = self._before(self.read_to)

    def is_file(self, file: int) -> bool:
        """Whether another descriptor is of the same file."""
        return os.path.samestat(os.fstat(self._file), os.fstat(file))

    def new_has(self, text: bytes) -> bool:
        """Whether what is new has a text; all of it is new where the log was started again."""
        size = self._size()
        goes_on = size >= self.read_to and self._before(self.read_to) == self._end
        begin = max(overlap_begin(self.read_to, text) if goes_on else 0, size - _MOST_SEARCHED)
        has = any(text in self._read(at, min(at + _CHUNK, size), text) for at in range(begin, size, _CHUNK))
        self.read_to, self._end = size, self._before(size)
        return has

    def _size(self) -> int:
        return os.fstat(self._file).st_size

    def _before(self, end: int) -> bytes:
        begin = max(end - _END_BYTES, 0)
        return os.pread(self._file, end - begin, begin)

    def _read(self, begin: int, end: int, text: bytes) -> bytes:
        """A part of it, and what a text that begins there has behind it."""
        return os.pread(self._file, end - begin + len(text) - 1, begin)


class OnThisHost:
    """A JVM of this host; see `Watched`."""

    def __init__(self, target: Target, jcmd: Tool | None) -> None:
        self._target, self._jcmd = target, jcmd
        self._followed: dict[str, _Followed] = {}

    def ask(self, word: str) -> str:
        """See `Watched`."""
        if self._jcmd is None:
            raise ToolFailed(say("there is no jcmd that reaches the JVM"))
        return ask(self._jcmd, self._target, word)

    def log_sizes(self) -> dict[str, int]:
        """See `Watched`."""
        sizes = {}
        for log in find_logs(self._target, None):
            # It may be rotated away since it was found.
            with contextlib.suppress(OSError):
                self._followed[log.path] = _Followed(self._opened(log.path))
                sizes[log.path] = self._followed[log.path].read_to
        return sizes

    def log_with(self, text: bytes, read_to: dict[str, int]) -> str | None:
        """See `Watched`."""
        for path in read_to:
            followed = self._followed[path]
            has = False
            with contextlib.suppress(OSError):
                # before the next file of its name: it may have been rotated away since
                has = followed.new_has(text)
            with contextlib.suppress(OSError):
                file = self._opened(path)
                if followed.is_file(file):
                    os.close(file)
                else:
                    followed.close()
                    followed = self._followed[path] = _Followed(file, read_to=0)
                    has |= followed.new_has(text)
            read_to[path] = followed.read_to
            if has:
                return path
        return None

    def _opened(self, path: str) -> int:
        with self._target.with_its_rights():
            return open_file(self._target.root, path)
