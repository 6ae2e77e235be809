"""A page of text: wrapping, indentation, grids and colour.

Every string is written in the reader's language and passes `safe` here, so that no section can forget it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from mqdiag.render import View
from mqdiag.render.parts import Column, Words
from mqdiag.render.text.lines import (
    NARROWEST,
    USUAL_WORD,
    cell_len,
    chopped,
    fitted,
    flowing,
    longest_word,
    wrapped,
)
from mqdiag.render.wording.class_names import shortened
from mqdiag.render.wording.safe import ELLIPSIS, LONGEST, LONGEST_WIDE, safe

INDENT = 2
PADDING = 2
"""between the columns of a table"""
NARROWEST_PADDING = 1
"""where the table would be wider than the page otherwise"""
NARROWEST_NAME = 24
"""characters that a column of Java names has at least if it needs them"""
LONGEST_PARAGRAPH = 2000
"""a title may hold a name from the dump, and that of any length"""
TALLEST = 4
"""lines of a cell whose words break"""
UNDERLINE = "─"
"""below the head of a table, and nothing else: space between columns survives copy and paste"""
ANSI = {"bold": 1, "dim": 2, "red": 31, "green": 32, "yellow": 33, "magenta": 35, "cyan": 36}
"""numbers of the terminal's sequences for the words of a style"""


