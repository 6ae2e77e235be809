"""A manifest: a CSV or Parquet table that names the files and labels them."""

from __future__ import annotations

import csv
import io
import posixpath
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from mqdiag.errors import InputError, first_line
from mqdiag.fleet.files.labels import UNKNOWN, Labels, parse_time
from mqdiag.fleet.files.storage import Storage
from mqdiag.text import say

_MOST_LINE = 1 << 16
COLUMNS = ("path", "service", "host", "environment", "time")


def is_manifest(path: str) -> bool:
    """Told by its name."""
    return path.lower().endswith((".csv", ".parquet"))


def manifest_files(given: str, store: Storage, path: str) -> Iterator[tuple[str, Labels]]:
    """Places and labels of all rows; a relative place is below the manifest's folder.

    Raises:
        InputError: not there, no column `path`, a time that cannot be read.
    """
    if store.entry(path) is None:
        raise InputError(given, say("no such file"))
    rows = _csv_rows(given, store, path) if path.lower().endswith(".csv") else _parquet_rows(given, store, path)
    folder = posixpath.dirname(path)
    for number, row in enumerate(rows, 1):
        place = str(row.get("path") or "").strip()
        if not place:
            raise InputError(given, say("row {number} has no path", number=number))
        if "\0" in place:
            raise InputError(given, say("row {number} has a path that no system takes", number=number))
        if "://" not in place:
            place = posixpath.join(folder, place)
        yield (
            place,
            Labels(
                service=_text(row, "service") or UNKNOWN,
                host=_text(row, "host") or posixpath.basename(place).split(".")[0],
                environment=_text(row, "environment"),
                time_ns=_time(given, number, row.get("time")),
            ),
        )


def _text(row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    return "" if value is None else str(value).strip()


def _time(given: str, number: int, value: Any) -> int | None:
    if value is None or value == "":
        return None
    if isinstance(value, datetime):
        moment = value if value.tzinfo else value.replace(tzinfo=UTC)
        return int(moment.timestamp() * 1000) * 10**6
    found = parse_time(str(value))
    if found is None:
        raise InputError(
            given,
            say(
                "row {number} has a time that is none: {value}; write 2026-11-21T08:00:00Z",
                number=number,
                value=repr(value),
            ),
        )
    return found


def _check(given: str, names: list[str]) -> None:
    if "path" not in names:
        raise InputError(
            given,
            say("has no column path; a manifest has {columns}, all but path optional", columns=tuple(COLUMNS)),
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


def _parquet_rows(given: str, store: Storage, path: str) -> Iterator[dict[str, Any]]:
    with store.open(path) as raw:
        try:
            file = pq.ParquetFile(raw)
            _check(given, file.schema_arrow.names)
            wanted = [name for name in COLUMNS if name in file.schema_arrow.names]
            for batch in file.iter_batches(batch_size=10_000, columns=wanted):
                yield from batch.to_pylist()
        except pa.ArrowException as error:
            raise InputError(given, say("is not a Parquet file: {reason}", reason=first_line(error))) from error
