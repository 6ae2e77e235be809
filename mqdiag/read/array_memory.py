"""Where large arrays are: in memory, or in nameless files where memory is short.

The kernel writes pages of a file-backed array out when it needs room, and does not end the process. While there is
room, such an array costs no more than memory, and the disk nothing: its pages are dropped when the array is let go of
(docs/performance.md). So a large graph has its arrays that are read in order in files wherever the disk has room.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import tempfile
from enum import IntEnum
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mqdiag.errors import InputError
from mqdiag.files import fits
from mqdiag.read.available_memory import available_bytes
from mqdiag.read.reused_memory import ReusedMemory, reused_memory
from mqdiag.text import say

_M_MMAP_THRESHOLD = -3
"""as malloc.h of glibc has it"""
_RETURNED_BYTES = 4 << 20
"""an array of this size is returned"""
_LARGE_BYTES = 512 << 20
"""size of a graph, from which on arrays that are read in order go to files though there is memory"""
_SMALLEST_BYTES = 1 << 20
"""a smaller array stays in memory"""
_ADDRESS_BYTES = 64
"""bytes of the range that arrays in memory lie in, for each object that a dump can have at most"""
_SHARE_OF_FREE = 0.8
"""share of the memory that is free: other programs take some while the run goes on"""
_SHARE_OF_WALK = 0.4
"""share of the room, for the places of objects as they are found: bringing them into order takes as much again"""


class InFiles(IntEnum):
    """Which arrays are in files."""

    NOTHING = 0
    READ_IN_ORDER = 1
    """those that are written once and mostly read in order"""
    ALL = 2
    """those that are read and written in any order too, which is slow"""


class ArrayMemory:
    """The memory that a dump's arrays may take.

    Args:
        path: the dump, for errors.
        memory_bytes: as the user says; None for most of what is free.
    """

    def __init__(self, path: str, memory_bytes: int | None = None) -> None:
        self._path, self._given_bytes = path, memory_bytes
        self.in_files = InFiles.NOTHING
        self._by_choice = False
        """whether the arrays in files would fit the memory too"""
        self._walked_bytes = 0
        self._reused: ReusedMemory | None = None

    @cached_property
    def memory_bytes(self) -> int | None:
        """What the arrays may take; None where nothing tells. Counts alone never ask."""
        if self._given_bytes is not None:
            return self._given_bytes
        free = available_bytes()
        return None if free is None else int(free * _SHARE_OF_FREE)

    @property
    def folder(self) -> str:
        """Where the files are: the temporary folder, or the one of the system's disk if the former is in memory."""
        folder = tempfile.gettempdir()
        return "/var/tmp" if _is_memory(folder) and os.access("/var/tmp", os.W_OK) else folder

    def reserve(self, most_objects: int) -> None:
        """Have large arrays in memory take the place of earlier ones from now on."""
        self._reused = reused_memory(max(most_objects * _ADDRESS_BYTES, _SMALLEST_BYTES))

    def give_back(self) -> None:
        """Give memory that arrays have left to the system, and what others leave from now on."""
        if self._reused is not None:
            self._reused.close()

    @property
    def reused_bytes(self) -> int:
        """Bytes of memory that arrays took one after the other, up to now."""
        return 0 if self._reused is None else self._reused.peak_bytes

    def allow(self, needed_bytes: int, in_order_bytes: int, any_order_bytes: int) -> bool:
        """Choose which arrays go to files.

        Args:
            needed_bytes: what all arrays take at the peak.
            in_order_bytes: what those take that are written once and mostly read in order.
            any_order_bytes: what the others take at their own peak.

        Returns:
            whether memory is too short for all of them.

        Raises:
            InputError: it is, and the disk has no room for the others.
        """
        if self.memory_bytes is None or needed_bytes <= self.memory_bytes:
            if (
                needed_bytes >= _LARGE_BYTES
                and not _is_memory(self.folder)
                and fits(self.folder, in_order_bytes)
            ):
                self.in_files = InFiles.READ_IN_ORDER
                self._by_choice = True
            return False
        self.give_back()
        self.in_files = InFiles.READ_IN_ORDER if any_order_bytes <= self.memory_bytes else InFiles.ALL
        on_disk = in_order_bytes if self.in_files == InFiles.READ_IN_ORDER else needed_bytes
        if not fits(self.folder, on_disk):
            raise self._no_room(needed_bytes, on_disk)
        return True

    def empty(
        self, count: int, dtype: type, *, any_order: bool = False, at_end: bool = False, sparse: bool = False
    ) -> NDArray[Any]:
        """An array whose content is undefined.

        Args:
            count: elements.
            dtype: their type.
            any_order: it is read or written in any order.
            at_end: it does not lie between others, which will leave before it.
            sparse: most of it is never touched, as a rule: what took its place would have pages to clear.

        Raises:
            InputError: the disk is full.
        """
        if not self._fits(count, dtype, any_order):
            return self._in_file(count, dtype)
        if sparse:
            return np.empty(count, dtype)
        return self._in_memory(count, dtype, at_end)[0]

    def zeros(self, count: int, dtype: type, *, any_order: bool = False) -> NDArray[Any]:
        """An array of zeros; arguments and errors as in `empty`."""
        if not self._fits(count, dtype, any_order):
            return self._in_file(count, dtype)
        array, is_clear = self._in_memory(count, dtype)
        if not is_clear:
            array[:] = 0
        return array

    def ready(self, count: int, dtype: type, *, any_order: bool = False) -> NDArray[Any]:
        """An array with its pages already there, where the graph is large and the memory ample.

        Clearing them is work that one thread can do while another one searches. Arguments and errors as in `empty`.
        """
        array = self.empty(count, dtype, any_order=any_order)
        self.make_ready(array)
        return array

    def make_ready(self, array: NDArray[Any]) -> None:
        """The same for an array that is there."""
        if self._by_choice:
            array[:: mmap.PAGESIZE // array.itemsize] = 0

    @property
    def is_ample(self) -> bool:
        """Whether the memory takes all arrays, those in files too."""
        return self.in_files == InFiles.NOTHING or self._by_choice

    def keep(self, found: NDArray[Any]) -> NDArray[Any]:
        """An array of the walk over the dump, moved to a file once these take a large part of the memory."""
        self._walked_bytes += found.nbytes
        full = self.memory_bytes is not None and self._walked_bytes > self.memory_bytes * _SHARE_OF_WALK
        if not full or found.nbytes < _SMALLEST_BYTES:
            return found
        moved = self._in_file(found.size, found.dtype)
        moved[:] = found
        return moved

    def _fits(self, count: int, dtype: type, any_order: bool) -> bool:
        least = InFiles.ALL if any_order else InFiles.READ_IN_ORDER
        return self.in_files < least or count * np.dtype(dtype).itemsize < _SMALLEST_BYTES

    def _in_memory(self, count: int, dtype: type, at_end: bool = False) -> tuple[NDArray[Any], bool]:
        """An array of undefined content, and whether it is all zeros."""
        if self._reused is not None and count * np.dtype(dtype).itemsize >= _SMALLEST_BYTES:
            found = self._reused.empty(count, dtype, at_end=at_end)
            if found is not None:
                return found
        return np.empty(count, dtype), False

    def _in_file(self, count: int, dtype: type | np.dtype[Any]) -> NDArray[Any]:
        size = count * np.dtype(dtype).itemsize
        with tempfile.TemporaryFile(prefix="mqdiag-array-", dir=self.folder) as file:
            try:
                # All of its blocks now: a disk that is full later would end the process with a signal.
                os.posix_fallocate(file.fileno(), 0, size)
            except OSError as error:
                if self._by_choice:
                    return np.zeros(count, dtype)
                raise self._no_room(size, size) from error
            try:
                mapped = mmap.mmap(file.fileno(), size)
            except OSError as error:
                # Where the address space is limited, files are no way out.
                raise MemoryError(size) from error
        return np.frombuffer(mapped, dtype, count)

    def _no_room(self, needed_bytes: int, on_disk: int) -> InputError:
        return InputError(
            self._path,
            say(
                "its graph takes {needed:bytes}, more than the {memory:bytes} of memory that it may take, and {folder}"
                " has no room for {on_disk:bytes} of it",
                needed=needed_bytes,
                memory=self.memory_bytes or 0,
                folder=self.folder,
                on_disk=on_disk,
            ),
            hint=say("set TMPDIR to a folder with room, use --quick, or a machine with more memory"),
            lack="memory",
        )


def give_back_what_is_freed() -> None:
    """Have the C library return each freed array to the system at once.

    glibc raises the size from which it does so to 32 MiB as arrays are freed (mallopt(3), M_MMAP_THRESHOLD). What the
    walk over the dump found would then be held to the end of the run. Other C libraries have no such habit.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _RETURNED_BYTES)


def _is_memory(folder: str) -> bool:
    """Whether the folder's file system is kept in memory, by /proc/self/mountinfo of proc(5)."""
    try:
        lines = Path("/proc/self/mountinfo").read_text().splitlines()
        device = os.stat(folder).st_dev
    except OSError:
        return False
    number = f"{os.major(device)}:{os.minor(device)}"
    for line in lines:
        mount, _, rest = line.partition(" - ")
        if mount.split()[2] == number:
            return rest.split()[0] in ("tmpfs", "ramfs")
    return False
