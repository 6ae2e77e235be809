"""The pages that are made whole from the code; git ignores them, builds and the site have them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

MAN_PAGE = "man/mqdiag.1"
SCHEMA = "report.schema.json"
MADE = ("cli.md", "fleet-tables.md", "glossary.md", "libraries.md", MAN_PAGE, "query.md", "report.md", SCHEMA)
"""below `docs`; those of rules, in `docs/rules`, come besides"""


def is_made(name: str) -> bool:
    """Whether a page, by its path below `docs`, is made whole."""
    return name in MADE or name.startswith("rules/")


def pages_of_rules() -> Iterator[tuple[str, str]]:
    """The pages of rules, which need no command to be loaded."""
    from rule_pages import rule_index, rule_pages

    yield "rules/README.md", rule_index()
    for name, text in rule_pages():
        yield f"rules/{name}.md", text


def made_pages(root: Path) -> Iterator[tuple[str, str]]:
    """Each page by its path below `docs`, with its text.

    Args:
        root: the repository, whose fixtures some pages are made from.
    """
    from command_pages import command_page
    from fleet_tables_page import fleet_tables_page
    from glossary_page import glossary_page
    from libraries_page import libraries_page
    from man_page import man_page
    from query_page import query_page
    from report_page import report_page

    from mqdiag.render.json.schema import schema_text

    yield from pages_of_rules()
    yield "cli.md", command_page()
    yield "fleet-tables.md", fleet_tables_page()
    yield "glossary.md", glossary_page()
    yield "libraries.md", libraries_page(root)
    yield MAN_PAGE, man_page()
    yield "query.md", query_page()
    yield "report.md", report_page()
    yield SCHEMA, schema_text()
