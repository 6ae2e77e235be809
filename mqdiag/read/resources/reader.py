"""Numbers of control groups (versions 1 and 2), of /proc/PID/status and of `jcmd PID GC.heap_info`."""

from __future__ import annotations

import re

from mqdiag.facts.resources import ResourceReading
from mqdiag.lazy_pattern import lazy_pattern

MOST_BYTES = 1 << 20
_HEAD = lazy_pattern(r"^# file: ([^\n]{1,4096}?)[ \t]*$", re.M)
_ALONE = lazy_pattern(r"\A(?:usage_usec \d+\n(?:\w+ \d+\n)*?|)nr_periods \d+\s+nr_throttled \d+")
_COMMITTED = lazy_pattern(r"(?:total|committed) (\d{1,15})K")
_USED = lazy_pattern(r"used (\d{1,15})K")
_PID = lazy_pattern(r"/proc/(\d{1,9})/status")
UNLIMITED = 1 << 60
"""version 1 prints the largest number of pages where there is no limit"""


def is_resources(text: str) -> bool:
    """Whether a text begins as one of files of a control group or of /proc does."""
    head = _HEAD.search(text[:8192])
    named = head is not None and re.search(r"/(?:cgroup/|proc/\d+/status$)", head[1]) is not None
    return named or _ALONE.match(text) is not None


def read_resources(text: str, path: str) -> ResourceReading:
    """The reading of one text."""
    parts = _HEAD.split(text)
    files = dict(zip(parts[1::2], parts[2::2], strict=True))
    if not files:
        files = {"cpu.stat": text}
    by_name = {name.rpartition("/")[2]: body for name, body in files.items()}
    pid = next((int(found[1]) for name in files if (found := _PID.search(name))), None)
    stat, status = _pairs(by_name.get("cpu.stat", "")), _pairs(by_name.get("status", "").replace(":", " "))
    throttled = stat.get("throttled_usec")
    heap = next((body for name, body in files.items() if name.endswith("GC.heap_info")), "")
    return ResourceReading(
        path=path,
        pid=pid,
        processors=_processors(by_name),
        periods=stat.get("nr_periods"),
        throttled_periods=stat.get("nr_throttled"),
        throttled_ms=throttled / 1e3 if throttled is not None else _ms(stat.get("throttled_time")),
        memory_limit_bytes=_limit(by_name.get("memory.max", by_name.get("memory.limit_in_bytes"))),
        memory_bytes=_limit(by_name.get("memory.current", by_name.get("memory.usage_in_bytes"))),
        resident_bytes=_kib(status.get("RssAnon", status.get("VmRSS"))),
        threads=status.get("Threads"),
        **_heap(heap),
    )


def _pairs(text: str) -> dict[str, int]:
    rows = (line.split() for line in text.splitlines()[:1000])
    return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdecimal() and len(row[1]) < 20}


def _limit(text: str | None) -> int | None:
    word = (text or "").strip()
    return int(word) if word.isdecimal() and len(word) < 20 and int(word) < UNLIMITED else None


def _processors(files: dict[str, str]) -> float | None:
    words = files.get("cpu.max", "").split()
    if len(words) < 2:
        words = [files.get(f"cpu.cfs_{name}_us", "").strip() for name in ("quota", "period")]
    quota, period = (_limit(word) for word in words[:2])
    return quota / period if quota and period else None


def _ms(nanoseconds: int | None) -> float | None:
    return None if nanoseconds is None else nanoseconds / 1e6


def _kib(number: int | None) -> int | None:
    return None if number is None else number << 10


def _heap(text: str) -> dict[str, int | None]:
    """Spaces of generations stand indented below them and print a share, no size; only those with a size count."""
    committed = used = 0
    metaspace: int | None = None
    for line in text.splitlines()[:200]:
        size, taken = _COMMITTED.search(line), _USED.search(line)
        if size is None or taken is None:
            continue
        if line.lstrip().startswith("Metaspace"):
            metaspace = int(size[1]) << 10
        elif not line.lstrip().startswith("class space"):
            committed += int(size[1]) << 10
            used += int(taken[1]) << 10
    return {
        "heap_bytes": committed or None,
        "heap_used_bytes": used if committed else None,
        "metaspace_bytes": metaspace,
    }
