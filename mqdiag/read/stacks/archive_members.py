"""The members of zip and tar files: imported where evidence is packed, as both readers take 3 ms to import."""

from __future__ import annotations

import contextlib
import os
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from itertools import chain
from typing import IO, cast

from mqdiag.errors import InputError, damaged_archive
from mqdiag.read.archive import EndOfArchiveError, TarFeed, check_zip_members, forget_headers, unfit
from mqdiag.read.stacks.gzip_chunks import CHUNK, Joined, gzip_chunks
from mqdiag.read.unpacked import Unpacked
from mqdiag.text import say

MAX_MEMBERS = 2_000
"""files read out of one archive"""
SKIPPED_SUFFIXES = (".hprof", ".jar", ".class", ".png", ".jpg", ".so", ".jfr")


def zip_members(label: str, stream: IO[bytes], counts: Unpacked) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Every file in a zip file, as (label, chunks).

    Raises:
        InputError: it is damaged, or a member cannot be unpacked.
    """
    try:
        archive = zipfile.ZipFile(stream)
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise damaged_archive(
            label, say("begins like a zip file, and is damaged: {error}", error=str(error))
        ) from None
    check_zip_members(label, archive)
    size = stream.seek(0, os.SEEK_END)
    members = [info for info in archive.infolist() if not info.is_dir() and _wanted(info.filename)]
    for info in members[:MAX_MEMBERS]:
        inner = f"{label}!{info.filename}"
        problem = unfit(info, size)
        if problem is not None:
            raise InputError(inner, problem)
        with archive.open(info) as member:
            yield from _member(inner, _counted(inner, _member_chunks(member), counts), counts)


def tar_members(label: str, stream: IO[bytes], counts: Unpacked) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Every file in a tar file, as (label, chunks).

    Raises:
        InputError: it is damaged, or a hole in it is larger than the file can be worth.
    """
    feed = TarFeed(stream, label)
    try:
        with contextlib.suppress(EndOfArchiveError), tarfile.open(fileobj=feed, mode="r|") as archive:
            count = 0
            for info in archive:
                forget_headers(archive)
                if not info.isfile() or not info.size:
                    continue
                inner = f"{label}!{info.name}"
                if info.issparse():
                    counts.take(inner, info.size)
                member = archive.extractfile(info)
                if member is None:
                    continue
                chunks = _member_chunks(member, feed)
                if _wanted(info.name):
                    count += 1
                    if count > MAX_MEMBERS:
                        return
                    yield from _member(inner, chunks, counts)
                for _ in chunks:
                    pass  # what nobody wanted of it
    except (tarfile.TarError, EOFError, zlib.error) as error:
        raise damaged_archive(label, say("is a damaged tar file: {error}", error=str(error))) from None


def _member(label: str, chunks: Iterator[bytes], counts: Unpacked) -> Iterator[tuple[str, Iterator[bytes]]]:
    first = next(chunks, b"")
    if first.startswith(b"\x1f\x8b"):
        yield label, gzip_chunks(label, cast("IO[bytes]", Joined(first, chunks)), counts)
    elif first:
        yield label, chain((first,), chunks)
    else:
        yield label, _nothing(label)


def _counted(label: str, chunks: Iterator[bytes], counts: Unpacked) -> Iterator[bytes]:
    for chunk in chunks:
        counts.take(label, len(chunk))
        yield chunk


def _nothing(label: str) -> Iterator[bytes]:
    """A member of which not one byte can be read; said when it is read, so that the next ones follow."""
    for _ in (label,):
        raise InputError(label, say("is damaged or empty"))
    yield b""


def _member_chunks(stream: IO[bytes], feed: TarFeed | None = None) -> Iterator[bytes]:
    """Chunks of an archive's member as far as they go: what is cut shows as a cut dump."""
    while True:
        try:
            chunk = stream.read(CHUNK >> 4)
        except (zipfile.BadZipFile, tarfile.TarError, EOFError, zlib.error, OSError):
            return
        if not chunk:
            return
        if feed is not None:
            feed.allow()
        yield chunk


def _wanted(name: str) -> bool:
    return not name.lower().endswith(SKIPPED_SUFFIXES) and "__MACOSX" not in name
