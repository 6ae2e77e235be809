"""The neutral parts of a report: what a section says, before any writer gives it a form.

A section maker (`mqdiag/render/sections/`) reads the report and returns `Section`s. The writers of text, HTML and
Markdown draw the same sections, so each figure and each sentence is made once. A maker follows five rules.

* Words are `Text` (made by `say`), data is `str`. A maker formats nothing: no f-string, no `write`, no joined names.
* Cells of tables and values of pairs are raw: int, float, str, None, `Text` or a tuple of them. `Column.kind` says
  how a column is written (the kinds of `mqdiag.text`); for a single number use `quantity(value, kind)` or `say`.
* A table stands in data (`mqdiag/render/tables.py`): what its columns are called, and what each takes of a fact. A
  maker gives the facts, or rows of cells that are of no single fact.
* None is a value that is not known. `NO_VALUE` is the cell of something that has no such value.
* A maker leaves nothing out. The writer cuts: the short form (text) has the first of `shown=(short, wide)` rows and
  no part or column that is `wide`; the wide form (HTML, and text with `detail="full"`) has the second, and all parts
  but those that are `short`.

| part | text | page |
|---|---|---|
| Paragraph | wrapped lines | a paragraph; with `link` or `page` a link |
| Bullets, Steps | "- " and "1." lines, under their title | a list, under its title |
| Actions | "1." lines, the command of each below it | a list, each with a block |
| Pairs | two columns | a list of terms |
| Table | columns with a head | a table that sorts and filters; a long one has the rows that are in sight |
| Stack, Path | frames; steps from a GC root | a list |
| Tree | branches, indented where they part | nested lists |
| Figure | its words | its picture |
| Fold | a line and what it holds, indented | opens on demand |
| Code | commands, never wrapped | a block |
| Several | the first ones, and how many more | the same |
| Card | a mark and a sentence with its parts | a box in the colour of its state |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import msgspec

from mqdiag.render.wording.words import word
from mqdiag.text import NOTHING, Text, Value, say

if TYPE_CHECKING:
    from markupsafe import Markup

    from mqdiag.language import Writer

Words = Text | str
"""words of our own, or data"""

NO_VALUE = "-"
"""the cell of what has no such value, such as the first offset of an empty queue"""

NUMBERS = frozenset(("count", "decimal", "bytes", "percent", "ms", "seconds", "rate"))
"""kinds whose columns are aligned to the right and sort by their numbers"""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """What all parts have."""

    wide: bool = False
    """only the wide form has it"""
    short: bool = False
    """only the short form has it"""


class Paragraph(Part, frozen=True):
    """One sentence or several."""

    text: Words
    soft: bool = False
    """an explanation in the margin, not part of the message"""
    link: str | None = None
    """anchor in the page that it leads to"""
    page: str | None = None
    """path of another page, from this one, that it leads to instead"""


class Bullets(Part, frozen=True):
    """Sentences side by side."""

    lines: Sequence[Words]
    title: Words = NOTHING
    shown: int | None = None
    """lines in the short form; None for all"""


class Steps(Part, frozen=True):
    """Sentences in their order, numbered."""

    lines: Sequence[Words]
    title: Words = NOTHING
    shown: int | None = None
    """lines in the short form; None for all"""


class Doing(msgspec.Struct, frozen=True):
    """What to do, and the command that does it, which is never wrapped."""

    text: Words
    command: Words = NOTHING


class Actions(Part, frozen=True):
    """What to do, in the order of effect, numbered."""

    actions: Sequence[Doing]
    title: Words = NOTHING
    shown: int | None = None
    """actions in the short form; None for all"""


class Pairs(Part, frozen=True):
    """Names and values."""

    rows: Sequence[tuple[Words, Value]]
    java: bool = False
    """values are Java names: a narrow page shortens their packages"""


class Column(msgspec.Struct, frozen=True):
    """A column of a table."""

    head: Text
    kind: str = ""
    """how its values are written, as in `mqdiag.text`"""
    of: str | Callable[[Any], Value] = ""
    """field of a row's fact: its name, a path such as `inner.topic`, or a function of the fact that makes the cell"""
    none: Value = None
    """cell of a fact that has nothing here; None where the value is then unknown"""
    worded: bool = False
    """whether cells are said in words: codes of the report, such as consume-worker, and yes or no"""
    flag: Text = NOTHING
    """cell of a fact for which `of` is true; the other cells are empty"""
    number: bool | None = None
    """aligned to the right and sorted as numbers; None: as its kind has it. True for ids and offsets"""
    java: bool = False
    """Java names: a narrow table shortens their packages"""
    whole: bool = False
    """names that a person copies: never broken over lines"""
    cut: bool = False
    """one line a row: a cell that is too long for its column ends in an ellipsis"""
    wide: bool = False
    """only the wide form has it"""
    optional: bool = False
    """left out where every row has None or nothing"""

    @property
    def is_number(self) -> bool:
        """Whether it is aligned to the right and sorted as numbers."""
        return self.kind in NUMBERS if self.number is None else self.number

    def cells(self, facts: Iterable[Any]) -> list[Value]:
        """The raw cells of the facts, in their order."""
        values: Iterable[Value] = map(attrgetter(self.of) if isinstance(self.of, str) else self.of, facts)
        if self.none is not None:
            values = (self.none if _is_nothing(value) else value for value in values)
        if self.flag:
            values = (self.flag if value else "" for value in values)
        return list(map(_in_words, values) if self.worded else values)


