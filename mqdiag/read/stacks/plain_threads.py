"""Threads as a JVM prints them, many at once, from undecoded bytes.

Most threads of a large dump have a stack that other threads have too, so the text below a header is looked up. In a
series of dumps a header differs from that of the sample before only in its times, so the rest is looked up too.
"""

from __future__ import annotations

from typing import NamedTuple

from mqdiag.read.stacks.body import BodyParser
from mqdiag.read.stacks.header import NO_STACK
from mqdiag.read.stacks.records import ThreadRecord


class PlainThreads(NamedTuple):
    """The threads at the beginning of some text."""

    threads: list[ThreadRecord]
    size: int
    """bytes of their text"""
    with_synchronizers: bool
    """one of them lists the locks of java.util.concurrent that it owns"""


def plain_threads(data: bytes, bodies: BodyParser) -> PlainThreads:
    """Read threads up to the first one that is odd in any way, but not the last one, which may go on.

    Args:
        data: text from the opening quote of a thread's name on.
        bodies: the stacks and headers that were parsed before.
    """
    # empty, name, tail, name, tail, ...: a tail is what stands behind a name, with the lines below it
    parts = data.split(b'"')
    parse_header = bodies.headers.parse
    threads: list[ThreadRecord] = []
    with_synchronizers = False
    for name, tail in zip(parts[1:-1:2], parts[2:-1:2], strict=False):
        header, _, body = tail.partition(b"\n")
        block = bodies.plain_block(body)
        found = parse_header(name, header)
        if block is None or found is None:
            break
        known, times = found
        with_synchronizers = with_synchronizers or block.with_synchronizers
        threads.append(
            ThreadRecord(
                known.name,
                block.stack or NO_STACK,
                block.addresses,
                known.java_id,
                known.tid,
                known.nid,
                known.daemon,
                False,
                times.cpu_ms,
                times.elapsed_s,
                times.allocated_bytes,
                in_object_wait=known.in_object_wait,
            )
        )
    count = len(threads)
    size = sum(map(len, parts[: 2 * count + 1])) + 2 * count if count else 0
    return PlainThreads(threads, size, with_synchronizers)
