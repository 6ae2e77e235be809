"""The page that the sections write on: wrapping, tables and colour in one place.

Every string passes `safe` here, so a section cannot forget it; rich's markup is off, so a thread named
"[red]" stays what it is.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.box import Box
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from mqdiag.render import View
from mqdiag.render.wording.safe import safe
from mqdiag.text import say

INDENT = 2
LONGEST_PARAGRAPH = 2000  # a title may hold a name from the dump, and that any length
# Stands in for the blank between a number and its unit, so that no line breaks there: to rich a no-break space is a
# space. `safe` lets no such character through from evidence.
_GLUE = "\ue000"
_BEFORE_UNIT = re.compile(r"(?<=\d) (?=%|(?:B|KiB|MiB|GiB|TiB|ms|s|min|h|days)\b)")
# Lines of Chinese may break between any two characters, but not before a closing mark or behind an opening one. Rich
# breaks at blanks only: a unit separator is one to it, is no cell wide, and comes from no evidence either.
_BREAK = "\x1f"
_WIDE = r"\u3000-\u303f\u4e00-\u9fff\uff01-\uff5e"
_CLOSING, _OPENING = "，。；：、？！）》」』”’", "（《「『“‘"
_BREAKABLE = re.compile(
    rf"(?<=[{_WIDE}”’])(?<![{_OPENING}])(?=[^\s{_CLOSING}])|(?<=[^\s{_OPENING}])(?=[{_WIDE}“‘])(?![{_CLOSING}])"
)
# A rule under the head and nothing else: columns are told apart by space, which survives copy and paste.
_HEAD_RULE = Box("    \n    \n ── \n    \n    \n    \n    \n    \n")


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column of a table."""

    head: str
    right: bool = False
    """numbers stand to the right and never wrap"""
    whole: bool = False
    """names that a person copies are not broken over lines"""


def _shown(text: str) -> str:
    return _broken(_BEFORE_UNIT.sub(_GLUE, safe(text, limit=LONGEST_PARAGRAPH)))


def _broken(text: str) -> str:
    return text if text.isascii() else _BREAKABLE.sub(_BREAK, text)


class Page:
    """Collects a report as terminal text."""

    def __init__(self, view: View) -> None:
        self.view = view
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
        """All that was written, without blanks at line ends."""
        written = self._file.getvalue().replace(_GLUE, " ").replace(_BREAK, "")
        return "".join(f"{line.rstrip()}\n" for line in written.splitlines())

    def blank(self) -> None:
        """An empty line."""
        self._console.print()

    def heading(self, text: str) -> None:
        """A section's name, after an empty line."""
        self.blank()
        self._console.print(Text(safe(text), style="bold"))

    def paragraph(self, text: str, *, indent: int = INDENT, style: str = "") -> None:
        """Wrapped text."""
        self._console.print(Padding(Text(_shown(text), style=style), (0, 0, 0, indent)))

    def hanging(
        self, mark: str, text: str, *, indent: int = INDENT, style: str = "", mark_style: str = ""
    ) -> None:
        """A mark, and text that wraps beside it: a bullet, a number, a severity."""
        grid = Table.grid(padding=0)
        grid.add_column(no_wrap=True, width=cell_len(mark) + 1)
        grid.add_column(overflow="fold")
        grid.add_row(Text(mark, style=mark_style), Text(_shown(text), style=style))
        self._console.print(Padding(grid, (0, 0, 0, indent)))

    def bullets(self, lines: Iterable[str], *, indent: int = INDENT) -> None:
        """One line of evidence each."""
        for line in lines:
            self.hanging("-", line, indent=indent)

    def numbered(self, lines: Sequence[str], *, indent: int = INDENT) -> None:
        """Steps in their order."""
        for position, line in enumerate(lines, 1):
            self.hanging(f"{position}.", line, indent=indent)

    def pairs(self, rows: Iterable[tuple[str, str]], *, indent: int = INDENT) -> None:
        """Names and values in two columns."""
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(no_wrap=True)
        grid.add_column(overflow="fold")
        for name, value in rows:
            grid.add_row(Text(say(safe(name))), Text(_shown(value)))
        self._console.print(Padding(grid, (0, 0, 0, indent)))

    def command(self, text: str, *, indent: int = INDENT) -> None:
        """A line for a shell: never wrapped, as a broken line would be another command."""
        self._console.print(Text(" " * indent + safe(text, limit=None)), soft_wrap=True)

    def draw(self, renderable: RenderableType, *, indent: int = INDENT) -> None:
        """What a section drew itself; it must have passed every string from evidence through `safe`."""
        self._console.print(Padding(renderable, (0, 0, 0, indent)))

    def table(self, columns: Sequence[Column], rows: Iterable[Sequence[str]], *, indent: int = INDENT) -> None:
        """A table with a head; text columns wrap, number columns do not."""
        table = Table(
            box=_HEAD_RULE, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False, header_style="bold"
        )
        for column in columns:
            table.add_column(
                Text(say(column.head)),
                justify="right" if column.right else "left",
                no_wrap=column.right or column.whole,
                overflow="fold",
            )
        for row in rows:
            table.add_row(*(Text(_broken(safe(cell))) for cell in row))
        self._console.print(Padding(table, (0, 0, 0, indent)))