def _is_nothing(value: Value) -> bool:
    return not value and not isinstance(value, int | float)


def _in_words(value: Value) -> Value:
    if isinstance(value, bool):
        return say("yes") if value else say("no")
    return word(value) if isinstance(value, str) else value


class Nested(msgspec.Struct, frozen=True):
    """A fact, and the fact that holds it, for a row that shows both."""

    outer: Any
    inner: Any


Row = Sequence[Value]


def more_lines(hidden: int) -> Text:
    """How many lines a list leaves out."""
    return say("and {hidden:count} more with --detail full", hidden=hidden)


def more_rows(rows: Sequence[Row]) -> Text:
    """How many rows a table leaves out, where its maker says nothing better."""
    return say("and {hidden:count} more", hidden=len(rows))


class Table(Part, frozen=True, kw_only=True):
    """Rows of raw cells under heads."""

    name: str
    """its anchor in the page; a process's number is put before it"""
    columns: Sequence[Column]
    rows: Sequence[Row] = ()
    rows_of: Iterable[Any] | None = None
    """facts whose fields are the cells, in place of `rows`; None from the moment when `rows` are made"""
    caption: Text = NOTHING
    """left out where the section's title says it"""
    shown: tuple[int, int] = (12, 2000)
    """rows in the short and in the wide form"""
    rest: Callable[[Sequence[Row]], Text] = more_rows
    """what is said of the rows that are left out"""
    note: Text = NOTHING
    """what the heads mean, or what the numbers rest on"""
    links: Sequence[str] = ()
    """path of the page, from this one, that the first cell of each row leads to"""

    def __post_init__(self) -> None:
        """Take the cells of the facts, and drop the optional columns that no row fills."""
        if self.rows_of is not None:
            facts = list(self.rows_of)
            rows = list(zip(*(column.cells(facts) for column in self.columns), strict=True))
            msgspec.structs.force_setattr(self, "rows", rows)
            msgspec.structs.force_setattr(self, "rows_of", None)
        kept = [
            place
            for place, column in enumerate(self.columns)
            if not column.optional or any(row[place] is not None and row[place] != "" for row in self.rows)
        ]
        if len(kept) < len(self.columns):
            msgspec.structs.force_setattr(
                self, "rows", [tuple(row[place] for place in kept) for row in self.rows]
            )
            msgspec.structs.force_setattr(self, "columns", [self.columns[place] for place in kept])


