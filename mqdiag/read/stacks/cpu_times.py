"""Processor times of threads that were read beside thread dumps: from the kernel's files, or by `top -H`.

Dumps of JDK 8 hold none. The `nid` of a dump is the thread's number in these files.

- Lines of a number and what /proc/PID/task/TID/schedstat holds: nanoseconds on a processor first.
- `grep '' /proc/PID/task/*/schedstat`, which puts the file's path before each line. Lines of /proc/PID/task/*/status
  may follow, which tell the number that a thread has in its own container.
- `top -H -b -n 1`, whose TIME+ has hundredths of a second: it shows work, and no standstill.

Source: Documentation/scheduler/sched-stats.rst of Linux; top(1) of procps.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeVar

import msgspec

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.stacks.records import Sample

_ROW = lazy_pattern(
    r"^(?P<tid>0x[0-9a-fA-F]{1,8}|\d{1,10})[ \t]+(?P<ns>\d{1,19})(?:[ \t]+\d{1,19}){1,4}[ \t]*$"
)
_LISTED = lazy_pattern(r"^(?:\S*/)?(?P<tid>\d{1,10})/schedstat:(?P<ns>\d{1,19})(?: \d{1,19}){2}[ \t]*$")
_STATUS = lazy_pattern(r"^(?:\S*/)?(?P<tid>\d{1,10})/status:\w+:[ \t]*(?:\d{1,19}[ \t]*)*$")
_INNER_NUMBER = lazy_pattern(r"^(?:\S*/)?(?P<tid>\d{1,10})/status:NSpid:.*?(?P<inner>\d{1,10})[ \t]*$", re.M)
_TOP_HEAD = lazy_pattern(r"^[ \t]*PID[ \t]+USER\b.*[ \t]TIME\+[ \t]+COMMAND[ \t]*$", re.M)
_TOP_TIME = lazy_pattern(
    r"^(?:(?P<hours>\d{1,6}):(?=\d+:))?(?P<minutes>\d{1,8}):(?P<seconds>\d\d(?:[.,]\d\d)?)$"
)
_NUMBER = re.compile(r"\d+")
_ROW_CHARACTERS = "0123456789abcdefABCDEFx \t"
LEAST_ROWS = 3
"""threads that a JVM has at the least, and more"""
HEAD_ROWS = 40
"""lines that must all be rows for a text to be such a file"""
LEAST_SHARE = 0.5
"""share of a dump's threads that a file must have to be of the same process; others began or ended in between"""
NS_PER_MS = 1e6
_T = TypeVar("_T")


class CpuTimes(msgspec.Struct, kw_only=True):
    """Processor times of the threads of one process at one moment."""

    source: str
    """name of the file"""
    by_thread: dict[int, float]
    """milliseconds in all, by the thread's number"""
    is_exact: bool
    """in nanoseconds; False for hundredths of a second"""


def is_cpu_times(head: str) -> bool:
    """Whether text begins as such a file does."""
    if "TIME+" in head and _TOP_HEAD.search(head):
        return True
    lines = [line for line in head.split("\n")[: HEAD_ROWS + 1] if not line.startswith("#")]
    # the last line may be cut
    rows = [line for line in lines[:-1] if line.strip()]
    return len(rows) >= LEAST_ROWS and all(
        _row(line) or ("/status:" in line and _STATUS.match(line)) for line in rows
    )


def read_cpu_times(source: str, text: str) -> list[CpuTimes]:
    """The moments of a file: one, or one for each list that `top` printed or that a line with # begins."""
    heads = list(_TOP_HEAD.finditer(text))
    if heads:
        ends = [*(head.start() for head in heads[1:]), len(text)]
        moments = [_of_top(head[0], text[head.end() : end]) for head, end in zip(heads, ends, strict=True)]
    else:
        moments = [_of_rows(part) for part in re.split(r"(?m)^#.*$", text)]
    return [
        CpuTimes(source=source, by_thread=found, is_exact=not heads)
        for found in moments
        if len(found) >= LEAST_ROWS
    ]


