"""Which reader and rules these are: a version stays the same while both change."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path

import mqdiag

_OUTSIDE = frozenset(
    {
        "__pycache__",
        "_kernel_cache",
        "analysis",
        "capture",
        "cli",
        "language",
        "mcp",
        "notebook",
        "query",
        "render",
    }
    | {"show", "views", "watching"}
)
"""packages that no row of an incident depends on"""
_CODE = (".py", ".toml", ".sh", ".tsv")


_OF_JUDGING = frozenset({"causes", "fleet", "rules"})
"""packages, and the folder of cards, that what is read of evidence does not depend on"""


def tool_hash() -> str:
    """Hash of all code and knowledge that the rows of an incident depend on."""
    return _hash_without(_OUTSIDE)


def reader_hash() -> str:
    """Hash of the code and knowledge alone that facts depend on: with other rules they stay."""
    return _hash_without(_OUTSIDE | _OF_JUDGING)


@cache
def _hash_without(left_out: frozenset[str]) -> str:
    digest = hashlib.blake2b(digest_size=8)
    root = Path(mqdiag.__file__).parent
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(set(folders) - left_out)
        for name in sorted(names):
            if name.endswith(_CODE):
                path = Path(folder, name)
                data = path.read_bytes()
                digest.update(f"{path.relative_to(root)}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()
