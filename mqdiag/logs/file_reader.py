"""All logs that one path holds: itself, or the members of an archive."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from mqdiag.errors import InputError
from mqdiag.logs.catalogue import catalogue
from mqdiag.logs.reader import LogsReader, ReadLog
from mqdiag.read.open.door import as_far_as_they_go, members
from mqdiag.text import Text

if TYPE_CHECKING:
    from mqdiag.knowledge.team import Team
    from mqdiag.knowledge.team.statement import Statement

CHUNK = 1 << 20
"""bytes that are searched at once"""
WORK = f"{__name__}.logs_by_worker"
"""what a worker calls for each path"""


class FoundLog(msgspec.Struct):
    """A log of a path, or why it is none."""

    name: str
    """the path as the user calls it, with the member of an archive"""
    read: ReadLog | InputError
    problem: Text | None = None
    """why the log was not read to its end"""
    stopped_at: int | None = None
    """unpacked bytes that were read before the problem"""


def logs_of(
    path: str, name: str, statements: tuple[Statement, ...], step: Callable[[], None]
) -> list[FoundLog]:
    """Read all logs of a path.

    Args:
        path: a file, packed or not; "-" is standard input.
        name: what the user calls it.
        statements: of a team.
        step: called before each chunk; it raises InputError if reading is to end.
    """
    found: list[FoundLog] = []
    damage: list[tuple[Text, int]] = []

    def note(problem: Text, at: int) -> None:
        damage.append((problem, at))

    given = members(path, chunk_bytes=CHUNK)
    while True:
        damage.clear()  # of a member that is none
        label = name
        try:
            label, chunks = next(given)
            label = name + label.removeprefix(path)
            log = _reader(statements).read(label, as_far_as_they_go(chunks, note, step))
        except StopIteration:
            return found
        except InputError as error:
            found.append(FoundLog(label, error))
            continue
        problem, at = damage.pop() if damage else (None, None)
        found.append(FoundLog(label, log, problem, at))


def logs_by_worker(path: str, name: str, team: Team | None, step: Callable[[], None]) -> list[FoundLog]:
    """For workers: the same, by what a team knows, its libraries too."""
    if team is None:
        return logs_of(path, name, (), step)
    team.use()
    return logs_of(path, name, team.statements, step)


def prepare() -> None:
    """For workers: make what every log is searched for, before there is one."""
    _reader(())
    catalogue()


@cache
def _reader(statements: tuple[Statement, ...]) -> LogsReader:
    return LogsReader(statements)
