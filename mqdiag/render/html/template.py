"""The template filled in: every string written in the reader's language and escaped, style and script inlined."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from mqdiag.findings import Report
from mqdiag.language import TAGS, Writer, writer
from mqdiag.render.parts import Column, Section, Table, Words
from mqdiag.render.wording.safe import LONGEST_WIDE, safe
from mqdiag.text import Text, Value, say

_FOLDER = Path(__file__).parent
_LAST = -1
"""sorts what is not known behind all numbers"""


def render_page(report: Report, sections: Sequence[Section], language: str) -> str:
    """The document.

    Args:
        report: for its answer and its version.
        sections: what the page shows, in their order.
        language: of the reader.
    """
    return _template(language).render(report=report, sections=sections, language=TAGS[language])


@cache
def _template(language: str) -> Template:
    write = writer(language)

    def shown(value: object) -> object:
        """Control characters and reversed writing are shown, not obeyed, as on a terminal."""
        if isinstance(value, Markup) or not isinstance(value, str | Text):
            return value
        return safe(write(value), limit=LONGEST_WIDE)

    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=shown,
    )
    environment.globals.update(asset=_asset, say=say, write=write)
    environment.filters.update(
        code=lambda lines: _code(lines, write),
        kind=_kind,
        value=write.value,
        cells=lambda row, table: _cells(row, table, write),
    )
    return environment.get_template("report.html.j2")


def _asset(name: str) -> Markup:
    return Markup((_FOLDER / name).read_text(encoding="utf-8"))  # our own file, shipped in the package


def _kind(part: object) -> str:
    """The name of a part's type, by which the template draws it."""
    return type(part).__name__


def _code(lines: Sequence[Words], write: Writer) -> Markup:
    """Lines stay lines; each is made safe by itself."""
    return Markup("\n").join(safe(write(line), limit=None) for line in lines)


def _cells(row: Sequence[Value], table: Table, write: Writer) -> list[tuple[str, float | None]]:
    """Each cell as written, with the number that a number column sorts by."""
    return [
        (write.value(value, column.kind), _key(value, column))
        for value, column in zip(row, table.columns, strict=True)
    ]


def _key(value: Value, column: Column) -> float | None:
    if not column.is_number:
        return None
    return value if isinstance(value, int | float) else _LAST
