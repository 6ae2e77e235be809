"""A cache of the test's own, which takes dumps of any size."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.graph import graph_cache


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that files are kept in."""
    monkeypatch.setattr(graph_cache, "LEAST_BYTES", 0)
    monkeypatch.delenv("MQDIAG_CACHE_SIZE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "mqdiag" / "heaps"
