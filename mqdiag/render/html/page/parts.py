"""What a section is made of. Strings are plain text here; the template escapes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from markupsafe import Markup


@dataclass(frozen=True)
class Paragraph:
    """A sentence or some."""

    text: str
    kind: str = field(default="paragraph", init=False)


@dataclass(frozen=True)
class Heading:
    """A heading inside a section."""

    text: str
    kind: str = field(default="heading", init=False)


@dataclass(frozen=True)
class Code:
    """Lines for a shell."""

    text: str
    kind: str = field(default="code", init=False)


@dataclass(frozen=True)
class Bullets:
    """Sentences that stand side by side."""

    lines: Sequence[str]
    kind: str = field(default="bullets", init=False)


@dataclass(frozen=True)
class Pairs:
    """Names and values."""

    rows: Sequence[tuple[str, str]]
    kind: str = field(default="pairs", init=False)


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of a table."""

    head: str
    number: bool = False
    """to the right, and sorted by the cells' keys"""


@dataclass(frozen=True)
class Cell:
    """A cell that is sorted by a number and read as a text."""

    text: str
    key: float


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows of cells; a plain string is its own key."""

    name: str
    """its anchor in the page"""
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell | str]]
    note: str = ""
    """what was left out, and why"""
    kind: str = field(default="table", init=False)


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A picture; what it shows stands in a table or in its text too."""

    svg: Markup
    caption: str
    kind: str = field(default="figure", init=False)


@dataclass(frozen=True, kw_only=True)
class Stack:
    """Frames of threads, the top first."""

    title: str
    frames: Sequence[str]
    own: Sequence[int] = ()
    """places of the user's own frames"""
    kind: str = field(default="stack", init=False)


@dataclass(frozen=True, kw_only=True)
class Fold:
    """Parts that open on demand."""

    summary: str
    parts: Sequence[AnyPart]
    kind: str = field(default="fold", init=False)


AnyPart = Paragraph | Heading | Code | Pairs | Bullets | Table | Figure | Stack | Fold


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of the page with a heading."""

    name: str
    """its anchor"""
    title: str
    parts: Sequence[AnyPart]
