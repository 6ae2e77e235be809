"""`--watch log=TEXT` over logs that are rotated, started again, flooded or exchanged between two looks."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any, cast

import pytest

from mqdiag.capture import watch
from mqdiag.capture.logs import FoundLog
from mqdiag.text import say

Step = Callable[[Path], object]
TEXT = b"BROKER BUSY"
LINES = b"x" * 1000 + b"\n"


class _Target:
    root = ""

    def with_its_rights(self) -> nullcontext[None]:
        return nullcontext()


def _added(data: bytes) -> Step:
    def step(path: Path) -> None:
        with path.open("ab") as file:
            file.write(data)

    return step


def _again(data: bytes) -> Step:
    return lambda path: path.write_bytes(data)


def _rotated(data: bytes, last: bytes = b"") -> Step:
    def step(path: Path) -> None:
        _added(last)(path)
        path.rename(path.with_suffix(".1"))
        path.write_bytes(data)

    return step


def _exchanged(make: Step) -> Step:
    def step(path: Path) -> None:
        path.unlink()
        make(path)

    return step


FOUND: dict[str, tuple[Step, ...]] = {
    "added": (_added(TEXT),),
    "in two parts": (_added(TEXT[:4]), _added(TEXT[4:])),
    "started again": (_again(TEXT),),
    "started again, as long": (_again(TEXT + b"y" * (len(LINES) - len(TEXT))),),
    "started again, longer": (_again(TEXT + b"y" * 5000),),
    "rotated": (_rotated(TEXT),),
    "rotated, longer": (_rotated(TEXT + b"y" * 5000),),
    "before it is rotated": (_rotated(b"y", TEXT),),
    "behind a rotation": (_rotated(b""), _added(TEXT)),
    "away for a while": (Path.unlink, _again(TEXT + LINES * 3)),
    "a long line behind it": (_added(TEXT + b"y" * (20 << 20)),),
    "a long line before it": (_added(b"y" * (20 << 20) + TEXT),),
    "between two parts": (_added(b"y" * ((4 << 20) - 3) + TEXT + b"y" * (1 << 20)),),
    "behind a hole": (lambda path: os.truncate(path, 1 << 40), _added(TEXT)),
}
NOT_FOUND: dict[str, tuple[Step, ...]] = {
    "pipe": (_exchanged(os.mkfifo),),
    "folder": (_exchanged(Path.mkdir),),
    "device": (_exchanged(lambda path: path.symlink_to("/dev/zero")),),
    "loop": (_exchanged(lambda path: path.symlink_to(path)),),
    "gone": (Path.unlink, _added(b"y")),
}


def _holds(path: Path, steps: tuple[Step, ...], text: str, monkeypatch: pytest.MonkeyPatch) -> bool:
    path.write_bytes(TEXT + LINES)
    monkeypatch.setattr(watch, "find_logs", lambda *_: [FoundLog(path=str(path), why=say("it is named"))])
    looked = watch.LogLine(watch.OnThisHost(cast("Any", _Target()), None), text)
    held = False
    for step in steps:
        step(path)
        held |= looked(path) is not None
    return held


@pytest.mark.parametrize("name", FOUND)
def test_a_new_text_is_found_whatever_becomes_of_its_log(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _holds(tmp_path / "a.log", FOUND[name], TEXT.decode(), monkeypatch)


@pytest.mark.parametrize("name", NOT_FOUND)
def test_nothing_but_a_file_is_searched(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not _holds(tmp_path / "a.log", NOT_FOUND[name], TEXT.decode(), monkeypatch)


def test_a_text_may_have_any_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _holds(tmp_path / "a.log", (_added(b"\xff\n"),), os.fsdecode(b"\xff"), monkeypatch)
