"""Constants of a chunk: what events name by a key, such as threads, stacks and classes.

A checkpoint event holds some of several types. A chunk has many; a key may come twice, and the last one holds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.jfr.described import KEY, Programs
from mqdiag.read.jfr.header import OLDER, ChunkHead
from mqdiag.read.jfr.kernels.decode import MOST_NESTED
from mqdiag.read.jfr.kernels.pools import (
    AT_HEAD,
    CHECKPOINT,
    DAMAGED,
    DONE,
    FULL,
    KIND,
    MISSING,
    PLACE,
    STATUS,
    TYPE,
    list_groups,
)
from mqdiag.read.jfr.program import UnknownTypeError
from mqdiag.read.jfr.records import Records
from mqdiag.text import Text, say

_ROOM = 1 << 11
"""groups listed by one call of the kernel"""


def list_constants(
    data: NDArray[np.uint8],
    head: ChunkHead,
    programs: Programs,
    checkpoints: tuple[NDArray[np.int64], NDArray[np.int64]],
    type_of: Callable[[NDArray[np.int64]], NDArray[np.int64]],
    damaged: Callable[[int, Text], None],
) -> NDArray[np.int64]:
    """Where the constants of checkpoints are.

    Args:
        data: the file.
        head: of the chunk.
        programs: of its types.
        checkpoints: where the payload of each begins, behind size and type, and where it ends.
        type_of: gives the numbers of types by those in checkpoints.
        damaged: told each place where constants are lost up to the end of a checkpoint, and why.

    Returns:
        int64[4, groups]: constants of one type that follow each other, in the order of the file; rows as of TYPE.
    """
    starts, ends = checkpoints
    is_older = head.version[0] == OLDER
    room, scratch = np.empty((4, _ROOM), np.int64), np.zeros((3, MOST_NESTED + 2), np.int64)
    state = np.array([0, AT_HEAD, 0, FULL, 0], np.int64)
    parts = []
    while state[STATUS] != DONE:
        listed = list_groups(
            data, starts, ends, head.is_compressed, is_older, programs.skips, state, scratch, room
        )
        parts.append(room[:, :listed].copy())
        if state[STATUS] == MISSING:
            try:
                programs.learn(int(state[KIND]), int(type_of(state[KIND:])[0]))
                continue
            except UnknownTypeError as error:
                damaged(int(starts[state[CHECKPOINT]]), error.reason)
        elif state[STATUS] == DAMAGED:
            damaged(int(state[PLACE]), say("a constant pool is damaged"))
        else:
            continue
        state[CHECKPOINT] += 1
        state[PLACE] = AT_HEAD
    groups = np.concatenate(parts, axis=1)
    groups[TYPE] = type_of(groups[TYPE])
    return groups


class Pool:
    """Constants of one type, found by their keys.

    Args:
        records: with the column KEY.
    """

    def __init__(self, records: Records) -> None:
        self.records = records
        keys = records.integers(KEY)
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]
        self._text_cache: dict[tuple[str, int], str | None] = {}
        self._integers: dict[str, list[int]] = {}

    @property
    def keys(self) -> NDArray[np.int64]:
        """int64[constants]: the key of each, in ascending order; one that was written twice is there twice."""
        return self._keys

    def rows_of(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """int64[keys]: the row of each; -1 for a key that no constant has."""
        if not len(self._keys):
            return np.full(len(keys), -1, np.int64)
        at = np.searchsorted(self._keys, keys, side="right") - 1
        is_there = (at >= 0) & (self._keys[np.maximum(at, 0)] == keys)
        return np.where(is_there, self._order[np.maximum(at, 0)], -1)

    def row(self, key: int) -> int:
        """The same for one key."""
        return self._rows.get(key, -1)

    @cached_property
    def _rows(self) -> dict[int, int]:
        return dict(zip(self._keys.tolist(), self._order.tolist(), strict=True))

    def integer(self, name: str, row: int) -> int:
        """The number, or key, of one constant.

        Raises:
            UnknownTypeError: as of `Records.integers`.
        """
        if name not in self._integers:
            self._integers[name] = self.records.integers(name).tolist()
        return self._integers[name][row]

    def text(self, name: str, row: int) -> str | None:
        """The text of one constant."""
        place = (name, row)
        if place not in self._text_cache:
            self._text_cache[place] = self.records.text(name, row)
        return self._text_cache[place]
