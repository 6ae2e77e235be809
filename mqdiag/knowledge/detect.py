"""What a card says of the evidence that shows its cases: the tables below `[detect]`."""

# Without annotations as strings: msgspec would compile each of them at the first use of a type, 0.2 ms in each run.

from typing import Literal

import msgspec


class Choice(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"if_": "if"}):
    """A case, and when it is meant."""

    case: str
    if_: str = ""
    """name of a flag or value: the case is meant only where it is true, or known and not 0"""
    at_least: dict[str, str] = {}
    """limits by the values that must reach them"""


class Number(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A number or name for the finding; exactly one of the first seven keys is there."""

    largest: str = ""
    """the largest number that lines carry under this name"""
    smallest: str = ""
    lines: tuple[str, ...] = ()
    """how many lines of these kinds the same logs have"""
    only: Literal["", "group", "topic", "broker", "thread", "account"] = ""
    """the one that all lines name"""
    subjects: bool = False
    """the most frequent subjects with their lines"""
    quotes: bool = False
    """the words of the first such line"""
    number: int | None = None
    """this number"""
    less: int = 0
    """so much is taken away"""
    per: int = 1
    """so many of it are one"""
    unless: int | None = None
    """the value that stands for an unknown one"""


class Lines(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Lines of logs; one is enough where `at_least` is not there."""

    lines: tuple[str, ...] = ()
    """their kinds, as in `mqdiag/knowledge/log_statements`"""
    case: str | tuple[Choice, ...] = ()
    """the case; of several the first that is meant"""
    by_kind: dict[str, str] = {}
    """in place of both: for each kind its case, and a finding of its own"""
    each: Literal["process", "broker", "group"] = "process"
    """whose lines count together; those of a group are of one broker too"""
    at_least: str = ""
    """the limit that their number must reach; of an excerpt one line is enough"""
    unless_later: tuple[str, ...] = ()
    """kinds of lines that show, where they come last, that it passed"""
    subject: tuple[Literal["topic", "broker", "thread"], ...] = ()
    """what the finding is about besides its group: the topic or thread that all lines name, the broker"""
    values: dict[str, Number] = {}
    flags: dict[str, str] = {}
    """flags for the sentences, by the kind of lines or the number in one of them that makes them true"""

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The cases in their order; none where each kind has its own."""
        return (Choice(self.case),) if isinstance(self.case, str) else self.case


class Rows(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Rows of the facts, such as those of a table of a heap dump."""

    of: str
    """where they are: "heap.proxy.client_processes" """
    case: str
    at_least: dict[str, str] = {}
    """limits by the fields that must reach them; a row of which one is unknown is none"""
    is_: dict[str, bool | int | str] = msgspec.field(default={}, name="is")
    """values that fields must have; true for anything that is not 0"""
    margins: dict[str, str] = {}
    """by a field of `at_least`, the margin that tells how far the row is from its limit"""
    worst: str = ""
    """the field by which the worst row alone is told"""
    count_as: str = ""
    """the name of the evidence that says how many rows there are where the worst is told"""
    subject: dict[str, str] = {}
    """parts of the subject by the fields that have them"""
    values: dict[str, str] = {}
    """further evidence by the fields that have it, or by their place: "heap.proxy.clients" """
    age_ms: str = ""
    """the field that tells how long it has lasted"""

    @property
    def evidence(self) -> str:
        """The kind of evidence that has the rows."""
        root = self.of.partition(".")[0]
        return "heap" if root == "brokers" else root


class Detect(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that shows the cases of a card, besides the checks in its rule's file."""

    lines: tuple[Lines, ...] = ()
    rows: tuple[Rows, ...] = ()
    drifts: tuple[Literal["setting", "version", "subscription"], ...] = ()
    """kinds of differences between the instances of a group, told by the case of the rule's own name"""
    statements: bool = False
    """the statements of a team's own files, each with its limit; the cases are the kinds of limits"""

    @property
    def cases(self) -> tuple[str, ...]:
        """The cases that these checks name."""
        of_lines = (
            name
            for one in self.lines
            for name in (*one.by_kind.values(), *(choice.case for choice in one.choices))
        )
        return (*of_lines, *(one.case for one in self.rows))

    @property
    def limits(self) -> tuple[str, ...]:
        """The limits that they name."""
        of_lines = (
            name
            for one in self.lines
            for name in (one.at_least, *(name for choice in one.choices for name in choice.at_least.values()))
        )
        return (*filter(None, of_lines), *(name for one in self.rows for name in one.at_least.values()))

    @property
    def evidence(self) -> tuple[str, ...]:
        """The kind of evidence that each of these checks needs, in their order."""
        return (
            *("logs" for _ in self.lines),
            *(one.evidence for one in self.rows),
            *("fleet" for _ in self.drifts),
            *(["logs"] if self.statements else []),
        )


class Described(msgspec.Struct, frozen=True):
    """The part of a card that says what shows its cases."""

    detect: Detect = Detect()
