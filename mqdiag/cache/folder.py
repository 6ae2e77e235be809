"""The user's folder with what was computed of heap dumps: `$XDG_CACHE_HOME/mqdiag/heaps` or `~/.cache/mqdiag/heaps`.

Only a folder that belongs to the user, and that nobody else can read or write, is used; the way to it is checked as
for compiled kernels (`mqdiag/trusted.py`). There is no other folder to fall back on: where this one cannot be
used, nothing is kept.

A dump has a few files, each named by the dump's key and the part of the graph that it holds. They are written whole
beside their place and renamed, so two runs may keep the same at once. A file that is removed while another run reads
it stays readable for that run.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from typing import BinaryIO, Literal

import msgspec

from mqdiag import trusted
from mqdiag.files import fits, free_bytes, whole_file
from mqdiag.text import NOTHING, Text, say
from mqdiag.user_folders import dumps_folder

SHARE_OF_DISK = 10
"""a tenth of what the disk has free is used where the user gives no limit"""
_PRIVATE_FOLDER, _PRIVATE_FILE = 0o700, 0o600
_ORIGIN = ".origin"
_LONGEST_ORIGIN = 64 << 10
OriginState = Literal["there", "changed", "gone"]
_NAME = re.compile(r"([0-9a-f]{32})\.[a-z]+")
_UNFINISHED = re.compile(r"\.[0-9a-f]{32}\..+")
_ABANDONED_S = 3600.0
"""a file that is still unfinished after so long is of a run that was killed"""
_CLOSED = -1
"""in the place of a descriptor; no call takes it for one, nor for the current folder"""


class Origin(msgspec.Struct, frozen=True):
    """The file that a dump was read from."""

    path: str
    size_bytes: int
    changed_at_ns: int
    """nanoseconds of the epoch"""

    @property
    def state(self) -> OriginState:
        """Whether the file is still as it was when the dump was kept."""
        try:
            now = os.stat(self.path)
        except OSError:
            return "gone"
        same = (now.st_size, now.st_mtime_ns) == (self.size_bytes, self.changed_at_ns)
        return "there" if same else "changed"


class KeptDump(msgspec.Struct, frozen=True):
    """What is kept of one dump."""

    key: str
    size_bytes: int
    used_at_s: float
    """seconds of the epoch when a run last used it"""
    origin: Origin | None = None
    """None of dumps that an older version kept, and of a damaged note"""


class CacheFolder:
    """The opened folder; `close` it.

    Args:
        path: of the folder.
        descriptor: of the same; stays open until `close`.
        limit_bytes: which the files may take together; None for a share of the disk.
    """

    def __init__(self, path: str, descriptor: int, limit_bytes: int | None) -> None:
        self.path = path
        self._descriptor = descriptor
        self._limit_bytes = limit_bytes

    def close(self) -> None:
        """Find, keep and remove nothing from now on; files that were opened stay readable."""
        descriptor, self._descriptor = self._descriptor, _CLOSED
        if descriptor != _CLOSED:
            os.close(descriptor)

    @property
    def limit_bytes(self) -> int:
        """Bytes that the files may take together."""
        if self._limit_bytes is not None:
            return self._limit_bytes
        return (free_bytes(self.path) + sum(size for _, _, size, _ in self._files())) // SHARE_OF_DISK

    def dumps(self) -> list[KeptDump]:
        """What is kept, that first which was not used for longest."""
        sizes: dict[str, int] = {}
        used: dict[str, float] = {}
        for _, key, size, changed_s in self._files():
            if key is not None:
                sizes[key] = sizes.get(key, 0) + size
                used[key] = max(used.get(key, 0.0), changed_s)
        found = (KeptDump(key, sizes[key], used[key], self._origin(key)) for key in sizes)
        return sorted(found, key=lambda kept: kept.used_at_s)

    def note_origin(self, key: str, origin: Origin) -> None:
        """Keep the name of a dump beside what is kept of it."""
        with contextlib.suppress(UnicodeEncodeError):  # a name that is no text is not shown
            text = msgspec.json.encode(origin)

            def fill(file: BinaryIO) -> None:
                file.write(text)

            self.write(f"{key}{_ORIGIN}", len(text), fill)

    def _origin(self, key: str) -> Origin | None:
        with contextlib.suppress(trusted.Untrusted, OSError, msgspec.MsgspecError):
            descriptor = self.open(f"{key}{_ORIGIN}")
            if descriptor is not None:
                with open(descriptor, "rb") as file:
                    return msgspec.json.decode(file.read(_LONGEST_ORIGIN), type=Origin)
        return None

    def open(self, name: str) -> int | None:
        """A descriptor of a file, which the caller closes; None where there is none.

        Raises:
            Untrusted: it is no regular file, or somebody else owns it or can write to it.
        """
        try:
            return trusted.open_file(self._descriptor, name)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise trusted.Untrusted(say("{reason}", reason=error.strerror)) from None

    def write(self, name: str, size_bytes: int, fill: Callable[[BinaryIO], None]) -> None:
        """Keep a file, whole or not at all; a disk that is full costs only the next run's time.

        Args:
            name: of the file.
            size_bytes: which it takes at most.
            fill: writes it.
        """
        with contextlib.suppress(OSError):
            if self._descriptor != _CLOSED and self._make_room(name, size_bytes):
                with whole_file(os.path.join(self.path, name), mode=_PRIVATE_FILE) as file:
                    fill(file)

    def used(self, name: str) -> None:
        """Note that a run uses a file now."""
        with contextlib.suppress(OSError):
            os.utime(name, dir_fd=self._descriptor)

    def remove(self, key: str) -> None:
        """Remove what is kept of one dump."""
        for name, of, _, _ in self._files():
            if of == key:
                self._unlink(name)

    def clear(self) -> None:
        """Remove everything that mqdiag has written there, finished or not."""
        for name, _, _, _ in self._files():
            self._unlink(name)

    def _make_room(self, name: str, size_bytes: int) -> bool:
        """Remove what was not used for longest until a file fits in; whether it does now."""
        own, _, _ = name.partition(".")
        for left, key, _, changed_s in self._files():
            if key is None and changed_s < time.time() - _ABANDONED_S:
                self._unlink(left)
        taken = sum(size for other, _, size, _ in self._files() if other != name)
        limit = self.limit_bytes
        for kept in self.dumps():
            if taken + size_bytes <= limit:
                break
            if kept.key != own:
                self.remove(kept.key)
                taken -= kept.size_bytes
        return taken + size_bytes <= limit and fits(self.path, size_bytes)

    def _files(self) -> Iterator[tuple[str, str | None, int, float]]:
        """(name, key or None of an unfinished file, bytes, time of the last change or use)."""
        if self._descriptor == _CLOSED:
            return
        # The descriptor is for names only; a list needs one for reading.
        listing = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self._descriptor)
        try:
            names = os.listdir(listing)
        finally:
            os.close(listing)
        for name in names:
            finished = _NAME.fullmatch(name)
            if finished or _UNFINISHED.fullmatch(name):
                with contextlib.suppress(FileNotFoundError):
                    found = os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)
                    yield name, finished[1] if finished else None, found.st_size, found.st_mtime

    def _unlink(self, name: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=self._descriptor)


def open_cache(limit_bytes: int | None = None) -> tuple[CacheFolder | None, Text]:
    """The folder, made where it is missing; else None and why it cannot be used.

    Args:
        limit_bytes: which its files may take together; None for a share of the disk.
    """
    path = dumps_folder()
    if path is None:
        return None, say("the user has no home")
    try:
        descriptor = trusted.open_folder(path, make=_PRIVATE_FOLDER)
    except trusted.Untrusted as error:
        return None, error.reason
    except OSError as error:
        return None, say("{path}: {reason}", path=path, reason=error.strerror)
    found = os.fstat(descriptor)
    if found.st_uid != os.geteuid():
        problem = say("{path} belongs to another user", path=path)
    elif stat.S_IMODE(found.st_mode) & 0o077:
        problem = say("others can read {path}: chmod 700", path=path)
    elif not os.access(".", os.W_OK | os.X_OK, dir_fd=descriptor, effective_ids=True):
        problem = say("{path} cannot be written", path=path)
    else:
        return CacheFolder(path, descriptor, limit_bytes), NOTHING
    os.close(descriptor)
    return None, problem
