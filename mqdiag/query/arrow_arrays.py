"""Arrow arrays from numbers and texts, by their buffers.

`pyarrow.array` imports pandas wherever it is installed, to look whether it was given something of it. That takes
longer than most queries.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

_MOST_TEXT_BYTES = (1 << 31) - 1
"""in an array of `pa.string()`"""
_NUMBERS: dict[pa.DataType, Any] = {
    pa.int8(): np.int8,
    pa.int16(): np.int16,
    pa.int32(): np.int32,
    pa.int64(): np.int64,
    pa.uint64(): np.uint64,
    pa.float32(): np.float32,
    pa.float64(): np.float64,
}


def number_array(
    values: NDArray[Any] | Sequence[float], kind: pa.DataType, missing: NDArray[np.bool_] | None = None
) -> pa.Array:
    """Numbers or truths, without a copy where they are of the type already.

    Args:
        values: the numbers.
        kind: of the array: a type of `_NUMBERS`, or bool.
        missing: which are null; None where none is.
    """
    if kind == pa.bool_():
        data = pa.py_buffer(np.packbits(np.asarray(values, bool), bitorder="little"))
    else:
        data = pa.py_buffer(np.ascontiguousarray(values, _NUMBERS[kind]))
    return pa.Array.from_buffers(kind, len(values), [_validity(missing), data])


def text_array(texts: Sequence[str | None]) -> pa.Array:
    """Texts, with places of four bytes, or of eight for more than 2 GiB of texts; None is null."""
    encoded = [b"" if text is None else text.encode("utf-8", "replace") for text in texts]
    ends = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(one) for one in encoded], out=ends[1:])
    missing = np.array([text is None for text in texts], bool)
    kind = pa.large_string()
    if ends[-1] <= _MOST_TEXT_BYTES:
        kind, ends = pa.string(), ends.astype(np.int32)
    return pa.Array.from_buffers(
        kind, len(encoded), [_validity(missing), pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    )


def words_array(numbers: NDArray[Any], words: pa.Array) -> pa.Array:
    """Texts as numbers into `words`."""
    return pa.DictionaryArray.from_arrays(number_array(numbers, pa.int32()), words)


def array_of(values: Any, kind: pa.DataType) -> pa.Array:
    """An array of whatever a column gives: an array already, numbers, texts, or what Arrow itself must look at."""
    if isinstance(values, pa.Array):
        return values
    if kind in _NUMBERS or kind == pa.bool_():
        if isinstance(values, np.ndarray):
            return number_array(values, kind)
        missing = np.array([value is None for value in values], bool)
        return number_array([0 if value is None else value for value in values], kind, missing)
    if kind == pa.string():
        return text_array(values)
    return pa.array(values, kind)


def _validity(missing: NDArray[np.bool_] | None) -> pa.Buffer | None:
    if missing is None or not missing.any():
        return None
    return pa.py_buffer(np.packbits(~missing, bitorder="little"))
