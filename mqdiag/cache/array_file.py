"""A file of named arrays of numbers: a head that says what follows, then the arrays as they are in memory.

Nothing in it is code, and nothing is believed: the head has a checksum, each array has its type, its shape and a
checksum of its own, which is compared when the array is taken. An array that is not taken is not read.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO

import msgspec
import numpy as np
from isal import isal_zlib
from numpy.typing import NDArray

from mqdiag.errors import Reasoned
from mqdiag.read.mapping import map_file
from mqdiag.text import say

_MAGIC = b"mqdiag-arrays-1\n"
_LENGTH = np.dtype("<u4")
_FIRST = len(_MAGIC) + 2 * _LENGTH.itemsize
"""bytes before the head: the magic, the head's length and its checksum"""
_ALIGNMENT = 64
_MOST_HEAD_BYTES = 1 << 16
_TYPES = frozenset({"|u1", "<u2", "<i4", "<u4", "<i8", "<u8"})


class Unusable(Reasoned):
    """A kept file that is not used."""


class _Place(msgspec.Struct, frozen=True):
    """Where an array is, in bytes behind the head, and what it is."""

    type: str
    shape: tuple[int, ...]
    at: int
    checksum: int

    @property
    def size_bytes(self) -> int:
        size = np.dtype(self.type).itemsize
        for length in self.shape:
            size *= length
        return size


class _Head(msgspec.Struct, frozen=True):
    key: str
    """key of the dump, as the file's name has it"""
    numbers: dict[str, int]
    words: dict[str, str]
    arrays: dict[str, _Place]


class ArrayFile:
    """An opened file.

    Args:
        descriptor: may be closed afterwards; the file may be removed too.
        name: of the file, for messages.
        key: of the dump that it must be about.

    Raises:
        Unusable: it is cut, damaged, or about another dump.
    """

    def __init__(self, descriptor: int, name: str, key: str) -> None:
        size = os.fstat(descriptor).st_size
        if size < _FIRST:
            raise Unusable(say("it is cut"))
        # Private pages: kernels are compiled for arrays that can be written, though none writes to these.
        self._mapped = map_file(descriptor, size, name, access=mmap.ACCESS_COPY)
        if self._mapped[: len(_MAGIC)] != _MAGIC:
            raise Unusable(say("it has another format"))
        length, checksum = np.frombuffer(self._mapped, _LENGTH, 2, len(_MAGIC)).tolist()
        head = self._mapped[_FIRST : _FIRST + min(length, _MOST_HEAD_BYTES)]
        if len(head) != length:
            raise Unusable(say("it is cut"))
        if isal_zlib.crc32(head) != checksum:
            raise Unusable(say("its head is damaged"))
        try:
            self._head = msgspec.json.decode(head, type=_Head)
        except msgspec.DecodeError:
            raise Unusable(say("its head is damaged")) from None
        if self._head.key != key:
            raise Unusable(say("it belongs to another dump or version"))
        self._first = _aligned(_FIRST + length)
        for place in self._head.arrays.values():
            _check(place, size - self._first)

    def number(self, name: str) -> int:
        """A number of the head.

        Raises:
            Unusable: it is not there.
        """
        found: int = _found(self._head.numbers, name)
        return found

    def word(self, name: str) -> str:
        """A word of the head.

        Raises:
            Unusable: it is not there.
        """
        found: str = _found(self._head.words, name)
        return found

    def array(self, name: str, types: Iterable[str], shape: tuple[int | None, ...]) -> NDArray[Any]:
        """An array, after its bytes were compared with their checksum.

        Args:
            name: of the array.
            types: which it may have, such as "<i4".
            shape: which it must have; None where any length is right.

        Raises:
            Unusable: it is not there, is of another kind, or is damaged.
        """
        place = self._place(name, types, shape)
        count = place.size_bytes // np.dtype(place.type).itemsize
        found = np.frombuffer(self._mapped, place.type, count, self._first + place.at)
        if isal_zlib.crc32(found) != place.checksum:
            raise Unusable(say("{array} is damaged", array=name))
        return found.reshape(place.shape)

    def check(self, name: str, types: Iterable[str], shape: tuple[int | None, ...]) -> None:
        """Look whether an array is there and of this kind, without reading it; arguments and errors as in `array`."""
        self._place(name, types, shape)

    def _place(self, name: str, types: Iterable[str], shape: tuple[int | None, ...]) -> _Place:
        place: _Place = _found(self._head.arrays, name)
        fits = len(shape) == len(place.shape) and all(
            wanted in (None, length) for wanted, length in zip(shape, place.shape, strict=True)
        )
        if place.type not in types or not fits:
            raise Unusable(say("{array} has another type or length", array=name))
        return place


def write_arrays(
    file: BinaryIO,
    key: str,
    numbers: Mapping[str, int],
    words: Mapping[str, str],
    arrays: Mapping[str, NDArray[Any]],
) -> None:
    """Write a file that `ArrayFile` reads.

    Args:
        file: empty.
        key: of the dump.
        numbers: whole numbers by name.
        words: short texts by name.
        arrays: by name.
    """
    places, behind = _places(arrays)
    head = msgspec.json.encode(_Head(key, dict(numbers), dict(words), places))
    file.write(_MAGIC + np.array([len(head), isal_zlib.crc32(head)], _LENGTH).tobytes() + head)
    first = _aligned(_FIRST + len(head))
    for name, array in arrays.items():
        file.seek(first + places[name].at)
        file.write(_bytes_of(array).data)
    file.truncate(first + behind)


def size_of(arrays: Mapping[str, NDArray[Any]]) -> int:
    """Bytes that a file with these arrays takes at most."""
    return _MOST_HEAD_BYTES + sum(_aligned(array.nbytes) for array in arrays.values())


def _places(arrays: Mapping[str, NDArray[Any]]) -> tuple[dict[str, _Place], int]:
    """(where each array goes, the end of the last)."""
    places, at = {}, 0
    for name, array in arrays.items():
        places[name] = _Place(array.dtype.str, array.shape, at, isal_zlib.crc32(_bytes_of(array)))
        at = _aligned(at + array.nbytes)
    return places, at


def _bytes_of(array: NDArray[Any]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def _aligned(at: int) -> int:
    return -(-at // _ALIGNMENT) * _ALIGNMENT


def _check(place: _Place, room: int) -> None:
    """Refuse an array that does not lie in the file whole."""
    if place.type not in _TYPES or place.at % _ALIGNMENT or min((place.at, *place.shape)) < 0:
        raise Unusable(say("its head is damaged"))
    if place.at + place.size_bytes > room:
        raise Unusable(say("it is cut"))


def _found(values: Mapping[str, Any], name: str) -> Any:
    if name not in values:
        raise Unusable(say("it lacks {name}", name=name))
    return values[name]
