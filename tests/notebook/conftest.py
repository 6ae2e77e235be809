"""One committed dump, opened once, and what the rig said of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mqdiag.notebook import Heap, open_dump

FOLDER = Path(__file__).parents[2] / "fixtures" / "heap" / "healthy-busy-5.3.3"


@pytest.fixture(scope="session")
def heap() -> Heap:
    """A busy consumer: several queues with messages, some of them in the hands of its workers."""
    return open_dump(FOLDER / "dump.hprof.gz")


@pytest.fixture(scope="session")
def truth() -> Any:
    return json.loads((FOLDER / "truth.json").read_text())
