"""A limit of the system for a process that answers queries."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager

from mqdiag.errors import UsageError
from mqdiag.graph import Heap
from mqdiag.query.session import TOO_MUCH_MEMORY, Limits

BESIDE_BYTES = 512 << 20
"""for Arrow, for rows on their way out, and for kernels that have to be compiled"""
FOR_BYTE = 8
"""bytes of memory for each byte of the dump: dominators, retained sizes and paths are computed when a query first asks
for them"""


@contextmanager
def memory_limited(heap: Heap, limits: Limits) -> Iterator[None]:
    """Let this process take no more memory than a query may, while the block runs.

    DuckDB's own limit is about tables and sorting. It does not count long texts that one step computes, and those of
    one step can take any amount. At the limit of the system DuckDB gets no more memory, and ends the query with an
    error.

    Args:
        heap: of the queries; open, so that its memory does not count.
        limits: what a query may take.

    Raises:
        UsageError: Python got no more memory, as for rows on their way out.
    """
    before, most = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = _data_bytes() + limits.memory_bytes + BESIDE_BYTES + FOR_BYTE * heap.data.size
    if before != resource.RLIM_INFINITY:
        wanted = min(wanted, before)
    resource.setrlimit(resource.RLIMIT_DATA, (wanted, most))
    try:
        yield
    except MemoryError:
        raise UsageError(TOO_MUCH_MEMORY) from None
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (before, most))


def _data_bytes() -> int:
    """Private memory of this process that can be written, as RLIMIT_DATA counts it (proc(5))."""
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[5]) * resource.getpagesize()
