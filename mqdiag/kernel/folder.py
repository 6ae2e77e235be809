"""Where compiled kernels are kept, so that they are compiled once for a machine.

Every state of the kernel files has a folder of its own, named by their hash:

1. inside the installed package: all users of the installation read it, and its owner fills it;
2. for what is not there, in the user's cache folder, `$XDG_CACHE_HOME/mqdiag` or `~/.cache/mqdiag`;
3. else in `mqdiag-UID` below the folder for temporary files.

`MQDIAG_KERNELS` names another folder instead of these, such as the volume of a container. It may outlive an upgrade;
one that can neither be written nor has been filled is not used.

A kernel is code that runs, so only trusted folders are used (`trusted`). Where there is none, kernels are compiled in
memory, in each process again.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import source_hash
from pathlib import Path
from typing import Literal, get_args

import msgspec

from mqdiag import trusted
from mqdiag.files import write_whole
from mqdiag.kernel.mode import uses_numba
from mqdiag.progress import note_once
from mqdiag.text import NOTHING, Text, say
from mqdiag.user_folders import user_folder

Task = Literal["counts", "heap", "logs", "query", "recording", "redact", "show"]
"""what kernels are compiled for: `mqdiag heap --quick`, `heap` and all that reads the same graph, `show`, `redact`,
logs that are long, recordings"""
TASKS: tuple[Task, ...] = get_args(Task)
_PACKAGE = Path(__file__).parents[1]
KERNEL_FOLDERS = (
    "kernel",
    "graph/kernels",
    "read/hprof/kernels",
    "read/jfr/kernels",
    "read/logs/kernels",
    "redact/kernels",
)
"""with all kernels, and with what compiles them; each run hashes them, and a search of the package takes 4 ms"""
_READY = "ready-"
"""begins the name of the empty file that says of a task that its kernels are kept"""
_SHARED, _PRIVATE = 0o755, 0o700


class _Folder(msgspec.Struct, frozen=True):
    path: str
    descriptor: int
    """stays open as long as the process, so that the folder that was checked is the one that is read"""
    permissions: int
    """permissions of a folder; its files have the same without execution"""

    @property
    def is_writable(self) -> bool:
        return os.access(".", os.W_OK | os.X_OK, dir_fd=self.descriptor, effective_ids=True)

    def is_ready(self, task: Task) -> bool:
        """Whether all kernels that the task calls were compiled into it."""
        return self.read(_READY + task) is not None

    @property
    def is_filled(self) -> bool:
        """Whether the kernels of at least one task were."""
        return any(map(self.is_ready, TASKS))

    def read(self, name: str) -> bytes | None:
        try:
            return trusted.read_file(self.descriptor, name)
        except (OSError, trusted.Untrusted):
            return None


class _Chosen(msgspec.Struct, frozen=True):
    """The folders of this process."""

    read: tuple[_Folder, ...]
    write: _Folder | None
    why_none: tuple[Text, ...] = ()
    """why nothing is kept, which is told when a kernel is asked for: who can do without does not ask"""


@cache
def state() -> str:
    """Hash over all kernel files and how they are compiled."""
    files = sorted(file for folder in KERNEL_FOLDERS for file in (_PACKAGE / folder).glob("*.py"))
    return source_hash(b"".join(map(Path.read_bytes, files))).hex()


def read(name: str) -> Iterator[bytes]:
    """Every kept file of that name, the installation's first."""
    chosen = _chosen()
    if chosen.why_none:
        note_once(say("every run compiles the kernels again, in memory: {reasons}", reasons=chosen.why_none))
    for folder in chosen.read:
        data = folder.read(name)
        if data is not None:
            yield data


def write(name: str, data: bytes) -> None:
    """Keep a file, whole or not at all; a disk that is full costs only the next run's time."""
    folder = _chosen().write
    if folder is not None:
        with contextlib.suppress(OSError):
            write_whole(os.path.join(folder.path, name), data, mode=folder.permissions & 0o666)


@contextmanager
def locked(name: str) -> Iterator[None]:
    """Processes that start together on a new machine: one works, the others wait for it and read.

    Args:
        name: of the lock, a file of the folder. Other users can neither read nor hold it.
    """
    folder = _chosen().write
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        handle = None if folder is None else os.open(name, flags, 0o600, dir_fd=folder.descriptor)
    except OSError:
        handle = None
    if handle is None:
        yield
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def needs_warming(tasks: Iterable[Task]) -> bool:
    """Whether compiled kernels can be kept on this machine, and not all of those that the tasks call are yet."""
    return not uses_numba() and _chosen().write is not None and not is_ready(tasks)


def is_ready(tasks: Iterable[Task]) -> bool:
    """Whether all kernels that the tasks call are kept."""
    return all(any(folder.is_ready(task) for folder in _chosen().read) for task in tasks)


def mark_ready(tasks: Iterable[Task]) -> None:
    """Note that all kernels that the tasks call are kept."""
    if not uses_numba():
        for task in tasks:
            write(_READY + task, b"")


@cache
def _chosen() -> _Chosen:
    named = os.environ.get("MQDIAG_KERNELS")
    if named:
        folder, why_not = _opened(named, _SHARED)
        if folder is not None and (folder.is_writable or folder.is_filled):
            return _Chosen((folder,), folder if folder.is_writable else None)
        note_once(say("MQDIAG_KERNELS is not used: {reason}", reason=why_not))
    shared, why_not = _opened(os.fspath(_PACKAGE / "_kernel_cache"), _SHARED)
    if shared is not None and shared.is_writable:
        return _Chosen((shared,), shared)
    read = () if shared is None else (shared,)
    reasons = [why_not]
    for base in (user_folder(), _temporary_folder()):
        own, why_not = (None, say("the user has no home")) if base is None else _opened(base, _PRIVATE)
        if own is not None and own.is_writable:
            return _Chosen((*read, own), own)
        reasons.append(why_not)
    if any(folder.is_filled for folder in read):
        return _Chosen(read, None)
    return _Chosen(read, None, tuple(dict.fromkeys(filter(None, reasons))))


def _opened(base: str, permissions: int) -> tuple[_Folder | None, Text]:
    """The folder of this state below `base`, made where it is missing; and why it cannot be used or written."""
    path = os.path.join(base, state())
    try:
        descriptor = trusted.open_folder(path, make=permissions)
    except trusted.Untrusted as error:
        return None, error.reason
    except OSError as error:
        return None, say("{path}: {reason}", path=path, reason=error.strerror)
    folder = _Folder(path, descriptor, permissions)
    return folder, NOTHING if folder.is_writable else say("{path} cannot be written", path=path)


def _temporary_folder() -> str:
    # Not tempfile.gettempdir(), which falls back on the working folder: that is often the folder of the evidence.
    base = os.environ.get("TMPDIR", "")
    return os.path.join(base if base.startswith("/") else "/tmp", f"mqdiag-{os.geteuid()}")
