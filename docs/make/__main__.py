"""Writes the generated pages, or with --check tells which of them are out of date.

python docs/make            write docs/cli.md, docs/report.md, docs/fleet-tables.md, docs/query.md, docs/glossary.md,
                            docs/libraries.md, docs/rules/*.md, docs/man/*.1 and the outputs in README.md,
                            docs/guides and docs/zh
python docs/make --check    change nothing; exit 1 and name the pages that differ
python docs/make --rules    only docs/rules/*.md, which is quick; also with --check
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path

from rule_pages import rule_index, rule_pages

ROOT = Path(__file__).parents[2]


def pages_of_rules(root: Path) -> Iterator[tuple[Path, str]]:
    """The pages in docs/rules with the text that each must have."""
    folder = root / "docs" / "rules"
    yield folder / "README.md", rule_index()
    for name, text in rule_pages():
        yield folder / f"{name}.md", text


def other_pages(root: Path) -> Iterator[tuple[Path, str]]:
    """All other generated pages; they load every command of mqdiag, which the pages of rules do not need."""
    from command_pages import command_page
    from fleet_tables_page import fleet_tables_page
    from glossary_page import glossary_page
    from libraries_page import libraries_page
    from man_page import man_page
    from query_page import query_page
    from report_page import report_page
    from shown_outputs import with_outputs

    docs = root / "docs"
    yield docs / "cli.md", command_page()
    yield docs / "report.md", report_page()
    yield docs / "fleet-tables.md", fleet_tables_page()
    yield docs / "glossary.md", glossary_page()
    yield docs / "libraries.md", libraries_page(ROOT)
    yield docs / "man" / "mqdiag.1", man_page()
    yield docs / "query.md", query_page(ROOT)
    for page in (root / "README.md", *sorted(docs.glob("guides/*.md")), *sorted(docs.glob("zh/*.md"))):
        if page.exists():
            yield page, with_outputs(page.read_text(encoding="utf-8"), ROOT)


def leftovers(root: Path, written: set[Path]) -> list[Path]:
    """Pages of rules that are no more."""
    return [path for path in sorted((root / "docs" / "rules").glob("*.md")) if path not in written]


def main() -> int:
    """Write or check."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing, exit 1 on a difference")
    parser.add_argument("--rules", action="store_true", help="only the pages of rules")
    parser.add_argument("--root", type=Path, default=ROOT, help="write below another folder")
    options = parser.parse_args()
    known = set()
    stale = []
    other = () if options.rules else other_pages(options.root)
    for path, text in itertools.chain(pages_of_rules(options.root), other):
        known.add(path)
        if path.exists() and path.read_text("utf-8") == text:
            continue
        stale.append(path)
        # At once: a page that somebody edits meanwhile is read as late as can be.
        if not options.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.relative_to(options.root)}")
    gone = leftovers(options.root, known)
    if options.check:
        for path in (*stale, *gone):
            print(f"{path.relative_to(options.root)} is out of date; run `make docs`", file=sys.stderr)
        return 1 if stale or gone else 0
    for path in gone:
        path.unlink()
        print(f"removed {path.relative_to(options.root)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