def _row(line: str) -> re.Match[str] | None:
    # nearly all lines that come here are of thread dumps, which start without these patterns
    if not line.strip(_ROW_CHARACTERS):
        return _ROW.match(line)
    return _LISTED.match(line) if "/schedstat:" in line else None


def _of_rows(text: str) -> dict[int, float]:
    rows = (_row(line) for line in text.split("\n"))
    inner = {int(found["tid"]): int(found["inner"]) for found in _INNER_NUMBER.finditer(text)}
    times = {int(row["tid"], 0): int(row["ns"]) / NS_PER_MS for row in rows if row is not None}
    return {inner.get(number, number): ms for number, ms in times.items()}


def _of_top(head: str, text: str) -> dict[int, float]:
    columns = head.split()
    number, time = columns.index("PID"), columns.index("TIME+")
    found: dict[int, float] = {}
    for line in text.split("\n"):
        cells = line.split(None, len(columns) - 1)
        shown = _TOP_TIME.match(cells[time]) if len(cells) > time else None
        if shown is not None and cells[number].isdecimal():
            seconds = float(shown["seconds"].replace(",", ".")) + 60 * int(shown["minutes"])
            found[int(cells[number])] = 1000 * (seconds + 3600 * int(shown["hours"] or 0))
    return found


def add_cpu_times(samples: Sequence[Sample], times: Sequence[CpuTimes]) -> list[CpuTimes]:
    """Give threads without a CPU time the one of the file that belongs to their dump; gives the files of no dump.

    A file belongs to the dump of its number (proc3.tsv to j3.log, cpu-times/03.txt to stacks/03.txt). Where names do
    not tell, and there are as many files as dumps, they belong together by their order.
    """
    left: list[CpuTimes] = []
    for pair, given in _pairs(samples, times):
        if pair is None or not _add(pair, given):
            left.append(given)
    return left


def _pairs(samples: Sequence[Sample], times: Sequence[CpuTimes]) -> Iterable[tuple[Sample | None, CpuTimes]]:
    dumps = _by_number((sample.source, sample) for sample in samples)
    files = _by_number((given.source, given) for given in times)
    if all(len(own) == 1 and len(dumps.get(number, ())) == 1 for number, own in files.items()):
        return [(dumps[number][0], own[0]) for number, own in files.items()]
    if len(samples) == len(times):
        return list(zip(samples, sorted(times, key=lambda given: _natural(given.source)), strict=True))
    return [(None, given) for given in times]


def _by_number(named: Iterable[tuple[str, _T]]) -> dict[tuple[str, int | None], list[_T]]:
    """By folder and the last number of the name."""
    found: dict[tuple[str, int | None], list[_T]] = defaultdict(list)
    for source, one in named:
        folder, _, name = source.rpartition("/")
        # `mqdiag capture` keeps both kinds of files in folders of their own, beside each other
        folder = folder.removesuffix("stacks").removesuffix("cpu-times")
        numbers = _NUMBER.findall(name.partition(".")[0])
        found[folder, int(numbers[-1]) if numbers else None].append(one)
    return found


def _natural(name: str) -> list[tuple[int, str]]:
    """A key by which 10 comes behind 9."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]


def _add(sample: Sample, given: CpuTimes) -> bool:
    """Add the times to a dump; False where they are of another process."""
    threads = [thread for thread in sample.threads if thread.nid is not None]
    known = sum(1 for thread in threads if thread.nid in given.by_thread)
    if not known or known < LEAST_SHARE * len(threads):
        return False
    for thread in threads:
        cpu_ms = given.by_thread.get(thread.nid) if thread.nid is not None else None
        if cpu_ms is None or thread.cpu_ms is not None:
            continue
        if given.is_exact:
            thread.cpu_ms, thread.cpu_from_system = cpu_ms, True
        else:
            thread.coarse_cpu_ms = cpu_ms
    return True
