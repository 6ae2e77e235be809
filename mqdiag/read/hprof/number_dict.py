"""A dict with keys from an input that whoever wrote it chose: ids, serial numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableMapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.hprof.process_secret import START

V = TypeVar("V")
_SECRET = int(START)


class NumberDict(MutableMapping[int, V]):
    """Values by whole number, from 0 to 2^64 - 1 where they come as an array, in the order of insertion.

    The hash of a whole number in Python is the number itself, and the places that a dict tries one after the other
    follow from it. So an input could have ids for which each search is as long as the dict. Here a key is hidden by a
    secret of this process.
    """

    def __init__(self, numbers: NDArray[Any] | None = None, values: Iterable[V] = ()) -> None:
        self._hidden: dict[int, V] = {}
        if numbers is not None:
            self.take(numbers, values)

    def take(self, numbers: NDArray[Any], values: Iterable[V]) -> None:
        """Set as many values as there are numbers, of any unsigned type, at once; of equal ones the last counts."""
        hidden = (numbers.astype(np.uint64) ^ START).tolist()
        self._hidden.update(zip(hidden, values, strict=True))

    def __getitem__(self, number: int) -> V:
        return self._hidden[number ^ _SECRET]

    def __setitem__(self, number: int, value: V) -> None:
        self._hidden[number ^ _SECRET] = value

    def __delitem__(self, number: int) -> None:
        del self._hidden[number ^ _SECRET]

    def __iter__(self) -> Iterator[int]:
        return (hidden ^ _SECRET for hidden in self._hidden)

    def __len__(self) -> int:
        return len(self._hidden)

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and number ^ _SECRET in self._hidden
