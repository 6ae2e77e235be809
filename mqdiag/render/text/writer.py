"""Sections as terminal text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from mqdiag.render import View
from mqdiag.render.parts import (
    Actions,
    AnyPart,
    Branch,
    Bullets,
    Card,
    Code,
    Figure,
    Fold,
    Pairs,
    Paragraph,
    Path,
    Section,
    Several,
    Stack,
    Steps,
    Table,
    Tree,
    more_lines,
)
from mqdiag.render.text.page import INDENT, Page
from mqdiag.render.wording.class_names import shortened
from mqdiag.text import Text, Value, say

STATES = {
    "error": "bold red",
    "warning": "bold yellow",
    "info": "bold cyan",
    "healthy": "bold green",
    "undecided": "bold yellow",
    "stuck": "bold red",
    "blocked": "magenta",
    "progressing": "green",
    "idle": "dim",
    "unknown": "yellow",
}
"""colours of answers, findings and threads"""
DEEPEST_INDENT = 24
"""further branches of a tree stay there: a line needs space for a class name"""
INSIDE = 2
"""how far the parts of a fold are indented"""


class TextWriter:
    """Writes sections on a page."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._page = Page(view)

    def text(self) -> str:
        """All that was written."""
        return self._page.text()

    def section(self, section: Section) -> None:
        """A heading and its parts."""
        shown = list(self._shown(section.parts))
        if not shown or (section.wide and not self.view.wide):
            return
        if not self._page.empty:
            self._page.blank()
        if section.headed:
            self._page.paragraph(section.title, indent=0, style="bold")
            if isinstance(shown[0], Card) and not self._bare(shown[0]):
                self._page.blank()
        self._parts(shown, INDENT)

    def _shown(self, parts: Sequence[AnyPart]) -> Iterator[AnyPart]:
        """What this form has: figures in words, and the first of several."""
        for part in parts:
            if part.short if self.view.wide else part.wide:
                continue
            if isinstance(part, Figure):
                yield from self._shown(part.words)
            elif isinstance(part, Several):
                limit = part.shown[self.view.wide]
                yield from self._shown(part.parts[:limit])
                if len(part.parts) > limit:
                    yield Paragraph(part.rest(len(part.parts) - limit), soft=True)
            else:
                yield part

    def _parts(self, parts: Sequence[AnyPart], indent: int) -> None:
        before: AnyPart | None = None
        for part in parts:
            if before is not None and _apart(before, part) and not (self._bare(before) and self._bare(part)):
                self._page.blank()
            self._part(part, indent)
            before = part

    def _bare(self, part: AnyPart) -> bool:
        """Whether it is a card of which only the title is shown: such cards make a list."""
        return isinstance(part, Card) and not any(self._shown(part.parts))

    def _inner(self, parts: Sequence[AnyPart], indent: int) -> None:
        """Parts inside a fold, with empty lines after tables only; what is said below a table belongs to it."""
        below_table = False
        for part in self._shown(parts):
            told_of_it = isinstance(part, Paragraph)
            if below_table and not told_of_it:
                self._page.blank()
            self._part(part, indent)
            below_table = isinstance(part, Table) or (below_table and told_of_it)

    def _part(self, part: AnyPart, indent: int) -> None:
        match part:
            case Paragraph():
                self._page.paragraph(part.text, indent=indent, style="dim" if part.soft else "")
            case Bullets():
                self._list(part, ["-"] * len(part.lines), indent)
            case Steps():
                self._list(part, [f"{place}." for place in range(1, len(part.lines) + 1)], indent)
            case Actions():
                self._actions(part, indent)
            case Pairs():
                self._pairs(part, indent)
            case Table():
                self._table(part, indent)
            case Stack():
                self._stack(part, indent)
            case Path():
                for depth, step in enumerate(part.steps):
                    self._page.name("  ->" if depth else say("from"), step, indent=indent)
            case Tree():
                self._branches(part.branches, indent)
            case Fold():
                self._page.hanging(part.mark, part.summary, indent=indent, style=STATES.get(part.state, ""))
                self._inner(part.parts, indent + INSIDE)
            case Code():
                for line in part.lines:
                    self._page.command(self._page.view.write(line), indent=indent)
            case Card():
                self._card(part)
            case Figure() | Several():
                self._parts(list(self._shown([part])), indent)
            case _:
                assert_never(part)

    def _list(self, part: Bullets | Steps, marks: Sequence[str], indent: int) -> None:
        if part.title:
            self._page.paragraph(part.title, indent=indent)
            indent += INDENT
        limit = None if self.view.wide else part.shown
        lines = list(zip(marks, part.lines, strict=True))
        for mark, line in lines[:limit]:
            self._page.hanging(mark, line, indent=indent)
        hidden = 0 if limit is None else len(lines) - limit
        if hidden > 0:
            self._page.paragraph(more_lines(hidden), indent=indent, style="dim")

    def _actions(self, part: Actions, indent: int) -> None:
        if part.title:
            self._page.paragraph(part.title, indent=indent, style="bold")
            indent += INDENT
        limit = None if self.view.wide else part.shown
        for number, action in enumerate(part.actions[:limit], 1):
            mark = f"{number}."
            self._page.hanging(mark, action.text, indent=indent)
            if action.command:
                self._page.command(action.command, indent=indent + len(mark) + 1)
        hidden = 0 if limit is None else len(part.actions) - limit
        if hidden > 0:
            self._page.paragraph(more_lines(hidden), indent=indent, style="dim")

    def _pairs(self, part: Pairs, indent: int) -> None:
        rows = [(self.view.write(name), self._value(value)) for name, value in part.rows]
        if part.java:
            capacity = self.view.width - indent - INDENT - max(len(name) for name, _ in rows)
            rows = [(name, shortened(value, capacity)) for name, value in rows]
        self._page.pairs(rows, indent=indent)

    def _table(self, table: Table, indent: int) -> None:
        if table.caption:
            self._page.paragraph(table.caption, indent=indent)
        kept = [place for place, column in enumerate(table.columns) if self.view.wide or not column.wide]
        columns = [table.columns[place] for place in kept]
        limit = table.shown[self.view.wide]
        rows = table.rows[:limit]
        self._page.grid(
            columns,
            [[self._value(row[place], table.columns[place].kind) for place in kept] for row in rows],
            [[_style(row[place]) for place in kept] for row in rows],
            indent=indent,
        )
        if len(table.rows) > limit:
            self._page.paragraph(table.rest(table.rows[limit:]), indent=indent)
        if table.note:
            self._page.paragraph(table.note, indent=indent, style="dim")

    def _value(self, value: Value, kind: str = "") -> str:
        return self.view.write.value(value, kind)

    def _stack(self, stack: Stack, indent: int) -> None:
        limit = stack.shown[self.view.wide]
        own = set(stack.own)
        for place, frame in enumerate(stack.frames[:limit]):
            mark, style = (">", "bold") if place in own else (" ", "dim" if own else "")
            self._page.name(mark, frame, indent=indent, style=style, mark_style="bold")
        hidden = len(stack.frames) - limit
        if hidden > 0:
            more = say("and {hidden:count} more {hidden:frame|frames}", hidden=hidden)
            self._page.paragraph(more, indent=indent + INDENT, style="dim")

    def _branches(self, branches: Sequence[Branch], indent: int) -> None:
        """Several branches from one place, marks below each other; an only branch follows at the same indentation."""
        marks = [self.view.write(branch.mark or "-") for branch in branches]
        longest = max(map(len, marks), default=0)
        for mark, branch in zip(marks, branches, strict=True):
            self._branch(mark.rjust(longest), branch, indent)
            inner = min(indent + longest + 1, DEEPEST_INDENT)
            while len(branch.below) == 1:
                branch = branch.below[0]
                self._branch(branch.mark or "->", branch, inner)
            self._branches(branch.below, inner)

    def _branch(self, mark: Text | str, branch: Branch, indent: int) -> None:
        write = self._page.name if branch.java else self._page.hanging
        write(mark, branch.text, indent=indent, style=STATES.get(branch.state, ""))

    def _card(self, card: Card) -> None:
        self._page.hanging(
            self.view.write(card.label).upper(),
            card.title,
            indent=0,
            style="bold",
            mark_style=STATES[card.state],
        )
        shown = list(self._shown(card.parts))
        if shown and not isinstance(shown[0], Paragraph):
            self._page.blank()
        self._parts(shown, INDENT)


def _apart(before: AnyPart, part: AnyPart) -> bool:
    """Whether an empty line stands between two parts."""
    if isinstance(part, Paragraph):
        return not isinstance(before, Paragraph | Table | Fold | Pairs) or (
            part.soft and isinstance(before, Paragraph)
        )
    if isinstance(before, Fold) and isinstance(part, Fold):
        return any(isinstance(inner, Table) for inner in before.parts)
    return True


def _style(cell: Value) -> str:
    """A state has its colour."""
    return STATES.get(cell.template, "") if isinstance(cell, Text) else ""
