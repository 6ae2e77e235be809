"""Writes the pages that are made from the code, and the outputs that hand-written pages show.

python docs/make            write all of it: the pages, which git ignores, and the outputs in README.md,
                            docs/guides and docs/zh
python docs/make --check    change nothing; exit 1 and name the hand-written pages whose outputs differ
python docs/make --pages    only the pages that are made whole
python docs/make --rules    only those of rules, which is quick
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from made_pages import made_pages, pages_of_rules
from shown_outputs import with_outputs

ROOT = Path(__file__).parents[2]


def pages_with_outputs(root: Path) -> Iterator[tuple[Path, str]]:
    """Hand-written pages with the text that they must have."""
    docs = root / "docs"
    for page in (root / "README.md", *sorted(docs.glob("guides/*.md")), *sorted(docs.glob("zh/*.md"))):
        if page.exists():
            yield page, with_outputs(page.read_text(encoding="utf-8"), ROOT)


def write(path: Path, text: str, root: Path) -> None:
    """Write a page that is not as it must be."""
    if path.exists() and path.read_text("utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    print(f"wrote {path.relative_to(root)}")


def main() -> int:
    """Write or check."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing, exit 1 on a difference")
    parser.add_argument("--pages", action="store_true", help="only the pages that are made whole")
    parser.add_argument("--root", type=Path, default=ROOT, help="write below another folder")
    parser.add_argument("--rules", action="store_true", help="only the pages of rules")
    options = parser.parse_args()
    if options.check:
        stale = [page for page, text in pages_with_outputs(options.root) if page.read_text("utf-8") != text]
        for page in stale:
            print(f"{page.relative_to(options.root)} is out of date; run `make docs`", file=sys.stderr)
        return 1 if stale else 0
    pages = pages_of_rules() if options.rules else made_pages(ROOT)
    made = {options.root / "docs" / name: text for name, text in pages}
    for path, text in made.items():
        write(path, text, options.root)
    for path in sorted((options.root / "docs" / "rules").glob("*.md")):
        if path not in made:
            path.unlink()
            print(f"removed {path.relative_to(options.root)}")
    if not (options.pages or options.rules):
        # One at a time: a page that somebody edits meanwhile is read as late as can be.
        for page, text in pages_with_outputs(options.root):
            write(page, text, options.root)
    return 0


if __name__ == "__main__":
    sys.exit(main())
