"""Small archives that unpack to much, or say that they do. The functions return the bytes of a file."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable

LINE = b"2026-11-21 10:00:00,000 WARN BrokerFastFailure - [TIMEOUT_CLEAN_QUEUE]broker busy\n"
STREAM_BYTES = 16 << 20
"""unpacked, of each of the equal streams that a bomb is made of"""


def repeated(size: int) -> bytes:
    """Lines of a log, always the same."""
    return LINE * (size // len(LINE))


def gzip_bomb(streams: int = 64) -> bytes:
    """1 GiB in 1.7 MB."""
    return gzip.compress(repeated(STREAM_BYTES), mtime=0) * streams


def bzip2_bomb(streams: int = 200) -> bytes:
    """3.1 GiB in less than 1 MB."""
    return bz2.compress(repeated(STREAM_BYTES)) * streams


def xz_bomb(streams: int = 200) -> bytes:
    """3.1 GiB in less than 1 MB."""
    return lzma.compress(repeated(STREAM_BYTES)) * streams


def xz_that_asks_for_memory() -> bytes:
    """Some bytes of xz data with a dictionary of 4 GiB."""
    data = bytearray(lzma.compress(LINE))
    size = (data[12] + 1) * 4
    at = data.index(b"\x21\x01", 12)
    data[at + 2] = 40
    data[12 + size - 4 : 12 + size] = struct.pack("<I", zlib.crc32(data[12 : 12 + size - 4]))
    return bytes(data)


def zip_of(members: dict[str, bytes], kind: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", kind) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def zip_bomb() -> bytes:
    """One member packed with bzip2, which a zip file may have too; more than the 256 MiB that are unpacked of it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_BZIP2) as archive, archive.open("broker.log", "w") as member:
        for _ in range(20):
            member.write(repeated(STREAM_BYTES))
    return out.getvalue()


def nested_zips(depth: int = 3, each: int = 16) -> bytes:
    """Zip files in zip files: 16^3 members of 16 MiB, 64 GiB in some KB."""
    data, name = repeated(STREAM_BYTES), "broker.log"
    for level in range(depth):
        data, name = zip_of({f"{number}-{name}": data for number in range(each)}), f"{level}.zip"
    return data


def overlapping_zip(members: int = 2_000) -> bytes:
    """Members that all have the same bytes of the file, as the bombs of David Fifield."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("broker.log", repeated(STREAM_BYTES))
        (first,) = archive.filelist
        archive.filelist += [first] * (members - 1)
    return out.getvalue()


def zip_that_says_much() -> bytes:
    """A member of which the directory says that it unpacks to 4 GiB, less 16 bytes."""
    data = bytearray(zip_of({"broker.log": LINE}))
    at = data.index(b"PK\x01\x02")
    struct.pack_into("<I", data, at + 24, 0xFFFF_FFF0)
    return bytes(data)


def lzma_zip() -> bytes:
    """A member with a dictionary of 4 GiB."""
    data = bytearray(zip_of({"broker.log": LINE}, zipfile.ZIP_LZMA))
    name_at = data.index(b"broker.log")
    struct.pack_into("<I", data, name_at + len("broker.log") + 5, 0xFFFF_FFFF)
    return bytes(data)


def tar_of_a_hole(size: int = 60 << 30) -> bytes:
    """A member that is one hole of 60 GiB."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        member = tarfile.TarInfo("broker.log")
        member.pax_headers = {"GNU.sparse.map": "0,0", "GNU.sparse.size": str(size)}
        archive.addfile(member)
    return out.getvalue()


def tar_bomb(pack: Callable[[bytes], bytes], streams: int = 64) -> bytes:
    """A packed tar file, of which the one member is the same again and again."""
    data = repeated(STREAM_BYTES)
    member = tarfile.TarInfo("broker.log")
    member.size = streams * len(data)
    return pack(member.tobuf()) + pack(data) * streams


def tar_of_a_global_header(keys: int = 60_000, members: int = 4_000) -> bytes:
    """A header for all members with many keys, and members of nothing: 3.5 MB in 0.3 MB."""
    out = io.BytesIO()
    everywhere = {f"key{number}": "x" * 8 for number in range(keys)}
    with tarfile.open(fileobj=out, mode="w:gz", format=tarfile.PAX_FORMAT, pax_headers=everywhere) as archive:
        for number in range(members):
            archive.addfile(tarfile.TarInfo(f"{number}.log"))
    return out.getvalue()


BOMBS: dict[str, Callable[[], bytes]] = {
    "log.gz": gzip_bomb,
    "log.bz2": bzip2_bomb,
    "log.xz": xz_bomb,
    "memory.xz": xz_that_asks_for_memory,
    "bomb.zip": zip_bomb,
    "nested.zip": nested_zips,
    "overlapping.zip": overlapping_zip,
    "says-much.zip": zip_that_says_much,
    "lzma.zip": lzma_zip,
    "hole.tar": tar_of_a_hole,
    "header.tar.gz": tar_of_a_global_header,
    "log.tar.gz": lambda: tar_bomb(gzip.compress),
    "log.tar.bz2": lambda: tar_bomb(bz2.compress),
}
