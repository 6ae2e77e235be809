"""Threads as a JVM prints them, many at once, from undecoded bytes.

Most threads of a large dump have a stack that other threads have too, so the text below a header is compared with those
that are known. In a series of dumps a header differs from that of the sample before only in its times, and most threads
still show the same stack, so both are remembered for each thread; most threads also stand in the same order.
"""

from __future__ import annotations

from typing import NamedTuple

from mqdiag.read.stacks.body import BodyParser
from mqdiag.read.stacks.plain_bodies import PlainBodies, decoded
from mqdiag.read.stacks.records import ThreadRecord


class PlainThreads(NamedTuple):
    """The threads at the beginning of some text."""

    threads: list[ThreadRecord]
    size: int
    """bytes of their text"""
    with_synchronizers: bool
    """one of them lists the locks of java.util.concurrent that it owns"""


def plain_threads(data: bytes, parser: BodyParser) -> PlainThreads:
    """Read threads up to the first one that is odd in any way, but not the last one, which may go on.

    Args:
        data: text from the opening quote of a thread's name on.
        parser: the stacks and headers that were parsed before.
    """
    bodies = parser.plain = parser.plain or PlainBodies(parser.parse_block)
    read_header = bodies.headers.read
    threads: list[ThreadRecord] = []
    with_synchronizers = False
    at = 0
    while (header := read_header(data, at)) is not None:
        known, (cpu_ms, elapsed_s, allocated_bytes), body_at = header
        form = known.form
        body = None if form is None else form.read(data, body_at)
        if form is None or body is None:
            found = bodies.find(data, body_at)
            if found is None:
                break
            form, body = found
            known.form = form if form.is_kept else None
        end, raw = body
        if not raw:
            addresses = form.addresses
        elif raw == known.raw:
            addresses = known.addresses
        else:
            read = decoded(raw)
            if read is None:
                break
            known.raw, known.addresses = raw, read
            addresses = read
        with_synchronizers = with_synchronizers or form.with_synchronizers
        threads.append(
            ThreadRecord(
                known.name,
                form.stack,
                addresses,
                known.java_id,
                known.tid,
                known.nid,
                known.daemon,
                False,
                cpu_ms,
                elapsed_s,
                allocated_bytes,
                None,
                None,
                None,
                None,
                known.in_object_wait,
            )
        )
        at = end
    return PlainThreads(threads, at, with_synchronizers)
