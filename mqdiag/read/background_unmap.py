"""A dump that leaves the page table while the report is written: the end of a run would wait for that.

The pages themselves stay with the system, and one that is read again comes back.
"""

from __future__ import annotations

import ctypes
import mmap
import sys
import threading
from contextlib import suppress

from mqdiag.read.cores import LEAST_BYTES, worker_count
from mqdiag.read.source import Source

_WINDOW_BYTES = 64 << 20
"""bytes of one call: whoever asks the system for memory meanwhile waits for its end"""


def unmap_in_background(source: Source) -> None:
    """Take all pages of a large mapped file out of the page table, on a second core if there is one.

    Args:
        source: of which hardly a byte will be read from now on; a copy in memory is left alone.
    """
    is_worth_it = source.state is not None and source.data.size >= LEAST_BYTES and worker_count() > 1
    if is_worth_it and sys.platform == "linux":
        thread = threading.Thread(target=_unmap, args=(source,), name="mqdiag-unmap", daemon=True)
        with suppress(RuntimeError):  # this user may start no more threads
            thread.start()


def _unmap(source: Source) -> None:
    # Not mmap.madvise, which holds the GIL.
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    begin, size_bytes = source.data.ctypes.data, source.data.size
    for at in range(0, size_bytes, _WINDOW_BYTES):
        madvise(begin + at, min(_WINDOW_BYTES, size_bytes - at), mmap.MADV_DONTNEED)
