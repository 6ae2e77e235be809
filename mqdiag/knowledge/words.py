"""Sentences that several rules share: `mqdiag/knowledge/shared/<name>.toml`."""

# Without annotations as strings: msgspec would compile each of them at the first use of a type, 0.2 ms in each run.

import os
from functools import cached_property

import msgspec

from mqdiag.knowledge import packed
from mqdiag.text import Text, Value, say

SHARED = os.path.join(os.path.dirname(__file__), "shared")


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    words: dict[str, str]
    lists: dict[str, tuple[str, ...]] = {}


class Words:
    """The sentences of one shared file.

    Args:
        name: of the file, without its ending.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def say(self, name: str, **values: Value) -> Text:
        """A sentence or a part of one, filled with values; what is not given is left to the evidence."""
        return say(self._file.words[name], **values)

    def list(self, name: str) -> tuple[Text, ...]:
        """A list of sentences."""
        return tuple(map(say, self._file.lists[name]))

    @cached_property
    def _file(self) -> _File:
        return packed.decode(SHARED, self._name, _File)
