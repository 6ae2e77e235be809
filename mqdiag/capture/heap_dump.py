"""A heap dump of a running JVM: what it costs, and taking it."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from mqdiag.capture.folder import CaptureFolder, Tell
from mqdiag.capture.inside import opened_folder
from mqdiag.capture.jdk import Tool, ToolFailed, ask, last_line
from mqdiag.capture.taken_over import move_written
from mqdiag.capture.target import PROC, Target
from mqdiag.errors import OutputError
from mqdiag.files import RESERVE_BYTES, free_bytes
from mqdiag.text import say

LEAST_BYTES = 16 << 20
SECONDS_PER_GIB = 2
"""the estimate that the user is asked with; measured: 0.5 to 3, by disk and by the number of writing threads"""
LONGEST_SECONDS = 3600.0
_USED = re.compile(r"^ (?:.*total \d+[KMG], |ZHeap +|Z\w+ Generation +)used (\d+)([KMG])", re.MULTILINE)
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@dataclass(frozen=True, kw_only=True)
class HeapPlan:
    """What a heap dump costs, and where the JVM writes it."""

    bytes_needed: int
    free_bytes: int
    written_to: str
    """a path inside the process's file system"""
    packed: bool
    options: tuple[str, ...]

    @property
    def seconds(self) -> int:
        """For about how long the JVM stands still."""
        return max(1, round(self.bytes_needed / (1 << 30) * SECONDS_PER_GIB))

    @property
    def fits(self) -> bool:
        """Whether the disk has enough free bytes for the dump and the reserve."""
        return self.free_bytes >= self.bytes_needed + RESERVE_BYTES


def plan_heap_dump(target: Target, jcmd: Tool, folder: Path) -> HeapPlan:
    """Ask the JVM what a dump costs; nothing is dumped.

    Raises:
        ToolFailed: the JVM does not answer.
    """
    used = _used_bytes(target, jcmd)
    known = ask(jcmd, target, "help", "GC.heap_dump")
    options = ["-all"]
    if "-parallel" in known:
        options.append(f"-parallel={max(1, min(4, (os.cpu_count() or 1) // 2))}")
    where = _place(target, folder)
    with opened_folder(target.root, os.path.dirname(where)) as there:
        free = free_bytes(there)
    # classes, threads and the heads of records come on top of the objects
    whole = used + used // 4 + LEAST_BYTES
    packed = "-gz" in known and free < whole + RESERVE_BYTES
    if packed:
        options.append("-gz=1")
        where += ".gz"
    # packed, dumps take between a tenth and a half
    needed = whole // 2 if packed else whole
    return HeapPlan(
        bytes_needed=needed, free_bytes=free, written_to=where, packed=packed, options=tuple(options)
    )


def take_heap_dump(folder: CaptureFolder, target: Target, jcmd: Tool, plan: HeapPlan, tell: Tell) -> Path:
    """Take the dump, and move it into the folder where the JVM could not write there.

    Raises:
        ToolFailed: the JVM did not write it.
    """
    place, name = os.path.split(plan.written_to)
    seen = target.root + plan.written_to
    kept = folder.path / "heap" / name
    words = ("GC.heap_dump", *plan.options, plan.written_to)
    command = shlex.join(jcmd.command(target, *words))
    tell(say("heap dump: {command}", command=command))
    with folder.step("heap dump", command) as note:
        note["file"] = f"heap/{name}"
        try:
            answer = ask(jcmd, target, *words, seconds=LONGEST_SECONDS)
            with opened_folder(target.root, place) as there:
                is_there = not target.own_files and Path(place).resolve() == kept.parent.resolve()
                if not (kept.exists() if is_there else move_written(there, seen, kept, target)):
                    raise ToolFailed(last_line(answer) or say("the JVM wrote no file"))
        except OSError as error:
            raise OutputError(
                say(
                    "{path}: cannot be written: {reason}; the dump is {dump}",
                    path=str(kept),
                    reason=error.strerror,
                    dump=seen,
                )
            ) from error
        note["bytes"] = kept.stat().st_size
    return kept


def _used_bytes(target: Target, jcmd: Tool) -> int:
    """The heap in use, or the resident memory of the process if the JVM does not answer; 0 if neither is known."""
    try:
        answer = ask(jcmd, target, "GC.heap_info")
    except ToolFailed:
        answer = ""
    used = used_heap_bytes(answer)
    if used:
        return used
    status = (PROC / str(target.pid) / "status").read_text(errors="replace")
    resident = re.search(r"VmRSS:\s*(\d+)", status)
    return int(resident[1]) << 10 if resident else 0


def used_heap_bytes(heap_info: str) -> int:
    """The heap in use, of what the JVM answers to GC.heap_info; 0 if it does not say."""
    return sum(int(number) * _UNITS[unit] for number, unit in _USED.findall(heap_info))


def _place(target: Target, folder: Path) -> str:
    """The folder itself where the JVM sees it and may write to it, else its own /tmp."""
    if not target.own_files:
        place = folder.resolve() / "heap"
        place.mkdir(exist_ok=True)
        if os.geteuid() == target.uid:
            return str(place / f"heap-{target.pid}.hprof")
    return f"/tmp/mqdiag-{os.getpid()}-{target.pid}.hprof"
