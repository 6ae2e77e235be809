"""Threads as a JVM prints them, many at once, from undecoded bytes.

Most threads of a large dump have a stack that other threads have too. So the text below a header is looked up, and one
regular expression parses the headers of a whole chunk, column by column.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import repeat
from sys import intern
from typing import NamedTuple, TypeVar

from mqdiag.read.stacks import patterns
from mqdiag.read.stacks.body import Block, BodyParser
from mqdiag.read.stacks.header import NO_STACK
from mqdiag.read.stacks.records import ThreadRecord

_HEADERS = re.compile(b"^" + patterns.HEADER_TAIL.pattern.encode(), re.M)
_OBJECT_WAIT = b" in Object.wait()"
_N = TypeVar("_N", int, float)


class PlainThreads(NamedTuple):
    """The threads at the beginning of some text."""

    threads: list[ThreadRecord]
    size: int
    """bytes of their text"""
    with_synchronizers: bool
    """one of them lists the locks of java.util.concurrent that it owns"""


_NONE = PlainThreads([], 0, False)


def plain_threads(data: bytes, bodies: BodyParser) -> PlainThreads:
    """Read threads up to the first one that is odd in any way, but not the last one, which may go on.

    Args:
        data: text from the opening quote of a thread's name on.
        bodies: the stacks that were parsed before.
    """
    # empty, name, tail, name, tail, ...: a tail is what stands behind a name, with the lines below it
    parts = data.split(b'"')
    headers: list[bytes] = []
    blocks: list[Block] = []
    for tail in parts[2:-1:2]:
        header, _, body = tail.partition(b"\n")
        block = bodies.plain_block(body)
        if block is None:
            break
        headers.append(header)
        blocks.append(block)
    fields = _HEADERS.findall(b"\n".join(headers))
    if len(fields) != len(headers):
        # one of the lines is no header
        count = next(place for place, header in enumerate(headers) if _HEADERS.match(header) is None)
        del headers[count:], blocks[count:]
        fields = _HEADERS.findall(b"\n".join(headers))
    count = len(headers)
    if not count:
        return _NONE
    names = _names(parts[1 : 2 * count : 2])
    threads = _records(names, blocks, fields) if len(names) == count else None
    if threads is None:
        return _NONE
    size = sum(map(len, parts[: 2 * count + 1])) + 2 * count
    return PlainThreads(threads, size, any(block.with_synchronizers for block in blocks))


def _names(names: list[bytes]) -> list[str]:
    """The names, decoded; another number of them if one has a line break or a character that is not read as it is."""
    text = b"\n".join(names).decode(errors="replace")
    if "\r" in text or "&" in text or "\xa0" in text or "\ufeff" in text:
        return []
    return list(map(intern, text.split("\n")))


def _records(
    names: list[str], blocks: list[Block], fields: list[tuple[bytes, ...]]
) -> list[ThreadRecord] | None:
    """A record of each thread; None if a header has an unusual value."""
    ids, os_ids, daemons, cpus, elapsed, allocated, units, tids, nids, rests = zip(*fields, strict=True)
    if not all(tid.startswith(b"0x") for tid in tids):
        return None
    tid_texts = b"\n".join(tids).decode().split("\n")
    try:
        return list(
            map(
                ThreadRecord,
                names,
                [block.stack or NO_STACK for block in blocks],
                [block.addresses for block in blocks],
                _numbers(int, ids),
                map(intern, tid_texts),
                [_native_id(nid or os_id) for nid, os_id in zip(nids, os_ids, strict=True)],
                map(bool, daemons),
                repeat(False),
                _numbers(float, cpus),
                _numbers(float, elapsed),
                [
                    int(number) * patterns.UNITS[unit.decode()] if number else None
                    for number, unit in zip(allocated, units, strict=True)
                ],
                *repeat(repeat(None), 4),
                [rest.startswith(_OBJECT_WAIT) for rest in rests],
            )
        )
    except ValueError:
        # a decimal comma, or a native id that is not there
        return None


def _numbers(number: Callable[[bytes], _N], column: tuple[bytes, ...]) -> list[_N | None]:
    return [number(value) if value else None for value in column]


def _native_id(value: bytes) -> int | None:
    return int(value, 0) if value else None
