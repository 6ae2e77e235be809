"""A page of text: wrapping, indentation, grids and colour.

Every string is written in the reader's language and passes `safe` here, so that no section can forget it. Markup of
rich is off: a thread named "[red]" stays what it is.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence

from rich.box import Box
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from mqdiag.render import View
from mqdiag.render.parts import Column, Words
from mqdiag.render.wording.class_names import shortened
from mqdiag.render.wording.safe import LONGEST, LONGEST_WIDE, safe

INDENT = 2
PADDING = 2
"""between the columns of a table"""
NARROWEST_PADDING = 1
"""where the table would be wider than the page otherwise"""
NARROWEST_WORDS = 7
NARROWEST_NAME = 24
"""characters that a column of words, and one of Java names, has at least if it needs them"""
LONGEST_PARAGRAPH = 2000
"""a title may hold a name from the dump, and that of any length"""
# Stands in for the space between a number and its unit, so that no line breaks there: to rich a no-break space is a
# space. `safe` lets no such character through from evidence.
_GLUE = "\ue000"
_BEFORE_UNIT = re.compile(r"(?<=\d) (?=%|(?:B|KiB|MiB|GiB|TiB|ms|s|min|h|days)\b)")
# Lines of Chinese may break between any two characters, but not before a closing mark or behind an opening one. Rich
# breaks at spaces only: a unit separator is one to it, is no cell wide, and comes from no evidence either.
_BREAK = "\x1f"
_WIDE = r"\u3000-\u303f\u4e00-\u9fff\uff01-\uff5e"
_CLOSING, _OPENING = "，。；：、？！）》」』”’", "（《「『“‘"
_BREAKABLE = re.compile(
    rf"(?<=[{_WIDE}”’])(?<![{_OPENING}])(?=[^\s{_CLOSING}])|(?<=[^\s{_OPENING}])(?=[{_WIDE}“‘])(?![{_CLOSING}])"
)
# A rule under the head and nothing else: space between columns survives copy and paste.
_HEAD_RULE = Box("    \n    \n ── \n    \n    \n    \n    \n    \n")


def _breakable(text: str) -> str:
    return text if text.isascii() else _BREAKABLE.sub(_BREAK, text)


class Page:
    """Collects a report as terminal text."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.write = view.write
        self._file = io.StringIO()
        self._console = Console(
            file=self._file,
            width=view.width,
            force_terminal=view.colour,
            color_system="standard" if view.colour else None,
            no_color=not view.colour,
            markup=False,
            highlight=False,
            emoji=False,
            legacy_windows=False,
            _environ={},
        )

    def text(self) -> str:
        """All that was written, without spaces at line ends."""
        written = self._file.getvalue().replace(_GLUE, " ").replace(_BREAK, "")
        return "".join(f"{line.rstrip()}\n" for line in written.splitlines())

    @property
    def empty(self) -> bool:
        """Whether nothing was written yet."""
        return not self._file.getvalue()

    def blank(self) -> None:
        """An empty line."""
        self._console.print()

    def paragraph(self, text: Words, *, indent: int = INDENT, style: str = "") -> None:
        """Wrapped text."""
        self._console.print(Padding(self._line(text, style), (0, 0, 0, indent)))

    def hanging(
        self, mark: Words, text: Words, *, indent: int = INDENT, style: str = "", mark_style: str = ""
    ) -> None:
        """A mark, and text that wraps beside it: a bullet, a number, a severity."""
        sign = safe(self.write(mark))
        grid = Table.grid(padding=0)
        grid.add_column(no_wrap=True, width=cell_len(sign) + 1)
        grid.add_column(overflow="fold")
        grid.add_row(Text(sign, style=mark_style), self._line(text, style))
        self._console.print(Padding(grid, (0, 0, 0, indent)))

    def name(self, mark: Words, text: Words, *, indent: int, style: str = "", mark_style: str = "") -> None:
        """As `hanging`, for Java names: packages are shortened until the line fits."""
        capacity = self.view.width - indent - cell_len(self.write(mark)) - 1
        self.hanging(
            mark, shortened(self.write(text), capacity), indent=indent, style=style, mark_style=mark_style
        )

    def pairs(self, rows: Iterable[tuple[Words, str]], *, indent: int = INDENT) -> None:
        """Names and written values in two columns."""
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(no_wrap=True)
        grid.add_column(overflow="fold")
        for name, value in rows:
            grid.add_row(Text(safe(self.write(name))), self._line(value, ""))
        self._console.print(Padding(grid, (0, 0, 0, indent)))

    def command(self, text: Words, *, indent: int = INDENT) -> None:
        """A line for a shell: never wrapped, as a broken line would be another command."""
        self._console.print(Text(" " * indent + safe(self.write(text), limit=None)), soft_wrap=True)

    def grid(
        self,
        columns: Sequence[Column],
        rows: Sequence[Sequence[str]],
        styles: Sequence[Sequence[str]],
        *,
        indent: int = INDENT,
    ) -> None:
        """A table of written cells with a head; text columns wrap, number columns do not.

        Args:
            columns: how each is aligned.
            rows: the cells.
            styles: rich's style of each cell.
            indent: of the table.
        """
        heads = [safe(self.write(column.head)) for column in columns]
        widths = _widths(heads, rows)
        if indent + _least(columns, widths, PADDING) > self.view.width:
            heads = [head.replace(" ", "\n") for head in heads]
            widths = _widths(heads, rows)
        fits = indent + _least(columns, widths, PADDING) <= self.view.width
        gap = PADDING if fits else NARROWEST_PADDING
        table = Table(
            box=_HEAD_RULE, pad_edge=False, padding=(0, gap - 1, 0, 0), show_edge=False, header_style="bold"
        )
        capacity = self._name_capacity(columns, widths, indent)
        for column, head in zip(columns, heads, strict=True):
            table.add_column(
                Text(head),
                justify="right" if column.is_number else "left",
                no_wrap=column.is_number or column.whole,
                overflow="fold",
            )
        longest = LONGEST_WIDE if self.view.wide else LONGEST
        for cells, cell_styles in zip(rows, styles, strict=True):
            table.add_row(
                *(
                    Text(
                        _breakable(safe(shortened(cell, capacity) if column.java else cell, limit=longest)),
                        style=style,
                    )
                    for column, cell, style in zip(columns, cells, cell_styles, strict=True)
                )
            )
        # Numbers and ids never wrap, so a table with many of them is wider than the page rather than cut.
        self._console.width = max(self.view.width, indent + _least(columns, widths, gap))
        self._console.print(Padding(table, (0, 0, 0, indent)))
        self._console.width = self.view.width

    def _name_capacity(self, columns: Sequence[Column], widths: Sequence[int], indent: int) -> int:
        """The characters that each column of Java names has when the others take what they need."""
        names = sum(column.java for column in columns)
        others = sum(width for column, width in zip(columns, widths, strict=True) if not column.java)
        free = self.view.width - indent - others - PADDING * (len(columns) - 1)
        return max(free // max(names, 1), NARROWEST_NAME)

    def _line(self, text: Words, style: str) -> Text:
        written = safe(self.write(text), limit=LONGEST_WIDE if self.view.wide else LONGEST_PARAGRAPH)
        return Text(_breakable(_BEFORE_UNIT.sub(_GLUE, written)), style=style)


def _widths(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """Characters of the longest line of each column."""
    return [
        max(cell_len(line) for cell in cells for line in cell.split("\n"))
        for cells in zip(heads, *rows, strict=True)
    ]


def _least(columns: Sequence[Column], widths: Sequence[int], gap: int) -> int:
    """Characters that a table takes at least with so many between its columns."""
    return sum(map(_least_width, columns, widths)) + gap * (len(columns) - 1)


def _least_width(column: Column, width: int) -> int:
    """What a column takes at least: all for numbers and ids."""
    return width if column.is_number or column.whole else min(width, NARROWEST_WORDS)
