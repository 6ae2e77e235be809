"""Sections as blocks of Markdown; whatever evidence says stays text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from mqdiag.render import View
from mqdiag.render.markdown.escape import escaped, escaped_html, with_code
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
    Words,
)
from mqdiag.text import Text, Value, say


class MarkdownWriter:
    """Writes the short form of parts."""

    def __init__(self, view: View) -> None:
        self._write = view.write

    def section(self, section: Section) -> Iterator[str]:
        """The blocks of a section, its heading first."""
        blocks = [] if section.wide else [*self._parts(section.parts)]
        if section.headed and blocks:
            yield f"## {self._text(section.title)}"
        yield from blocks

    def _parts(self, parts: Iterable[AnyPart]) -> Iterator[str]:
        for part in parts:
            if not part.wide:
                yield from self._part(part)

    def _part(self, part: AnyPart) -> Iterator[str]:
        match part:
            case Paragraph():
                yield (
                    f"<sub>{escaped_html(self._write(part.text))}</sub>" if part.soft else self._text(part.text)
                )
            case Bullets():
                yield from self._list(part, [f"- {self._sentence(line)}" for line in part.lines])
            case Steps():
                yield from self._list(
                    part, [f"{n}. {self._sentence(line)}" for n, line in enumerate(part.lines, 1)]
                )
            case Actions():
                yield from self._actions(part)
            case Pairs():
                yield "\n".join(f"- {self._text(name)}: {self._value(value)}" for name, value in part.rows)
            case Table():
                yield from self._table(part)
            case Stack():
                yield "\n".join(f"- {self._text(frame)}" for frame in part.frames[: part.shown[0]])
            case Path():
                yield "\n".join(f"- {self._text(step)}" for step in part.steps)
            case Code():
                yield "\n".join(f"- {self._text(line)}" for line in part.lines)
            case Tree():
                yield "\n".join(self._branches(part.branches, ""))
            case Figure():
                yield from self._parts(part.words)
            case Fold():
                yield f"<details><summary>{escaped_html(self._write(part.summary))}</summary>"
                yield from self._parts(part.parts)
                yield "</details>"
            case Several():
                yield from self._parts(part.parts[: part.shown[0]])
                if len(part.parts) > part.shown[0]:
                    yield self._text(part.rest(len(part.parts) - part.shown[0]))
            case Card():
                label = self._write(part.label).upper()
                yield f"### {escaped(f'{label}: {self._write(part.title)}')}"
                yield from self._parts(part.parts)
            case _:
                assert_never(part)

    def _list(self, part: Bullets | Steps, lines: Sequence[str]) -> Iterator[str]:
        yield from self._listed(part.title, lines, part.shown)

    def _listed(self, title: Words, lines: Sequence[str], shown: int | None) -> Iterator[str]:
        if title:
            yield f"**{self._text(title)}**"
        yield "\n".join(lines[:shown])
        hidden = 0 if shown is None else len(lines) - shown
        if hidden > 0:
            yield self._text(say("and {hidden:count} more in the other formats", hidden=hidden))

    def _actions(self, part: Actions) -> Iterator[str]:
        lines = []
        for number, one in enumerate(part.actions, 1):
            template = "{what} `{command}`" if one.command else "{what}"
            words = Text(template, {"what": one.text, "command": one.command})
            lines.append(f"{number}. {self._sentence(words)}")
        yield from self._listed(part.title, lines, part.shown)

    def _table(self, table: Table) -> Iterator[str]:
        kept = [place for place, column in enumerate(table.columns) if not column.wide]
        head = [self._text(table.columns[place].head) for place in kept]
        rule = ["---:" if table.columns[place].is_number else "---" for place in kept]
        limit = table.shown[0]
        rows = [
            [self._value(row[place], table.columns[place].kind) for place in kept] for row in table.rows[:limit]
        ]
        yield "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))
        if len(table.rows) > limit:
            yield self._text(table.rest(table.rows[limit:]))
        if table.note:
            yield self._text(table.note)

    def _branches(self, branches: Sequence[Branch], indent: str) -> Iterator[str]:
        for branch in branches:
            yield f"{indent}- {self._text(branch.text)}"
            yield from self._branches(branch.below, f"{indent}  ")

    def _text(self, text: Words) -> str:
        return escaped(self._write(text))

    def _sentence(self, text: Words) -> str:
        return with_code(self._write(text))

    def _value(self, value: Value, kind: str = "") -> str:
        return escaped(self._write.value(value, kind))
