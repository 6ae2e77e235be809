"""Which dump a file is, without reading all of it."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import numpy as np

from mqdiag import __version__
from mqdiag.read.source import Source

_SAMPLES, _SAMPLE_BYTES = 64, 1 << 12
_PACKAGE = Path(__file__).parents[1]
_CODE = ("cache", "graph", "read/hprof")
"""folders of the package that decide what is kept and how"""


def key_of(source: Source, number: int) -> str:
    """The name of a dump in the cache: its size, its time, samples of its bytes, and the version of mqdiag.

    A copy that keeps the time of its original has the same name. A file that is written to gets another one.

    Args:
        source: the opened file.
        number: of the dump in it, as a file may hold several; the first is 0.
    """
    digest = hashlib.blake2b(digest_size=16)
    digest.update(_code())
    digest.update(
        f"{__version__} {number} {source.data.size} {source.file_bytes} {source.modified_ns}\n".encode()
    )
    last = max(source.data.size - _SAMPLE_BYTES, 0)
    for at in np.linspace(0, last, _SAMPLES, dtype=np.int64).tolist():
        digest.update(source.data[at : at + _SAMPLE_BYTES].tobytes())
    return digest.hexdigest()


@cache
def _code() -> bytes:
    """Hash over the files that make what is kept: a developer's change counts as another version."""
    digest = hashlib.blake2b(digest_size=16)
    for folder in _CODE:
        for file in sorted((_PACKAGE / folder).glob("**/*.py")):
            digest.update(file.read_bytes())
    return digest.digest()
