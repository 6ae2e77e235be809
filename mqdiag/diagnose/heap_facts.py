"""Puts together what the graph and the RocketMQ view say about one dump."""

from __future__ import annotations

from pathlib import Path

from mqdiag.config import Settings
from mqdiag.errors import InputError
from mqdiag.facts import HeapFacts, Input
from mqdiag.progress import Progress


def read_heap(
    path: Path, settings: Settings, *, quick: bool, name: str, progress: Progress
) -> tuple[Input, HeapFacts]:
    """Read a dump as far as it goes."""
    raise InputError(name, "heap dumps cannot be read yet")
