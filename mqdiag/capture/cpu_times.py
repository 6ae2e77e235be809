"""Processor times and switches of a process's threads, which dumps of JDK 8 do not have; reading them costs it nothing.

A row is what `mqdiag.read.stacks.cpu_times` reads: the thread's number as its JVM knows it, nanoseconds on a processor,
nanoseconds in a queue for one, time slices, voluntary and nonvoluntary switches.
"""

from __future__ import annotations

import re
import shlex

from mqdiag.capture.target import PROC

_INNER_NUMBER = re.compile(r"^NSpid:.*?(\d+)$", re.M)
_SWITCHES = re.compile(r"^(?:non)?voluntary_ctxt_switches:\s*(\d+)$", re.M)
_COUNTED = "^[0-9]+ [0-9]+ |^NSpid|ctxt"
"""lines of schedstat, and those of status that tell the thread's own number and its switches"""


def cpu_times(pid: int) -> bytes:
    """A row for each thread of a process; empty where the kernel tells nothing."""
    rows = []
    try:
        folders = sorted((PROC / str(pid) / "task").iterdir(), key=lambda folder: int(folder.name))
    except (OSError, ValueError):
        return b""
    for folder in folders:
        try:
            times = (folder / "schedstat").read_text().split()
            status = (folder / "status").read_text()
        except OSError:
            continue  # the thread has ended, or the kernel keeps no such times
        inner = _INNER_NUMBER.search(status)
        rows.append(" ".join((inner[1] if inner else folder.name, *times[:3], *_SWITCHES.findall(status)[:2])))
    return "".join(f"{row}\n" for row in rows).encode()


def shell_loop(pid: int | None, samples: int, interval_seconds: float) -> str:
    """A line for a POSIX shell that takes thread dumps and processor times where mqdiag is not at hand.

    Its files, j1.log and proc1.txt and so on, are what `mqdiag stacks` and `mqdiag diagnose` take together.
    """
    numbers = " ".join(map(str, range(1, samples + 1)))
    process = "PID" if pid is None else str(pid)
    files = f"/proc/{process}/task/*/schedstat /proc/{process}/task/*/status"
    take = ("jstack -l", process, "> j$i.log; sleep", f"{interval_seconds:g}; done")
    return " ".join(
        ("for i in", f"{numbers};", "do grep -E", shlex.quote(_COUNTED), files, "> proc$i.txt;", *take)
    )
