"""Findings as a notebook shows them: a table, the worst first."""

from __future__ import annotations

from html import escape

from mqdiag.findings import Finding
from mqdiag.language import english
from mqdiag.render.wording.safe import safe

_HEADS = ("severity", "rule", "cause", "title")
_LONGEST = 200
"""characters of a title"""


class Findings(tuple[Finding, ...]):
    """Findings in the order of a report; to be shown, not only to be gone through."""

    __slots__ = ()

    def __repr__(self) -> str:
        rows = [_HEADS, *self._cells()]
        widths = [max(len(row[place]) for row in rows) for place in range(len(_HEADS))]
        lines = ["  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows]
        return "\n".join(line.rstrip() for line in lines)

    def _repr_html_(self) -> str:
        rows = [f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in self._cells()]
        heads = "".join(f"<th>{head}</th>" for head in _HEADS)
        return f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"

    def _cells(self) -> list[tuple[str, ...]]:
        return [
            tuple(
                safe(cell, limit=_LONGEST)
                for cell in (one.severity.value, one.rule, one.cause, english()(one.title))
            )
            for one in self
        ]
