"""Gzip in the forms that heap dumps come in."""

from __future__ import annotations

import gzip
import struct
import zlib


def plain(data: bytes) -> bytes:
    """One member, as `gzip` writes it."""
    return gzip.compress(data, 6, mtime=0)


def members(data: bytes, block: int = 4096, *, comment: bool = True) -> list[bytes]:
    """One member for each block; the first says the block size in its comment.

    As `jcmd GC.heap_dump -gz` does (JDK heapDumperCompression.cpp, GZipWriter).
    """
    blocks = [data[at : at + block] for at in range(0, len(data), block)] or [b""]
    text = f"HPROF BLOCKSIZE={block}".encode() + b"\0" if comment else b""
    return [_member(piece, text if i == 0 else b"") for i, piece in enumerate(blocks)]


def jvm(data: bytes, block: int = 4096) -> bytes:
    """Many members with the JVM's comment."""
    return b"".join(members(data, block))


def _member(data: bytes, comment: bytes) -> bytes:
    compressor = zlib.compressobj(6, zlib.DEFLATED, -15)
    body = compressor.compress(data) + compressor.flush()
    head = bytes([0x1F, 0x8B, 8, 0x10 if comment else 0, 0, 0, 0, 0, 0, 0])
    return head + comment + body + struct.pack("<II", zlib.crc32(data), len(data) & 0xFFFFFFFF)
