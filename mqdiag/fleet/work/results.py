"""Results of incidents between their analysis and the commit: one file each, named by the incident's key.

Two tasks that analyse the same incident, because one was retried or run twice, write the same file; so a result is
there once or not at all, and a driver that starts again finds what is done.
"""

from __future__ import annotations

import msgspec

from mqdiag.fleet.files.storage import Storage
from mqdiag.fleet.work.rows import Rows

RESULTS = "results"
"""folder among the unfinished work"""


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """All rows of an incident."""

    run: str
    """the run that made it"""
    again: bool
    """another run must not take it over: it failed for a passing reason"""
    rows: Rows


_DECODER = msgspec.msgpack.Decoder(Result)


def result_path(out: str, incident: str) -> str:
    """Where it lies; 256 folders keep each of them short."""
    return f"{out}/_staging/{RESULTS}/{incident[:2]}/{incident}"


def write_result(store: Storage, out: str, incident: str, result: Result) -> None:
    """Keep it, whole or not at all; one that a power failure has damaged is made again."""
    store.write(result_path(out, incident), msgspec.msgpack.encode(result), durable=False)


def read_result(store: Storage, out: str, incident: str) -> Result | None:
    """The result; None where there is none, or it is damaged."""
    path = result_path(out, incident)
    try:
        return _DECODER.decode(store.read(path))
    except (FileNotFoundError, msgspec.MsgspecError):
        return None


def count_try(store: Storage, out: str, run: str, incident: str) -> int:
    """Note that a run begins an incident once more after it lost an executor; how often it had done so before."""
    path = f"{out}/_staging/{run}/tries/{incident}"
    data = b"" if store.entry(path) is None else store.read(path)
    # A power failure can leave the file empty.
    tries = int(data) if data.isdigit() else 0
    store.write(path, str(tries + 1).encode(), durable=False)
    return tries
