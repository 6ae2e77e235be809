"""How wide a text is, apart from what must not be broken."""

from __future__ import annotations

from rich.cells import cell_len


def too_wide(text: str, width: int = 80) -> list[str]:
    """Lines wider than the page that could have been broken: a single word behind its mark is left whole."""
    return [line for line in text.splitlines() if cell_len(line) > width and len(line.split()) > 2]
