"""The members of zip files, one level deep: a module of its own, as the library takes 4 ms to import."""

from __future__ import annotations

import os
import stat
import zipfile
from collections.abc import Iterator
from typing import IO

from mqdiag.errors import InputError
from mqdiag.read.open.archives import DAMAGE, Entry, chunks_of, reason_of
from mqdiag.read.open.limits import MAX_ZIP_DIRECTORY, allowed
from mqdiag.read.open.links import Links
from mqdiag.text import Text, say

_HEADER = 30
"""least bytes before the data of a member"""
_LONGEST_TARGET = 4096
"""bytes of the path that a link leads to, as Linux has it"""
_DAMAGE = (zipfile.BadZipFile, *DAMAGE)


def zip_entries(label: str, file: IO[bytes]) -> Iterator[Entry]:
    """Every file in a zip file; each one's chunks must be read before the next.

    Raises:
        InputError: it is damaged, or lists what no honest archive does.
    """
    try:
        size = _check_directory(label, file)
        archive = zipfile.ZipFile(file)
    except _DAMAGE as error:
        raise InputError(
            label,
            say("begins like a zip file, and is damaged: {error}", error=reason_of(error)),
            hint=say("copy it again, or pack the files again"),
        ) from None
    with archive:
        _check_overlaps(label, archive)
        links = Links()
        for info in archive.infolist():
            is_link = stat.S_ISLNK(info.external_attr >> 16) and info.file_size <= _LONGEST_TARGET
            if is_link and _unfit(info, size) is None:
                links.add_symbolic(info.filename, _target(archive, info))
                continue
            links.add(info.filename)
            if not info.is_dir():
                yield Entry(info.filename, _zip_chunks(f"{label}!{info.filename}", archive, info, size))
        yield from (Entry(*lost) for lost in links.lost(label))


def _target(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> str:
    """Where a link leads; nowhere, if the archive is damaged there."""
    try:
        return archive.read(info).decode("utf-8", "surrogateescape")
    except _DAMAGE:
        return "/"


def _zip_chunks(name: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo, size: int) -> Iterator[bytes]:
    problem = _unfit(info, size)
    if problem is not None:
        raise InputError(name, problem)
    try:
        stream = archive.open(info)
    except _DAMAGE as error:
        raise InputError(name, say("is damaged: {reason}", reason=reason_of(error))) from None
    with stream:
        yield from chunks_of(name, stream.read, damage=_DAMAGE)


def _unfit(info: zipfile.ZipInfo, archive_bytes: int) -> Text | None:
    """Why a member of a zip file is not unpacked, by what its header says."""
    if info.flag_bits & 1:
        return say("is encrypted; unpack it first")
    if info.compress_type == zipfile.ZIP_LZMA:
        # the data itself asks for the memory, and `zipfile` gives it any
        return say("is packed with LZMA; unpack it first")
    if not allowed(info.file_size, archive_bytes):
        return say("says that it unpacks to {size:bytes}; if you trust it, unpack it", size=info.file_size)
    return None


def _check_overlaps(label: str, archive: zipfile.ZipFile) -> None:
    """Refuse members that overlap: the same bytes would be unpacked again and again."""
    members = sorted(archive.infolist(), key=lambda info: info.header_offset)
    ends = [*(info.header_offset for info in members[1:]), archive.start_dir]
    for info, end in zip(members, ends, strict=True):
        if info.header_offset + _HEADER + info.compress_size > end:
            raise InputError(label, say("is a damaged zip file: its members overlap"))


def _check_directory(label: str, file: IO[bytes]) -> int:
    """Refuse a directory of contents that would not fit into memory; `zipfile` reads it whole.

    Returns:
        the bytes of the whole file.
    """
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - (1 << 16) - 22))
    tail = file.read()
    at = tail.rfind(b"PK\x05\x06")
    directory = int.from_bytes(tail[at + 12 : at + 16], "little") if at >= 0 else 0
    if directory == 0xFFFFFFFF:
        at64 = tail.rfind(b"PK\x06\x06")
        directory = int.from_bytes(tail[at64 + 40 : at64 + 48], "little") if at64 >= 0 else 0
    if min(directory, size) > MAX_ZIP_DIRECTORY:
        raise InputError(label, say("lists too many files to be read"), hint=say("unpack what matters"))
    file.seek(0)
    return size
