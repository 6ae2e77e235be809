"""Evidence of `fixtures` that many tests ask about is read once by each worker: what it says never changes.

What is kept is frozen, and was read by the functions themselves. A test reads for itself where reading is what it is
about: in the folders below, where it changes the program by `monkeypatch`, and where it asks for `read_again`.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

FIXTURES = Path(__file__).parents[1] / "fixtures"
READS = {"cache", "capture", "fleet", "graph", "hostile", "kernel", "read", "rocketmq"}
"""folders of tests that look at how things are read"""
KEPT = {
    "mqdiag.diagnose.heap_facts": "read_heap",
    "mqdiag.diagnose.incident": "read_incident",
    "mqdiag.diagnose.logs": "read_logs",
}
"""functions whose answers are kept, by their module; each takes what to read, then the settings"""

_is_on = False


def choose(item: pytest.Item) -> None:
    """Say which test runs next; the first of a worker has what the functions of `KEPT` answer kept."""
    global _is_on
    used = getattr(item, "fixturenames", ())
    _is_on = not (_looks_at_reading(item.path) or "monkeypatch" in used or "read_again" in used)
    if _is_on:
        _keep_answers()


@cache
def _looks_at_reading(path: Path) -> bool:
    """Whether the file of tests is of a folder of `READS`."""
    return path.relative_to(Path(__file__).parent).parts[0] in READS


@cache
def _keep_answers() -> None:
    for module, name in KEPT.items():
        loaded = importlib.import_module(module)
        setattr(loaded, name, _kept(getattr(loaded, name)))


def _kept(read: Callable[..., Any]) -> Callable[..., Any]:
    answers: dict[object, Any] = {}

    def asked(given: Any, settings: Any, **options: Any) -> Any:
        several = isinstance(given, Iterable) and not isinstance(given, str)
        files = tuple(given) if several else (given,)
        paths = [Path(getattr(one, "path", one)) for one in files]
        if not _is_on or not _is_plain(settings) or not all(path.is_relative_to(FIXTURES) for path in paths):
            return read(files if several else given, settings, **options)
        told = sorted((name, repr(value)) for name, value in options.items() if name != "progress")
        key = repr(files), settings.heap_limit, settings.utc_offset_minutes, settings.jobs, repr(told)
        if key not in answers:
            answers[key] = read(files if several else given, settings, **options)
        return answers[key]

    return asked


def _is_plain(settings: Any) -> bool:
    """Whether nothing that a team knows, and no dump that an earlier run kept, has a part in reading."""
    team = sys.modules.get("mqdiag.knowledge.library_files")
    return settings.team is None and settings.cache_bytes == 0 and (team is None or not team._added)
