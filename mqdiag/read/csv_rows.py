"""Tables of comma-separated values with a column of lines, as Kibana, Grafana and CloudWatch export logs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mqdiag.read.message_keys import MESSAGE_KEYS

MOST_OPEN = 4 << 20
"""characters of a line in parts, or of a quoted value, that wait for their end"""
_LONGEST_HEAD = 8 << 10
"""characters of the names of a table's columns"""
_NAMES = (*MESSAGE_KEYS, "Line")
_OF_GRAFANA = frozenset(("tsNs", "Time", "labels"))
"""columns beside which Grafana has one of lines"""


def message_column(filled: Sequence[str]) -> int | None:
    """The column of a table of comma-separated values that holds the text, by its head."""
    head = filled[0]
    if len(head) > _LONGEST_HEAD or "," not in head or not any(key in head for key in _NAMES):
        return None
    import csv  # most texts are no tables

    row = [name.strip("\ufeff ") for name in next(csv.reader([head]), [])]
    names = _NAMES if not _OF_GRAFANA.isdisjoint(row) else MESSAGE_KEYS
    found = [at for at, name in enumerate(row) if name in names]
    return found[0] if found and len(row) > 1 and all(len(name) < 60 for name in row) else None


def rows_of(text: str) -> Iterator[list[str]]:
    """The rows of a table of comma-separated values, however long a value is.

    Raises:
        csv.Error: the text is no table.
    """
    import csv

    # a value may be as long as the text, and what does not fit ends the reading
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    return csv.reader(text.splitlines(keepends=True))


class CsvRows:
    """One column of a table of comma-separated values; a quoted value may have several lines."""

    def __init__(self, column: int) -> None:
        self._column = column
        self._open = ""
        self._head = True

    def __call__(self, text: str) -> str:
        """The values of whole lines; "" stands for the end of the text."""
        ends = not text
        text = self._open + text
        cut = len(text) if ends or len(text) >= MOST_OPEN else _end_of_rows(text)
        text, self._open = text[:cut], text[cut:]
        out = []
        for row in self._rows(text):
            if self._head:
                self._head = False
            elif len(row) > self._column:
                out.append(row[self._column].rstrip("\n") + "\n")
        return "".join(out)

    def _rows(self, text: str) -> Iterator[list[str]]:
        """The rows; of what is no table, the text itself."""
        import csv

        try:
            yield from rows_of(text)
        except csv.Error:
            yield [text] * (self._column + 1)


def _end_of_rows(text: str) -> int:
    """Where the last whole row of a text of whole lines ends; a value in quotation marks may have several lines."""
    # those inside of a value are doubled: an odd number of them is before the end of a line in a value
    is_open = text.count('"') % 2 == 1
    end = len(text)
    while is_open and end > 0:
        begin = text.rfind("\n", 0, end - 1) + 1
        is_open ^= text.count('"', begin, end) % 2 == 1
        end = begin
    return end
