"""The bytes of a recording: mapped where it is plain, unpacked into a nameless file where it is packed in any way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mqdiag.errors import InputError, empty_file
from mqdiag.read.mapped_ahead import FileState
from mqdiag.read.mapping import map_file
from mqdiag.read.open.door import as_far_as_they_go, members
from mqdiag.read.open.spool import kept
from mqdiag.read.sniff import PACKING_HEAD_BYTES, PACKING_NAMES, RECORDING_MAGIC, packing_of
from mqdiag.text import Text, say


class Opened(NamedTuple):
    """A recording to walk over."""

    data: NDArray[np.uint8]
    """read-only"""
    packing: str | None
    problem: Text | None
    """why unpacking ended early"""


@contextmanager
def opened(path: str, check: Callable[[], None] = lambda: None) -> Iterator[Opened]:
    """Open a recording; of an archive the first one in it.

    Args:
        path: the file.
        check: asked for each piece of a packed file; where it raises an InputError, reading ends.

    Raises:
        InputError: it cannot be read, or holds no recording.
    """
    try:
        with open(path, "rb") as file:
            packing = packing_of(file.read(PACKING_HEAD_BYTES))
            if packing is None:
                size = FileState.of(file.fileno()).size_bytes
                yield Opened(_mapped(file.fileno(), size, path), None, None)
                return
    except OSError as error:
        raise InputError(path, say("cannot be read: {reason}", reason=str(error.strerror or error))) from None
    problems: list[Text] = []
    with kept(path, as_far_as_they_go(_recording_in(path), lambda why, _: problems.append(why), check)) as copy:
        size = FileState.of(copy.fileno()).size_bytes
        yield Opened(
            _mapped(copy.fileno(), size, path), PACKING_NAMES[packing], problems[0] if problems else None
        )


def _mapped(descriptor: int, size: int, path: str) -> NDArray[np.uint8]:
    if not size:
        raise empty_file(path)
    return np.frombuffer(map_file(descriptor, size, path), np.uint8)


def _recording_in(path: str) -> Iterator[bytes]:
    for _, chunks in members(path, wanted=lambda _: True):
        first = next(chunks, b"")
        if first.startswith(RECORDING_MAGIC):
            yield from chain((first,), chunks)
            return
    raise InputError(path, say("holds no recording of Java Flight Recorder"))