class Stack(Part, frozen=True):
    """Frames of one or more threads, the top first, as Java prints them."""

    frames: Sequence[str]
    own: Sequence[int] = ()
    """places of the application's own frames"""
    shown: tuple[int, int] = (8, 1000)
    """frames in the short and in the wide form"""


class Path(Part, frozen=True):
    """References from a GC root to an object, one step each."""

    steps: Sequence[str]


class Branch(msgspec.Struct, frozen=True, kw_only=True):
    """A node of a tree."""

    text: Words
    mark: Words = NOTHING
    """in front of it: a share"""
    java: bool = False
    """a Java name, whose packages a narrow page shortens"""
    state: str = ""
    """a thread's state, for its colour"""
    below: Sequence[Branch] = ()


class Tree(Part, frozen=True):
    """Branches; a single one below another stays at the same indentation."""

    branches: Sequence[Branch]


class Figure(Part, frozen=True, kw_only=True):
    """A picture, and the parts that say the same in words."""

    draw: Callable[[Writer], Markup]
    """makes the SVG; called by the page alone"""
    caption: Text
    title: Words = NOTHING
    """a heading of the page, where its section shows more than the figure"""
    words: Sequence[AnyPart] = ()
    """for text; empty where the table beside it says the same"""


class Fold(Part, frozen=True):
    """A line, and parts that a page shows on demand."""

    summary: Words
    parts: Sequence[AnyPart]
    mark: str = "-"
    """in front of the line in text"""
    state: str = ""
    """a thread's state, for its colour"""


class Code(Part, frozen=True):
    """Lines for a shell; a line with values is a text, so that a redacted report can hide them."""

    lines: Sequence[Words]


class Several(Part, frozen=True, kw_only=True):
    """Parts of one kind, of which the short form has the first ones."""

    parts: Sequence[AnyPart]
    shown: tuple[int, int]
    """in the short and in the wide form"""
    rest: Callable[[int], Text]
    """what is said of the number that is left out"""


class Card(Part, frozen=True, kw_only=True):
    """A statement with its state: the answer, a finding, a rule."""

    name: str
    """its anchor in the page"""
    state: Literal["error", "warning", "info", "healthy", "undecided"]
    label: Words
    """the state in a word"""
    title: Words
    parts: Sequence[AnyPart]


AnyPart = (
    Paragraph
    | Bullets
    | Steps
    | Actions
    | Pairs
    | Table
    | Stack
    | Path
    | Tree
    | Figure
    | Fold
    | Code
    | Several
    | Card
)


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the report with a heading."""

    name: str
    """its anchor in the page"""
    title: Text
    short_title: Text = NOTHING
    """in a page's list of its parts, where the title is long"""
    parts: Sequence[AnyPart]
    headed: bool = True
    """False where the parts speak for themselves: text writes no heading, a page shows none in its list"""
    wide: bool = False
    """only the wide form has it"""
    paper: bool = True
    """False for tables that a printed page leaves out"""
    folded: bool = False
    """a page shows its title, and the parts on demand"""


_Fact = TypeVar("_Fact")


def sections_of(
    facts: Sequence[_Fact],
    name: str,
    *,
    alone: Text,
    title: Callable[[_Fact], Text],
    parts: Callable[[_Fact, str], Iterable[AnyPart]],
) -> Iterator[Section]:
    """One section for each fact, numbered where there are several.

    Args:
        facts: what each section is about.
        name: the anchor of one alone.
        alone: its title.
        title: that of one of several.
        parts: those of a fact, by the anchor of its section.
    """
    many = len(facts) > 1
    for number, fact in enumerate(facts, 1):
        anchor = f"{name}-{number}" if many else name
        yield Section(name=anchor, title=title(fact) if many else alone, parts=[*parts(fact, anchor)])
