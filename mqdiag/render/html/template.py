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
from mqdiag.render.wording.code_words import code_words, pasted
from mqdiag.render.wording.safe import LONGEST_WIDE, safe
from mqdiag.text import Text, Value, say

_FOLDER = Path(__file__).parent
_WIDTHS = ((26, ""), (45, "long"), (90, "longer"))
"""characters up to which a cell has a class: each class is so wide that its text takes three lines at most"""
_LONGEST = "longest"
"""the class of a cell that scrolls by itself"""
_NARROW, _WORDS = 14, 3
"""a short text of so many blanks would stand in four lines: it has the width of a time"""
_NAME = re.compile(r"\S{1,18}\Z")
"""a name that is short enough to stay in one line"""
_BREAKS = re.compile(r"(?<=[./$])(?=[^\W\d])")
"""where a long name may go on in the next line"""
_MOST_BROKEN = 100
"""rows up to which a table has such places: each is an element, and pages of too many elements open slowly"""
_FLAG = re.compile(r"((?<!\S)--?\w+)")
"""the dash of a flag and the first word of its name"""
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
        marked_step=lambda words: _marked(words, write, step=True),
        kind=_kind,
        value=write.value,
        cell=lambda text, table: _cell(safe(text, limit=LONGEST_WIDE), breaks=len(table.rows) <= _MOST_BROKEN),
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


def _marked(words: Words, write: Writer, *, step: bool = False) -> Markup:
    """A sentence whose setters, settings, flags and commands are code; in a step, what is pasted is marked."""
    parts = list(code_words(safe(write(words), limit=LONGEST_WIDE)))
    whole = pasted([part for part, is_code in parts if is_code]) if step else frozenset()
    return Markup("").join(
        _code_word(part, is_pasted=part in whole) if is_code else escape(part) for part, is_code in parts
    )


def _code_word(code: str, *, is_pasted: bool) -> Markup:
    """A line never ends between the dash of a flag and its name."""
    inner = Markup("").join(
        Markup('<span class="flag">{}</span>').format(part) if place % 2 else escape(part)
        for place, part in enumerate(_FLAG.split(code))
    )
    return Markup('<code class="paste">{}</code>' if is_pasted else "<code>{}</code>").format(inner)


def _cell(text: str, *, breaks: bool) -> Markup:
    """A cell of words: the longer the text, the wider its column is at least; a very long text scrolls by itself."""
    if _TIME.match(text) or (_NARROW < len(text) <= _WIDTHS[0][0] and text.count(" ") >= _WORDS):
        return Markup('<td class="time">{}</td>').format(text)
    width = next((name for most, name in _WIDTHS if len(text) <= most), _LONGEST)
    if not width:
        breaks_at_dash = "-" in text and _NAME.match(text)
        return Markup('<td class="whole">{}</td>' if breaks_at_dash else "<td>{}</td>").format(text)
    broken = Markup("<wbr>").join(_BREAKS.split(text)) if breaks else escape(text)
    if width == _LONGEST:
        broken = Markup('<div tabindex="0">{}</div>').format(broken)
    return Markup('<td class="{}">{}</td>').format(width, broken)


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
