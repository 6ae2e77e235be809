"""A manifest: a CSV or Parquet table that names the files and labels them."""

from __future__ import annotations

import csv
import io
import posixpath
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mqdiag.errors import InputError, first_line
from mqdiag.fleet.files.labels import MOST_LABELS, UNKNOWN, Labels, further, is_label, parse_time, time_ns
from mqdiag.fleet.files.storage import Storage
from mqdiag.text import say

_MOST_LINE = 1 << 16
"""characters of a line in CSV, and bytes of a text in Parquet"""
_MOST_RATIO = 200
"""bytes of texts for each byte of a Parquet file"""
_BATCH_ROWS = 1_000
COLUMNS = ("path", "service", "host", "environment", "time")


def is_manifest(path: str) -> bool:
    """Told by its name."""
    return path.lower().endswith((".csv", ".parquet"))


def manifest_files(given: str, store: Storage, path: str) -> Iterator[tuple[str, Labels]]:
    """Places and labels of all rows; a relative place is below the manifest's folder.

    Raises:
        InputError: not there, no column `path`, a time that cannot be read, far more text than the file has bytes.
    """
    entry = store.entry(path)
    if entry is None:
        raise InputError(given, say("no such file"))
    rows = (
        _csv_rows(given, store, path)
        if path.lower().endswith(".csv")
        else _parquet_rows(given, store, path, entry.bytes)
    )
    folder = posixpath.dirname(path)
    for number, row in enumerate(rows, 1):
        place = str(row.get("path") or "").strip()
        if not place:
            raise InputError(given, say("row {number} has no path", number=number))
        if "\0" in place:
            raise InputError(
                given, say("row {number} has a path that is not valid on any system", number=number)
            )
        if "://" not in place:
            place = posixpath.join(folder, place)
        yield (
            place,
            Labels(
                service=_text(row, "service") or UNKNOWN,
                host=_text(row, "host") or posixpath.basename(place).split(".")[0],
                environment=_text(row, "environment"),
                time_ns=_time(given, number, row.get("time")),
                more=further({name: _text(row, name) for name in row if _is_further(name)}),
            ),
        )


def _is_further(name: object) -> bool:
    """Whether a column is a label of one's own; what a line of CSV has too much of has no name."""
    return isinstance(name, str) and name not in COLUMNS and is_label(name)


def _text(row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    return "" if value is None else str(value).strip()


def _time(given: str, number: int, value: Any) -> int | None:
    if value is None or value == "":
        return None
    if isinstance(value, datetime):
        return time_ns(value)
    found = parse_time(str(value))
    if found is None:
        raise InputError(
            given,
            say(
                "row {number} has an invalid time: {value}; write 2026-11-21T08:00:00Z",
                number=number,
                value=repr(value),
            ),
        )
    return found


def _check(given: str, names: list[str]) -> None:
    if "path" not in names:
        raise InputError(
            given,
            say(
                "has no column path; a manifest has {columns}, all but path optional, and labels of your own",
                columns=tuple(COLUMNS),
            ),
        )


def _csv_rows(given: str, store: Storage, path: str) -> Iterator[dict[str, Any]]:
    with store.open(path) as raw:
        text = io.TextIOWrapper(io.BufferedReader(raw), encoding="utf-8-sig", newline="")  # type: ignore[type-var]
        try:
            reader = csv.DictReader(_lines(given, text))
            _check(given, list(reader.fieldnames or ()))
            yield from reader
        except (UnicodeDecodeError, csv.Error) as error:
            raise InputError(given, say("is not a CSV file in UTF-8: {error}", error=str(error))) from error


def _lines(given: str, text: io.TextIOWrapper) -> Iterator[str]:
    while line := text.readline(_MOST_LINE + 1):
        if len(line) > _MOST_LINE:
            raise InputError(given, say("has a line of more than {most:count} characters", most=_MOST_LINE))
        yield line


def _parquet_rows(given: str, store: Storage, path: str, size: int) -> Iterator[dict[str, Any]]:
    """Rows of a Parquet file, whose texts may be stored once for many rows or packed to almost nothing."""
    room = _MOST_RATIO * size
    with store.open(path) as raw:
        try:
            metadata = pq.read_metadata(raw)
            wanted = _plain_columns(given, metadata.schema)
            if metadata.num_rows > size or _declared_bytes(metadata) > room:
                raise _holds_too_much(given)
            file = pq.ParquetFile(raw, metadata=metadata, read_dictionary=wanted)
            for batch in file.iter_batches(batch_size=_BATCH_ROWS, columns=wanted):
                room -= sum(_text_bytes(given, batch.column(name)) for name in wanted)
                if room < 0:
                    raise _holds_too_much(given)
                yield from batch.to_pylist()
        except pa.ArrowException as error:
            raise InputError(given, say("is not a Parquet file: {reason}", reason=first_line(error))) from error
        except (UnicodeDecodeError, OverflowError) as error:
            raise InputError(
                given, say("has a value out of range: {reason}", reason=first_line(error))
            ) from error


def _plain_columns(given: str, schema: pq.ParquetSchema) -> list[str]:
    """The columns of a manifest that a file has: of texts or times, since lists and bytes of a fixed length expand."""
    names = schema.to_arrow_schema().names
    _check(given, names)
    wanted = [name for name in COLUMNS if name in names]
    leaves = [schema.column(number) for number in range(len(schema.names))]
    plain = {
        leaf.path
        for leaf in leaves
        if leaf.max_repetition_level == 0 and leaf.physical_type != "FIXED_LEN_BYTE_ARRAY"
    }
    for name in wanted:
        if name not in plain or names.count(name) > 1:
            raise InputError(given, say("needs one column {name}, of texts or times", name=name))
    texts = {leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"} & plain
    labels = [name for name in names if _is_further(name) and name in texts and names.count(name) == 1]
    return [*wanted, *sorted(labels)[:MOST_LABELS]]


def _declared_bytes(metadata: pq.FileMetaData) -> int:
    """Bytes of all unpacked pages.

    Arrow ends the process when it is asked about a forged column, and not about a group.
    """
    return sum(metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups))


def _text_bytes(given: str, column: pa.Array) -> int:
    """Bytes of all texts of a column, each row with its own."""
    if not pa.types.is_dictionary(column.type):
        return int(column.nbytes)
    lengths = pc.binary_length(column.dictionary)
    longest = pc.max(lengths).as_py() or 0
    if longest > _MOST_LINE:
        raise InputError(given, say("has a text of more than {most:count} bytes", most=_MOST_LINE))
    return int(pc.sum(lengths.take(column.indices)).as_py() or 0)


def _holds_too_much(given: str) -> InputError:
    return InputError(
        given,
        say(
            "holds more than one row, or more than {most} bytes of text, for each byte of the file",
            most=_MOST_RATIO,
        ),
    )
