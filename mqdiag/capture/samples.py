"""Thread dumps, some seconds apart: by jcmd, else by jstack, else by SIGQUIT if the console's log is known."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Sequence
from pathlib import Path

from mqdiag.capture.console import console_dump
from mqdiag.capture.cpu_times import cpu_times
from mqdiag.capture.folder import CaptureFolder, Tell, sample_file, times_file
from mqdiag.capture.inside import open_file
from mqdiag.capture.jdk import ATTACH_SECONDS, NoAnswer, Tool, ToolFailed, quit_signal, write_answer
from mqdiag.capture.target import PROC, Target
from mqdiag.capture.watch import Condition, keep_last
from mqdiag.read.stacks.patterns import DEADLOCK_MARK
from mqdiag.text import Text, say

SLOW_SECONDS = 5.0
"""a dump that took longer looked for owned locks, which walks the heap: the next dumps leave them out"""


class Sampler:
    """Takes thread dumps with the first way that works.

    Args:
        target: the JVM.
        tools: jcmd and jstack, as far as they were found.
        console: the file that the JVM's console goes to; None if nobody named it.
        tell: hears of each step.
    """

    def __init__(self, target: Target, tools: dict[str, Tool], console: Path | None, tell: Tell) -> None:
        self._target = target
        self._console = console
        self._tell = tell
        self._ways: list[Tool | Path] = [*tools.values()]
        if console is not None:
            self._ways.append(console)
        self._locks = True

    def take(
        self, folder: CaptureFolder, samples: int, interval: float, *, until_deadlock: bool = False
    ) -> int:
        """Take the samples, and return how many were taken.

        Args:
            folder: where they go.
            samples: how many.
            interval: seconds between two.
            until_deadlock: end with the first one in which the JVM found a deadlock.
        """
        taken = 0
        due = time.monotonic()
        for number in range(1, samples + 1):
            time.sleep(max(0.0, due - time.monotonic()))
            due = time.monotonic() + interval
            if not (self._runs() and self._one(folder, number, samples)):
                break
            taken += 1
            if until_deadlock and number < samples and _holds_deadlock(folder.path / sample_file(number)):
                self._tell(say("the JVM found a deadlock; one thread dump shows all of it"))
                break
        return taken

    def watch(
        self, folder: CaptureFolder, samples: int, interval: float, conditions: Sequence[Condition]
    ) -> int:
        """Take samples until a condition holds, and return how many are kept; see `watch.keep_last`."""
        return keep_last(
            folder,
            samples,
            interval,
            conditions,
            lambda number: self._runs() and self._one(folder, number, None),
            self._tell,
        )

    def _runs(self) -> bool:
        runs = self._target.runs
        if not runs:
            self._tell(say("process {pid} is gone", pid=self._target.pid))
        return runs

    def _one(self, folder: CaptureFolder, number: int, samples: int | None) -> bool:
        while self._ways:
            way = self._ways[0]
            command, name = self._command(way), sample_file(number)
            shown = self._shown(way)
            if samples is None:
                self._tell(say("thread dump {number}: {command}", number=number, command=shown))
            else:
                self._tell(
                    say(
                        "thread dump {number} of {samples}: {command}",
                        number=number,
                        samples=samples,
                        command=shown,
                    )
                )
            began = time.monotonic()
            try:
                with folder.step(f"thread dump {number}", command) as note:
                    note["file"] = name
                    with folder.new_file(times_file(number)) as file:
                        file.write(cpu_times(self._target.pid))
                    with folder.new_file(name) as file:
                        if isinstance(way, Path):
                            before = way.stat().st_size
                            quit_signal(self._target)
                            file.write(console_dump(way, before))
                        else:
                            write_answer(way, self._target, file, *self._words(way), seconds=ATTACH_SECONDS)
            except (ToolFailed, OSError) as error:
                reason = error.reason if isinstance(error, ToolFailed) else str(error)
                name_of_way = str(way) if isinstance(way, Path) else way.name
                self._tell(say("{way}: {reason}", way=name_of_way, reason=reason))
                # a dump that was cut short would be read as a whole one
                for part in (name, times_file(number)):
                    (folder.path / part).unlink(missing_ok=True)
                self._ways.pop(0)
                if isinstance(error, NoAnswer):
                    self._ways = [other for other in self._ways if isinstance(other, Path)]
                continue
            if time.monotonic() - began > SLOW_SECONDS and self._locks and isinstance(way, Tool):
                self._tell(say("that took long; the next dumps omit the owners of the locks"))
                self._locks = False
            return True
        return False

    def _words(self, way: Tool) -> list[str]:
        locks = ["-l"] if self._locks else []
        return ["Thread.print", *locks] if way.name == "jcmd" else locks

    def _command(self, way: Tool | Path) -> str:
        if isinstance(way, Path):
            return f"kill -QUIT {self._target.pid}"
        return shlex.join(way.command(self._target, *self._words(way)))

    def _shown(self, way: Tool | Path) -> Text:
        if isinstance(way, Path):
            return say("{command}, then read the dump from {path}", command=self._command(way), path=str(way))
        return say("{command}", command=self._command(way))


def _holds_deadlock(dump: Path) -> bool:
    with dump.open("rb") as file:
        return any(line.startswith(DEADLOCK_MARK.encode()) for line in file)


def console_of(target: Target) -> Path | None:
    """The file that the JVM's standard output goes to; None for a terminal, a pipe or a closed output."""
    link = PROC / str(target.pid) / "fd" / "1"
    try:
        path = str(link.readlink())
        os.close(open_file(target.root, path))
    except OSError:
        return None
    return Path(target.root + path)
