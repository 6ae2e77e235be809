"""The members of zip and tar files: imported where evidence is packed, as both readers take 3 ms to import."""

from __future__ import annotations

import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from itertools import chain
from typing import IO, cast

from mqdiag.errors import InputError
from mqdiag.read.stacks.gzip_chunks import CHUNK, Joined, gzip_chunks
from mqdiag.text import say

MAX_MEMBERS = 2_000
"""files read out of one archive"""
SKIPPED_SUFFIXES = (".hprof", ".jar", ".class", ".png", ".jpg", ".so", ".jfr")


def zip_members(label: str, stream: IO[bytes]) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Every file in a zip file, as (label, chunks).

    Raises:
        InputError: it is damaged, or a member is encrypted.
    """
    try:
        archive = zipfile.ZipFile(stream)
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise InputError(label, say("is a damaged zip file: {error}", error=str(error))) from None
    members = [info for info in archive.infolist() if not info.is_dir() and _wanted(info.filename)]
    for info in members[:MAX_MEMBERS]:
        inner = f"{label}!{info.filename}"
        if info.flag_bits & 1:
            raise InputError(inner, say("is encrypted"), hint=say("unpack it first"))
        with archive.open(info) as member:
            yield from _member(inner, member)


def tar_members(label: str, stream: IO[bytes]) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Every file in a tar file, as (label, chunks).

    Raises:
        InputError: it is damaged.
    """
    try:
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            count = 0
            for info in archive:
                if not info.isfile() or not info.size or not _wanted(info.name):
                    continue
                count += 1
                if count > MAX_MEMBERS:
                    return
                member = archive.extractfile(info)
                if member is not None:
                    yield from _member(f"{label}!{info.name}", member)
    except (tarfile.TarError, EOFError, zlib.error) as error:
        raise InputError(label, say("is a damaged tar file: {error}", error=str(error))) from None


def _member(label: str, member: IO[bytes]) -> Iterator[tuple[str, Iterator[bytes]]]:
    chunks = _member_chunks(member)
    first = next(chunks, b"")
    if first.startswith(b"\x1f\x8b"):
        yield label, gzip_chunks(label, cast("IO[bytes]", Joined(first, chunks)))
    elif first:
        yield label, chain((first,), chunks)
    else:
        yield label, _nothing(label)


def _nothing(label: str) -> Iterator[bytes]:
    """A member of which not one byte can be read; said when it is read, so that the next ones follow."""
    for _ in (label,):
        raise InputError(label, say("is damaged or empty"))
    yield b""


def _member_chunks(stream: IO[bytes]) -> Iterator[bytes]:
    """Chunks of an archive's member as far as they go: what is cut shows as a cut dump."""
    while True:
        try:
            chunk = stream.read(CHUNK >> 4)
        except (zipfile.BadZipFile, tarfile.TarError, EOFError, zlib.error, OSError):
            return
        if not chunk:
            return
        yield chunk


def _wanted(name: str) -> bool:
    return not name.lower().endswith(SKIPPED_SUFFIXES) and "__MACOSX" not in name
