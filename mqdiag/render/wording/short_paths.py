"""Paths for narrow tables: the folder that all of them share is said once."""

from __future__ import annotations

from collections.abc import Sequence


def shared_folder(paths: Sequence[str]) -> str:
    """The folder that all paths begin with, its slash included; "" where they share none."""
    shared = 0
    for parts in zip(*(path.split("/")[:-1] for path in paths), strict=False):
        if len(set(parts)) > 1:
            break
        shared += len(parts[0]) + 1
    return paths[0][:shared] if paths else ""
