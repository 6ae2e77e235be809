"""The parts of docs/accuracy.md that a run fills: what stands between `<!-- name -->` and `<!-- /name -->`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "accuracy.md"


def fill(name: str, body: str) -> None:
    """Put a new body in a part's place."""
    pattern = re.compile(f"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    text, found = pattern.subn(lambda part: f"{part[1]}{body.strip()}\n{part[2]}", PAGE.read_text())
    if found != 1:
        raise ValueError(f"docs/accuracy.md has {found} parts named {name}")
    PAGE.write_text(text)


def table(head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    """A Markdown table; numbers with thousands."""
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for row in rows:
        cells = [f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
