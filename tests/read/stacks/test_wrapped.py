"""Dumps that a terminal or a ticket system wrapped or double-spaced say the same as before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mqdiag.read.stacks.reader import read_stacks
from mqdiag.read.stacks.wrapped import Joined, wrapped_at
from tests.layers import one_in_each_run
from tests.read.stacks.given import real_dump


def wrap(columns: int) -> Callable[[str], str]:
    def wrapped(text: str) -> str:
        lines = text.expandtabs(8).split("\n")
        return "\n".join(
            line[at : at + columns] for line in lines for at in range(0, max(len(line), 1), columns)
        )

    return wrapped


WAYS: dict[str, Callable[[str], str]] = {
    **{f"wrap-{columns}": wrap(columns) for columns in (72, 80, 100, 120)},
    "double-spaced": lambda text: text.replace("\n", "\n\n"),
    "no-break spaces": lambda text: text.replace(" ", "\u00a0"),
}


@one_in_each_run(2)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", ["urlconnection-stuck", "idle", "jdk8-convoy-stuck", "deadlock-monitors"])
def test_the_threads_are_the_same(case: str, way: str, tmp_path: Path) -> None:
    text = real_dump(case)
    found = []
    for name, shown in (("plain", text), ("changed", WAYS[way](text))):
        (tmp_path / name).write_text(shown)
        (sample,) = read_stacks(str(tmp_path / name)).samples
        assert sample.complete
        found.append(
            [(one.name, one.java_id, one.tid, one.cpu_ms, one.stack, one.addresses) for one in sample.threads]
        )
    assert found[0] == found[1]


def test_pieces_are_joined_as_the_whole() -> None:
    text = wrap(80)(real_dump("urlconnection-stuck")) + "\n"
    columns = wrapped_at(text)
    assert columns == 80
    whole = Joined(columns)(text)
    lines = text.splitlines(keepends=True)
    in_pieces = Joined(columns)
    assert "".join(in_pieces("".join(lines[at : at + 7])) for at in range(0, len(lines), 7)) == whole


def test_a_plain_dump_is_not_wrapped() -> None:
    for case in ("urlconnection-stuck", "jdk8-convoy-stuck", "idle"):
        assert wrapped_at(real_dump(case)) is None
