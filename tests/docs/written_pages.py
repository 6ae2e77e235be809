"""The pages that people write, without those that `make docs` makes from the code."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS / "make"))
from made_pages import MADE, is_made  # noqa: E402 - the scripts that make pages are no package

MADE_PAGES = frozenset(name for name in MADE if name.endswith(".md"))
"""below `docs`, without those of rules"""


def is_made_page(path: Path, docs: Path = DOCS) -> bool:
    """Whether a path below `docs` is of a page that is made."""
    return path.is_relative_to(docs) and is_made(path.relative_to(docs).as_posix())


def written(pattern: str) -> list[Path]:
    """Pages of `docs` that people write, by a pattern such as `guides/*.md`."""
    return sorted(path for path in DOCS.glob(pattern) if not is_made_page(path))
