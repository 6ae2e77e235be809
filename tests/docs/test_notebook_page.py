"""The code of docs/notebook.md runs, from top to bottom, on the committed dump that it names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.layers import CHECK

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "notebook.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)


@CHECK
def test_all_blocks_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(BLOCKS) == PAGE.count("```python") >= 7
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {}
    for number, block in enumerate(BLOCKS):
        exec(compile(block, f"docs/notebook.md, block {number + 1}", "exec"), names)
    out = capsys.readouterr().out
    assert "ConsumeMessageThread_" in out
    assert names["queues"].statics["PULL_MAX_IDLE_TIME"] == 120_000
    assert len(names["frame"]) == len(names["messages"]) == 2
    assert names["oldest"]["queueOffset"] == 0
