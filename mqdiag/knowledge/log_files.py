"""What kind of log a file of RocketMQ is, and what its lines tell of the version and of collections."""

# Without annotations as strings: msgspec would compile each of them at the first use of a type, 0.2 ms in each run.

from functools import cache
from typing import NamedTuple

import msgspec

from mqdiag.facts.vocabulary import LogKind
from mqdiag.knowledge import packed


class PrintedSetting(NamedTuple):
    """A setting that a starting broker prints, in the order of the fields of its class."""

    since: str
    """the version that it came with"""
    name: str
    after: str
    """the one before it, which all versions have"""
    before: str
    """the one behind it, which all versions have"""


class LogFiles(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The tables of log_files.toml."""

    names: tuple[tuple[str, LogKind], ...]
    words: tuple[tuple[LogKind, tuple[str, ...]], ...]
    settings: tuple[PrintedSetting, ...]
    other_reasons: tuple[str, ...]
    """causes of full collections other than a heap without room"""


@cache
def log_files() -> LogFiles:
    """The tables."""
    return packed.decode(packed.ROOT, "log_files", LogFiles)
