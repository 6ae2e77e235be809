"""The parts of pages that a run fills: what is between `<!-- name -->` and `<!-- /name -->`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
"""docs/accuracy.md and the pages of docs/measurements have such parts"""


def fill(name: str, body: str) -> None:
    """Put a new body in a part's place."""
    page, _ = part_of(name)
    pattern = re.compile(f"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    page.write_text(pattern.sub(lambda part: f"{part[1]}{body.strip()}\n{part[2]}", page.read_text()))


def part_of(name: str) -> tuple[Path, str]:
    """The page that has a part, and what the part holds.

    Raises:
        ValueError: no page has it, or it is there twice.
    """
    pattern = re.compile(f"<!-- {name} -->\n(.*?)<!-- /{name} -->", re.DOTALL)
    found = [
        (page, body)
        for page in (DOCS / "accuracy.md", *sorted((DOCS / "measurements").glob("*.md")))
        for body in pattern.findall(page.read_text())
    ]
    if len(found) != 1:
        raise ValueError(f"{len(found)} parts of the pages are named {name}")
    return found[0]


def table(head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    """A Markdown table; numbers with thousands."""
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for row in rows:
        cells = [f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
