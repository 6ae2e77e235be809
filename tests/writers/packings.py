"""Evidence packed in every way that the door opens, and ways to spoil it."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import tarfile
import zipfile
from collections.abc import Callable

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


def zipped(**members: bytes) -> bytes:
    """A zip file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def tarred(**members: bytes) -> bytes:
    """A tar file."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


SQUEEZED: dict[str, Callable[[bytes], bytes]] = {
    "gz": lambda data: gzip.compress(data, mtime=0),
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstd.compress,
}
"""by ending: one file each"""
PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    **SQUEEZED,
    "zip": lambda data: zipped(given=data),
    "tar": lambda data: tarred(given=data),
    "tar.gz": lambda data: gzip.compress(tarred(given=data), mtime=0),
    "tar.xz": lambda data: lzma.compress(tarred(given=data)),
    "tar.zst": lambda data: zstd.compress(tarred(given=data)),
    "gz.zip": lambda data: zipped(given=gzip.compress(data, mtime=0)),
    "zip.tar": lambda data: tarred(given=zipped(given=data)),
    "gz.gz": lambda data: gzip.compress(gzip.compress(data, mtime=0), mtime=0),
}
"""the same, and archives with one file, also one in the other"""