class Page:
    """Collects a report as terminal text."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.write = view.write
        self._lines: list[str] = []

    def text(self) -> str:
        """All that was written, without spaces at line ends."""
        return "".join(f"{line.rstrip()}\n" for line in self._lines)

    @property
    def empty(self) -> bool:
        """Whether nothing was written yet."""
        return not self._lines

    def blank(self) -> None:
        """An empty line."""
        self._lines.append("")

    def paragraph(self, text: Words, *, indent: int = INDENT, style: str = "") -> None:
        """Wrapped text."""
        self.hanging("", text, indent=indent, style=style)

    def hanging(
        self, mark: Words, text: Words, *, indent: int = INDENT, style: str = "", mark_style: str = ""
    ) -> None:
        """A mark, and text that wraps beside it: a bullet, a number, a severity."""
        sign = safe(self.write(mark))
        taken = cell_len(sign) + 1 if sign else 0
        lines = self._wrapped(self.write(text), self.view.width - indent - taken)
        before = " " * indent
        for line in lines:
            beside = f"{self._styled(sign, mark_style)} " if sign else ""
            self._lines.append(before + beside + self._styled(line, style))
            if sign:
                before, sign = " " * (indent + taken), ""

    def name(self, mark: Words, text: Words, *, indent: int, style: str = "", mark_style: str = "") -> None:
        """As `hanging`, for Java names: packages are shortened until the line fits."""
        capacity = self.view.width - indent - cell_len(self.write(mark)) - 1
        self.hanging(
            mark, shortened(self.write(text), capacity), indent=indent, style=style, mark_style=mark_style
        )

    def pairs(self, rows: Iterable[tuple[Words, str]], *, indent: int = INDENT) -> None:
        """Names and written values in two columns."""
        written = [(safe(self.write(name)), value) for name, value in rows]
        width = max((cell_len(name) for name, _ in written), default=0)
        for name, value in written:
            lines = self._wrapped(value, self.view.width - indent - width - PADDING)
            for beside, line in zip_longest([name], lines, fillvalue=""):
                self._lines.append(" " * indent + self._aligned(beside, width + PADDING) + line)

    def command(self, text: Words, *, indent: int = INDENT) -> None:
        """A line for a shell: never wrapped, as a broken line would be another command."""
        self._lines.append(" " * indent + safe(self.write(text), limit=None))

    def grid(
        self,
        columns: Sequence[Column],
        rows: Sequence[Sequence[str]],
        styles: Sequence[Sequence[str]],
        *,
        indent: int = INDENT,
    ) -> None:
        """A table of written cells with a head; text columns wrap, number columns do not.

        Numbers, ids and class names never break: where they leave no room, each row is a list of its cells instead.

        Args:
            columns: how each is aligned.
            rows: the cells.
            styles: of each cell, in words of `ANSI`.
            indent: of the table.
        """
        heads = [safe(self.write(column.head)) for column in columns]
        room = self.view.width - indent
        least = _least_widths(columns, heads, rows)
        if _with_gaps(least, PADDING) > room:
            heads = [head.replace(" ", "\n") for head in heads]
            least = _least_widths(columns, heads, rows)
        gap = PADDING if _with_gaps(least, PADDING) <= room else NARROWEST_PADDING
        capacity = self._name_capacity(columns, _widths(heads, rows), indent)
        longest = LONGEST_WIDE if self.view.wide else LONGEST
        shown = [
            [
                safe(shortened(cell, capacity) if column.java else cell, limit=longest)
                for column, cell in zip(columns, cells, strict=True)
            ]
            for cells in rows
        ]
        widths = fitted(
            _widths(heads, shown),
            [
                max(own, max((longest_word(cells[place]) for cells in shown), default=0))
                if column.java
                else own
                for place, (column, own) in enumerate(zip(columns, least, strict=True))
            ],
            room - gap * (len(columns) - 1),
        )
        if _with_gaps(widths, gap) > room or _breaks_words(columns, shown, widths):
            self._listed(heads, rows, columns, indent)
            return
        headed = [
            [part for line in head.split("\n") for part in _cell_lines(column, line, own)]
            for column, head, own in zip(columns, heads, widths, strict=True)
        ]
        tallest = max(map(len, headed))
        headed = [[""] * (tallest - len(lines)) + lines for lines in headed]
        self._beside(columns, headed, ["bold"] * len(columns), widths, gap, indent)
        self._lines.append(" " * indent + UNDERLINE * (sum(widths) + gap * (len(widths) - 1)))
        for cells, cell_styles in zip(shown, styles, strict=True):
            lines = list(map(_cell_lines, columns, cells, widths))
            self._beside(columns, lines, cell_styles, widths, gap, indent)

    def _listed(
        self, heads: Sequence[str], rows: Sequence[Sequence[str]], columns: Sequence[Column], indent: int
    ) -> None:
        """Each row with its first cell on a line, and the others with their heads below it."""
        names = [head.replace("\n", " ") for head in heads]
        room = self.view.width - indent - PADDING
        for cells in rows:
            self.name("", cells[0], indent=indent, style="bold")
            parts = []
            for name, cell, column in zip(names[1:], cells[1:], columns[1:], strict=True):
                if cell.strip():
                    shown = shortened(cell, room - cell_len(name) - 3) if column.java else cell
                    parts.append(f"{name} {safe(shown, limit=LONGEST_WIDE)}")
            for line in flowing(parts, room):
                self._lines.append(" " * (indent + PADDING) + line)

    def _beside(
        self,
        columns: Sequence[Column],
        cells: Sequence[Sequence[str]],
        styles: Sequence[str],
        widths: Sequence[int],
        gap: int,
        indent: int,
    ) -> None:
        """One row of a table, each cell of which has its lines."""
        for lines in zip_longest(*cells, fillvalue=""):
            self._lines.append(
                " " * indent
                + (" " * gap).join(
                    self._aligned(line, width, style, right=column.is_number)
                    for column, line, style, width in zip(columns, lines, styles, widths, strict=True)
                )
            )

    def _name_capacity(self, columns: Sequence[Column], widths: Sequence[int], indent: int) -> int:
        """The characters that each column of Java names has when the others take what they need."""
        names = sum(column.java for column in columns)
        others = sum(width for column, width in zip(columns, widths, strict=True) if not column.java)
        free = self.view.width - indent - others - PADDING * (len(columns) - 1)
        return max(free // max(names, 1), NARROWEST_NAME)

    def _wrapped(self, text: str, width: int) -> list[str]:
        longest = LONGEST_WIDE if self.view.wide else LONGEST_PARAGRAPH
        return wrapped(safe(text, limit=longest), width, keep_units=True, cut=False)

    def _aligned(self, line: str, width: int, style: str = "", *, right: bool = False) -> str:
        """A line of a cell, filled with spaces to the width of its column."""
        spaces = " " * (width - cell_len(line))
        styled = self._styled(line, style)
        return spaces + styled if right else styled + spaces

    def _styled(self, line: str, style: str) -> str:
        if not (self.view.colour and style and line):
            return line
        return f"\x1b[{';'.join(str(ANSI[word]) for word in style.split())}m{line}\x1b[0m"


def _cell_lines(column: Column, cell: str, width: int) -> list[str]:
    if _whole(column):
        return [cell]
    if column.cut and cell_len(cell) > width:
        return [f"{chopped(cell, width - 1)[0].rstrip()}{ELLIPSIS}"]
    return wrapped(cell, width, cut=not column.java)


def _breaks_words(columns: Sequence[Column], rows: Sequence[Sequence[str]], widths: Sequence[int]) -> bool:
    """Whether a column is so narrow that words of usual length break, and cells become towers of their pieces."""
    return any(
        not (_whole(column) or column.java or column.cut)
        and any(own < longest_word(cells[place]) <= USUAL_WORD for cells in rows)
        and any(len(wrapped(cells[place], own)) > TALLEST for cells in rows)
        for place, (column, own) in enumerate(zip(columns, widths, strict=True))
    )


def _whole(column: Column) -> bool:
    return column.is_number or column.whole


def _widths(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """Characters of the longest line of each column."""
    return [
        max(cell_len(line) for cell in cells for line in cell.split("\n"))
        for cells in zip(heads, *rows, strict=True)
    ]


def _least_widths(columns: Sequence[Column], heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """Cells that each column needs: all for numbers and ids, a part of a class name and of other words."""
    return [
        own if _whole(column) else _longest_word(cells, NARROWEST_NAME if column.java else NARROWEST)
        for column, own, cells in zip(
            columns, _widths(heads, rows), zip(heads, *rows, strict=True), strict=True
        )
    ]


def _longest_word(cells: Iterable[str], most: int) -> int:
    return max(min(longest_word(line), most) for cell in cells for line in cell.split("\n"))


def _with_gaps(widths: Sequence[int], gap: int) -> int:
    """Cells that a table takes with so many between its columns."""
    return sum(widths) + gap * (len(widths) - 1)
