"""Local folders, mounted shares and object stores behind one small face.

pyarrow.fs does the work: Spark's Python users have it, and S3, GCS, Azure and HDFS are built in. Schemes that it does
not know (sftp, http, memory, ...) go through fsspec where that is installed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import IO, Any
from urllib.parse import urlsplit

from pyarrow import ArrowException, fs

from mqdiag.errors import UsageError, first_line
from mqdiag.files import write_whole
from mqdiag.text import say

HADOOP_NAMES = {"s3a": "s3", "s3n": "s3"}
"""what Hadoop calls a scheme that pyarrow knows under another name"""
_STRAY = re.compile("[\udc80-\udcff]+")
"""bytes of a path that are not valid UTF-8, as Python has them"""
_NOTHING_THERE = (errno.ENOENT, errno.ELOOP)
"""a name that was removed since it was listed, and a link to nothing"""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A file as a listing tells it."""

    path: str
    """inside its file system"""
    bytes: int
    modified_ns: int | None


@dataclass(frozen=True)
class Storage:
    """One file system; paths are its own, without scheme."""

    system: fs.FileSystem
    prefix: str
    """what makes a URI of a path: "s3://", or nothing for local paths"""
    query: str = ""
    """the options of the URI it was opened with, such as an endpoint"""

    @property
    def is_local(self) -> bool:
        """Whether files can be opened, mapped and renamed in place."""
        return isinstance(self.system, fs.LocalFileSystem)

    def uri(self, path: str) -> str:
        """The name under which any executor finds the path, and the tables keep it.

        A path that is not valid UTF-8 has none. It gets a URI that no other path has, with its bytes escaped.
        """
        if not named_in_utf8(path):
            return f"file://{escaped(path)}"
        return f"{self.prefix}{path}{self.query}"

    def walk(self, folder: str) -> list[Entry | str]:
        """Files (as entries) and folders (as paths) of one folder, by name.

        Bytes of a local name that are not valid UTF-8 are as Python has them in paths; see `named_in_utf8`.

        Raises:
            OSError: the folder cannot be listed.
        """
        found = _of_local(folder) if self.is_local else _of_store(self.system, folder)
        return sorted(found, key=lambda one: one if isinstance(one, str) else one.path)

    def below(self, folder: str) -> list[Entry]:
        """All files of a folder and of those in it, by name; none where there is no folder."""
        every = self.system.get_file_info(fs.FileSelector(folder, recursive=True, allow_not_found=True))
        return sorted((_entry(info) for info in every if info.is_file), key=lambda found: found.path)

    def entry(self, path: str) -> Entry | None:
        """One file, or None where there is none.

        Raises:
            OSError: nothing can be known of the path.
        """
        try:
            info = self.system.get_file_info(path)
        except (ArrowException, LookupError, TypeError, ValueError) as error:
            # whatever the library of a store raises at a path that is none, or without a key
            raise OSError(first_line(error)) from error
        return _entry(info) if info.type == fs.FileType.File else None

    def is_link(self, path: str) -> bool:
        """Whether the path is a symbolic link; object stores have none."""
        return self.is_local and os.path.islink(path)

    def is_folder(self, path: str) -> bool:
        """Whether a folder, or a prefix of an object store, is there."""
        return bool(self.system.get_file_info(path).type == fs.FileType.Directory)

    def open(self, path: str) -> IO[bytes]:
        """A file for reading at any place.

        Raises:
            OSError: it cannot be opened, or is no regular file any more: a pipe would keep the run waiting.
        """
        if self.is_local and not stat.S_ISREG(os.stat(path).st_mode):
            raise OSError(f"{path} is not a regular file")
        stream: Any = self.system.open_input_file(path)
        return stream  # type: ignore[no-any-return]

    def read(self, path: str) -> bytes:
        """A whole small file."""
        with self.open(path) as file:
            return file.read()

    def write(self, path: str, data: bytes, *, durable: bool = True) -> None:
        """Put a whole file: a reader sees all of it or what was there before.

        Args:
            path: where.
            data: all of it.
            durable: wait until a local disk has it.
        """
        if not self.is_local:
            # One upload; an object becomes visible when it is complete.
            with self.system.open_output_stream(path) as stream:
                stream.write(data)
            return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write_whole(path, data, durable=durable)

    def settle(self, paths: Iterable[str]) -> None:
        """Wait until a local disk has files that were written without waiting."""
        for path in paths if self.is_local else ():
            descriptor = os.open(path, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def remove_file(self, path: str) -> None:
        """Delete a file; one that is not there is no error."""
        with contextlib.suppress(FileNotFoundError):
            self.system.delete_file(path)

    def remove_folder(self, path: str) -> None:
        """Delete a folder and all in it; one that is not there is no error."""
        if self.is_folder(path):
            self.system.delete_dir(path)

    def remove_empty_folder(self, path: str) -> None:
        """Delete a folder that has neither files nor folders."""
        if self.is_folder(path) and not self.walk(path):
            self.system.delete_dir(path)


def storage(uri: str) -> tuple[Storage, str]:
    """The storage of a path or URI, and the path in it.

    Raises:
        UsageError: the scheme is unknown, or the URI is malformed or not valid UTF-8.
    """
    if not named_in_utf8(uri):
        raise UsageError(say("{path} has a name that is not valid UTF-8; rename it", path=escaped(uri)))
    if "://" not in uri:
        return Storage(_local(), ""), os.path.abspath(uri)
    scheme, _, rest = uri.partition("://")
    scheme = HADOOP_NAMES.get(scheme, scheme)
    rest, mark, query = rest.partition("?")
    if scheme == "file":
        return Storage(_local(), ""), os.path.abspath("/" + rest.lstrip("/"))
    if "@" in rest.partition("/")[0] and scheme != "abfss":
        raise UsageError(
            say(
                "{scheme}://: do not put keys into a URI, because tables keep it; set them as the store's "
                "own tools expect",
                scheme=scheme,
            )
        )
    try:
        netloc = urlsplit(f"{scheme}://{rest}").netloc
    except ValueError as error:
        reason = first_line(error)
        raise UsageError(
            say("{scheme}://{netloc}: {first_line}", scheme=scheme, netloc=rest, first_line=reason)
        ) from error
    system = _remote(scheme, netloc, query)
    if scheme in ("hdfs", "viewfs"):
        netloc, _, inner = rest.partition("/")
        return Storage(system, f"{scheme}://{netloc}", mark + query), f"/{inner}".rstrip("/")
    return Storage(system, f"{scheme}://", mark + query), rest.rstrip("/")


def named_in_utf8(path: str) -> bool:
    """Whether stores, tables and reports can take a path as it is; local names may have any bytes."""
    return _STRAY.search(path) is None


def escaped(path: str) -> str:
    """A path with each byte that is not valid UTF-8 as in a URI, such as %FF, and % as %25 so that no two are alike.

    A path that is valid UTF-8 is left as it is.
    """
    if named_in_utf8(path):
        return path
    whole = path.replace("%", "%25")
    return _STRAY.sub(
        lambda found: "".join(f"%{byte:02X}" for byte in found.group().encode(errors="surrogateescape")), whole
    )


def without_options(uri: str) -> str:
    """A URI without the options of its endpoint, which stand behind a question mark; a path is left as it is."""
    return uri.partition("?")[0] if "://" in uri else uri


@cache
def _local() -> fs.FileSystem:
    return fs.LocalFileSystem()


@cache
def _remote(scheme: str, netloc: str, query: str) -> fs.FileSystem:
    try:
        system, _ = fs.FileSystem.from_uri(f"{scheme}://{netloc}/x" + (f"?{query}" if query else ""))
    except (ValueError, NotImplementedError, OSError, ImportError) as error:
        try:
            import fsspec

            options = dict(part.split("=", 1) for part in query.split("&") if "=" in part)
            return fs.PyFileSystem(fs.FSSpecHandler(fsspec.filesystem(scheme, **options)))
        except (ImportError, ValueError, TypeError):
            reason = first_line(error)
            raise UsageError(
                say("{scheme}://{netloc}: {first_line}", scheme=scheme, netloc=netloc, first_line=reason)
            ) from error
    return system


def _of_local(folder: str) -> list[Entry | str]:
    """As `Storage.walk`, in any order; pyarrow ends at the first name that is not valid UTF-8."""
    found: list[Entry | str] = []
    with os.scandir(folder) as names:
        for one in names:
            path = os.path.join(folder, one.name)
            try:
                what = one.stat()
            except OSError as error:
                if error.errno in _NOTHING_THERE:
                    continue
                raise
            if stat.S_ISDIR(what.st_mode):
                found.append(path)
            elif stat.S_ISREG(what.st_mode):
                found.append(Entry(path=path, bytes=what.st_size, modified_ns=what.st_mtime_ns))
    return found


def _of_store(system: fs.FileSystem, folder: str) -> list[Entry | str]:
    """As `Storage.walk`, in any order."""
    found: list[Entry | str] = []
    for info in system.get_file_info(fs.FileSelector(folder, allow_not_found=False)):
        if info.type == fs.FileType.Directory:
            found.append(info.path)
        elif info.type == fs.FileType.File:
            found.append(_entry(info))
    return found


def _entry(info: fs.FileInfo) -> Entry:
    return Entry(path=info.path, bytes=info.size or 0, modified_ns=info.mtime_ns)
