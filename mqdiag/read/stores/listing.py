"""Listings of a store's files with their sizes: by `find -printf`, `find -ls`, `ls -lR` or `du -ab`."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

from mqdiag.facts.stores import StoreFacts, StoreQueue
from mqdiag.read.stores.consume_queue import ENTRY_BYTES
from mqdiag.read.stores.role import role_by_name
from mqdiag.read.stores.segments import Segment, segments_of
from mqdiag.text import say

MOST_LINES = 2_000_000
LONGEST_LINE = 4096
_SIZE_AND_PATH = re.compile(r"\s*(\d{1,19})\s+(\S.*)$")
_LS = re.compile(r"\s*(?:\d+\s+\d+\s+)?-[rwxsStT-]{9}[.+@]?\s+\d+\s+\S+\s+\S+\s+(\d{1,19})\s+(.+)$")
_QUEUE = re.compile(r"(?:^|(.*)/)consumequeue/([^/]+)/(\d{1,9})/(\d{20})$")
_LOG = re.compile(r"(?:^|(.*)/)commitlog/(\d{20})$")
_ABORT = re.compile(r"(?:^|(.*)/)abort$")
_LS_NAME = re.compile(r"(\S+)$")
MARKS = (b"consumequeue/", b"commitlog/")


def is_listing(head: bytes) -> bool:
    """Whether text lists the files of a store: sizes, and paths below consumequeue or commitlog."""
    if not any(mark in head or mark[:-1] + b":" in head for mark in MARKS):
        return False
    lines = head.decode("utf-8", "replace").splitlines()[:2000]
    return sum(1 for path, _ in _files(lines) if _QUEUE.search(path) or _LOG.search(path)) >= 2


def read_listing(name: str, lines: Iterable[str]) -> tuple[StoreFacts, ...]:
    """One store for each folder that has the parts of one, with bounds where the entries themselves would tell."""
    queues: dict[str, dict[tuple[str, int], list[tuple[str, int]]]] = {}
    logs: dict[str, list[tuple[str, int]]] = {}
    aborted: set[str] = set()
    for path, size in _files(lines):
        if match := _QUEUE.search(path):
            own = queues.setdefault(match[1] or ".", {})
            own.setdefault((match[2], int(match[3])), []).append((match[4], size))
        elif match := _LOG.search(path):
            logs.setdefault(match[1] or ".", []).append((match[2], size))
        elif match := _ABORT.search(path):
            aborted.add(match[1] or ".")
    return tuple(
        _store(name, root, queues.get(root, {}), segments_of(logs.get(root, ())), root in aborted)
        for root in sorted(queues.keys() | logs.keys())
    )


def _store(
    name: str,
    root: str,
    queues: dict[tuple[str, int], list[tuple[str, int]]],
    log: tuple[Segment, ...],
    aborted: bool,
) -> StoreFacts:
    role, role_from = role_by_name(root)
    if role is None:
        role, role_from = role_by_name(name.rpartition(".")[0])
    return StoreFacts(
        path=root if root != "." else name,
        listed_in=name,
        role=role,
        role_from=role_from,
        stopped_in_order=False if aborted else None,
        commit_log_min=log[0].start if log else None,
        commit_log_at_most=log[-1].end if log else None,
        queues=tuple(
            _queue(topic, queue_id, segments_of(files)) for (topic, queue_id), files in sorted(queues.items())
        ),
        unreadable={"consumequeue": say("names and sizes show only between which offsets each queue ends")},
    )


def _queue(topic: str, queue_id: int, files: tuple[Segment, ...]) -> StoreQueue:
    """The last file has at least one entry and at most as many as fit; an empty file is made ahead at times."""
    start = files[0].start // ENTRY_BYTES if files else 0
    return StoreQueue(
        topic=topic,
        queue_id=queue_id,
        # the first file may begin before the first message that is kept, never behind it
        min_offset=0 if start == 0 and len(files) == 1 else None,
        max_at_least=files[-1].start // ENTRY_BYTES if files else 0,
        max_at_most=files[-1].end // ENTRY_BYTES if files else 0,
    )


def _files(lines: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Paths and sizes; `ls -lR` names a folder once, above its files."""
    folder = ""
    for line, _ in zip(lines, range(MOST_LINES), strict=False):
        text = line.rstrip("\r\n")[:LONGEST_LINE]
        if text.endswith(":") and not text.startswith(("-", " ")):
            folder = text[:-1]
        elif match := _LS.match(text):
            named = _LS_NAME.search(match[2])
            if named is not None:
                path = named[1]
                yield posixpath.normpath(path if "/" in path else posixpath.join(folder, path)), int(match[1])
        elif match := _SIZE_AND_PATH.match(text):
            yield posixpath.normpath(match[2]), int(match[1])
