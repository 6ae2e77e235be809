"""The template filled in: every string written in the reader's language and escaped, style and script inlined."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup, escape

from mqdiag.findings import Report
from mqdiag.language import TAGS, Writer, writer
from mqdiag.render.parts import Column, Section, Table, Words
from mqdiag.render.wording.code_words import code_words
from mqdiag.render.wording.safe import LONGEST_WIDE, safe
from mqdiag.text import Text, Value, say

_FOLDER = Path(__file__).parent
_LONG, _LONGER = 26, 90
"""characters of a cell from which it is wide, and from which it scrolls by itself"""
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?: [+-]\d\d:\d\d)?\Z")
_LAST = -1
"""sorts what is not known behind all numbers"""
_WHOLE = 2_000
"""rows up to which a table is written whole; of a longer one the script shows the rows that are in sight"""
_FIRST = 100
"""rows of a longer table that are there without the script"""


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
        marked=lambda words: _marked(words, write),
        kind=_kind,
        value=write.value,
        cell=lambda text: _cell(safe(text, limit=LONGEST_WIDE)),
        tuple=tuple,
        cells=lambda row, table: _cells(row, table, write),
        is_long=_is_long,
        first_rows=lambda table: table.rows[: _FIRST if _is_long(table) else table.shown[1]],
        data=lambda table: _data(table, write),
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


def _marked(words: Words, write: Writer) -> Markup:
    """A sentence whose setters, settings, flags and commands are code."""
    parts = code_words(safe(write(words), limit=LONGEST_WIDE))
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if is_code else escape(part) for part, is_code in parts
    )


def _cell(text: str) -> Markup:
    """A cell of words: a long text is wide rather than high, and a very long one scrolls by itself."""
    if _TIME.match(text):
        return Markup('<td class="time">{}</td>').format(text)
    if len(text) <= _LONG:
        return Markup("<td>{}</td>").format(text)
    if len(text) <= _LONGER:
        return Markup('<td class="long">{}</td>').format(text)
    return Markup('<td class="long"><div tabindex="0">{}</div></td>').format(text)


def _cells(row: Sequence[Value], table: Table, write: Writer) -> list[tuple[str, float | None]]:
    """Each cell as written, with the number that a number column sorts by."""
    return [
        (write.value(value, column.kind), _key(value, column))
        for value, column in zip(row, table.columns, strict=True)
    ]


def _is_long(table: Table) -> bool:
    return len(table.rows[: table.shown[1]]) > _WHOLE


def _data(table: Table, write: Writer) -> Markup:
    """All rows of a long table as JSON: a cell is its text, a number that is written as it is, or text and number."""
    rows = [
        [_datum(text, key) for text, key in _cells(row, table, write)] + [*table.links[place : place + 1]]
        for place, row in enumerate(table.rows[: table.shown[1]])
    ]
    return htmlsafe_json_dumps(rows, separators=(",", ":"), ensure_ascii=False)


def _datum(text: str, key: float | None) -> object:
    if key is None:
        return safe(text, limit=LONGEST_WIDE)
    return key if text == str(key) else [safe(text, limit=LONGEST_WIDE), key]


def _key(value: Value, column: Column) -> float | None:
    if not column.is_number:
        return None
    return value if isinstance(value, int | float) else _LAST
