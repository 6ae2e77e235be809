"""Evidence mapped into memory, and what is said when somebody cuts or changes the file meanwhile.

Where the file or its disk has a page of the mapping no longer, the system answers with SIGBUS, in whichever thread
reads the page. The handler here says which file it was and ends the run (docs/adr/0010-cut-files-and-budgets.md).
"""

from __future__ import annotations

import ctypes
import mmap
import os
import signal
import weakref
from typing import NamedTuple

import numpy as np

from mqdiag.errors import EXIT_INPUT, InputError
from mqdiag.files import remove_unfinished
from mqdiag.progress import note_once
from mqdiag.read.mapped_ahead import FileState, taken_ahead
from mqdiag.text import say

_SA_SIGINFO = 4
_ADDRESS_AT = 16
"""byte of `siginfo_t` where the address is"""
_KNOWN_MACHINES = ("x86_64", "aarch64")
"""where Linux has `siginfo_t` and glibc and musl have `struct sigaction` as they are used here"""


class _Mapping(NamedTuple):
    size_bytes: int
    name: str


class _Action(ctypes.Structure):
    """`struct sigaction`."""

    _fields_ = (
        ("handler", ctypes.c_void_p),
        ("mask", ctypes.c_byte * 128),
        ("flags", ctypes.c_int),
        ("restorer", ctypes.c_void_p),
    )


_mappings: dict[int, _Mapping] = {}
"""by the address where each begins"""
_before = _Action()
_installed = False


def map_file(descriptor: int, size_bytes: int, name: str, access: int = mmap.ACCESS_READ) -> mmap.mmap:
    """The first bytes of a file. A run that finds the file cut later ends with one line and exit code 3.

    Args:
        descriptor: may be closed afterwards.
        size_bytes: more than 0.
        name: what the user calls the file.
        access: read-only, or `ACCESS_COPY` for pages that this process may change for itself.
    """
    mapped = taken_ahead(descriptor, size_bytes) if access == mmap.ACCESS_READ else None
    if mapped is None:
        mapped = mmap.mmap(descriptor, size_bytes, access=access)
    if os.uname().machine in _KNOWN_MACHINES:
        _install()
        address = np.frombuffer(mapped, np.uint8).ctypes.data
        _mappings[address] = _Mapping(size_bytes, name)
        weakref.finalize(mapped, _mappings.pop, address, None)
    return mapped


def refuse_changed(path: str, before: FileState) -> None:
    """Refuse a file that somebody has written to since; one that was only replaced by another of its name is whole.

    Args:
        path: the file.
        before: its state when it was opened.

    Raises:
        InputError: what was read is part old and part new.
    """
    try:
        now = FileState.of(path)
    except OSError:
        return
    if now[:2] == before[:2] and now != before:
        raise InputError(
            path,
            say(
                "was changed while it was read: {before:count} bytes then, {now:count} bytes now",
                before=before.size_bytes,
                now=now.size_bytes,
            ),
            hint=say("wait until it is written, or copy it first"),
        )


def _install() -> None:
    global _installed
    if not _installed:
        _installed = True
        action = _Action(ctypes.cast(_handler, ctypes.c_void_p), flags=_SA_SIGINFO)
        _sigaction(action, _before)


def _sigaction(action: _Action, before: _Action | None = None) -> None:
    ctypes.CDLL(None).sigaction(
        signal.SIGBUS, ctypes.byref(action), None if before is None else ctypes.byref(before)
    )


# Python in a signal handler: a page of a mapping is read by kernels, numpy and slices, never while a lock of malloc or
# of the interpreter is held by the same thread. A thread without the GIL waits for it, as in any callback of ctypes.
def _tell_and_end(number: int, info: int, context: int | None) -> None:
    address = ctypes.c_uint64.from_address(info + _ADDRESS_AT).value
    for begin, (size_bytes, name) in list(_mappings.items()):
        if begin <= address < begin + size_bytes:
            error = InputError(
                name,
                say("was cut while it was read, or its disk failed"),
                hint=say("copy it first, and read the copy"),
                offset=address - begin,
            )
            remove_unfinished()
            note_once(error.text)
            os._exit(EXIT_INPUT)
    # Not ours: whoever was to hear of it hears of it when the instruction is repeated.
    _sigaction(_before)


_handler = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(_tell_and_end)
