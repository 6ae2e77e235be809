"""Real reports, and the same with every text replaced by markup that wants to run."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from mqdiag.diagnose.heap import diagnose_heap
from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.findings import Report
from mqdiag.render import View, renderer

FIXTURES = Path(__file__).parents[3] / "fixtures"
EVIL = (
    "\"'><img src=x onerror=alert(1)><script>alert(2)</script></style><svg onload=alert(3)>{{7*7}}\u202e\x1b[2J"
)
# Fields whose values decide how something is drawn: any other value cannot come out of the readers.
WORDS = {"severity", "confidence", "heap_bytes_source", "shallow_size_source", "why", "until", "severities"}


@cache
def stuck_heap() -> Report:
    return diagnose_heap(FIXTURES / "heap/stuck-one-5.3.3/dump.hprof.gz").report


@cache
def retaining_heap() -> Report:
    return diagnose_heap(FIXTURES / "heap/app-retains-5.3.3/dump.hprof.gz").report


@cache
def convoy() -> Report:
    return diagnose_stacks([FIXTURES / "stacks/convoy-stuck/series.tar.gz"]).report


def html(report: Report, **view: Any) -> str:
    return renderer("html")(report, View(**view))


def poisoned(report: Report) -> Report:
    """Every text of the report, keys of its tables included, carries EVIL."""

    def poison(value: Any, name: str = "") -> Any:
        if isinstance(value, str):
            return value if name in WORDS else f"{EVIL}{value}"
        if isinstance(value, list | tuple):
            return [poison(inner, name) for inner in value]
        if isinstance(value, dict):
            return {key: poison(inner, str(key)) for key, inner in value.items()}
        return value

    plain = json.loads(renderer("json")(report, View()))
    return msgspec.convert(poison(plain), Report, strict=False)
