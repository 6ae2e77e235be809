"""Folders of TOML, read as if they were one file: most runs need a few entries of a folder of a hundred.

A TOML file takes 0.13 ms a kilobyte to parse, all of a folder more than a short run. So a folder is packed: one msgpack
map, from the name of each file to its content. The build writes it into the wheel; a checkout keeps it where Python
keeps bytecode, under a name that changes with the files.
"""

from __future__ import annotations

import contextlib
import os
import sys
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

import msgspec

from mqdiag.errors import UsageError
from mqdiag.files import write_whole
from mqdiag.text import say

ROOT = os.path.dirname(__file__)
"""the folder of the files that stand alone"""
PACKED = "packed.msgpack"
"""name of the file that the build writes beside the files of a folder"""
_ENDING = ".toml"
_T = TypeVar("_T")


class KnowledgeError(UsageError):
    """A file of knowledge that is not what its type expects; the message names the file, the place and the mend."""

    def __init__(self, problem: str) -> None:
        super().__init__(say("{problem}", problem=problem))


@cache
def read(folder: str) -> Mapping[str, msgspec.Raw]:
    """The content of each TOML file of a folder by the name of the file without its ending, as msgpack.

    Raises:
        KnowledgeError: a file is not TOML.
    """
    data = _file(os.path.join(folder, PACKED))
    if data is None:
        data = kept(folder, _ENDING, pack)
    return msgspec.msgpack.decode(data, type=dict[str, msgspec.Raw])


def is_built(folder: str) -> bool:
    """Whether the build packed the folder, whose files do not change any more."""
    return os.path.exists(os.path.join(folder, PACKED))


def pack(folder: str) -> bytes:
    """A folder's files as one msgpack map.

    Raises:
        KnowledgeError: a file is not TOML.
    """
    import tomllib  # it takes longer to import than a packed folder to read

    found: dict[str, Any] = {}
    for name in _names(folder, _ENDING):
        path = os.path.join(folder, name)
        with open(path, "rb") as file:
            try:
                found[name.removesuffix(_ENDING)] = tomllib.load(file)
            except ValueError as error:
                raise KnowledgeError(f"{path} is not TOML: {error}") from None
    return msgspec.msgpack.encode(found)


def decode(folder: str, name: str, kind: type[_T]) -> _T:
    """One file of a folder as a value of a type.

    Raises:
        KeyError: the folder has no such file.
        KnowledgeError: the file has other keys or values than the type.
    """
    try:
        return msgspec.msgpack.decode(read(folder)[name], type=kind)
    except msgspec.ValidationError as error:
        raise refused(folder, name, kind, error) from None


def refused(folder: str, name: str, kind: Any, error: Exception, place: str = "") -> KnowledgeError:
    """The error of a file, with its line and what was expected.

    Args:
        folder: with the file.
        name: of the file, without its ending.
        kind: the type of what is at the place.
        error: of the decoder or of a check.
        place: the table that was decoded, where it is not the whole file.
    """
    from mqdiag import given_toml  # only a fault of a file needs it

    path, (problem, inner) = path_of(folder, name), given_toml.problem_and_place(str(error))
    words = given_toml.choices(kind, inner)
    if words and isinstance(error, msgspec.ValidationError):
        problem += f": expected one of {', '.join(words)}"
    whole = ".".join(filter(None, (place, inner)))
    line = given_toml.line_of(_file(path) or b"", whole) if whole else None
    where = f"{path}, line {line}" if line else path
    return KnowledgeError(f"{where}: {whole}: {problem}" if whole else f"{where}: {problem}")


def path_of(folder: str, name: str) -> str:
    """The path of one file of a folder, for messages."""
    return os.path.join(folder, name + _ENDING)


def kept(folder: str, ending: str, make: Callable[[str], bytes]) -> bytes:
    """What is made of the files of a folder, kept beside their bytecode until one of them changes.

    Args:
        folder: with the files; those in folders below it do not count.
        ending: of the names of the files.
        make: makes it, given the folder.
    """
    path = os.path.join(folder, "__pycache__", f"packed-{_state(folder, ending)}.msgpack")
    data = _file(path)
    if data is None:
        data = make(folder)
        if not sys.dont_write_bytecode:
            with contextlib.suppress(OSError):
                os.makedirs(os.path.dirname(path), exist_ok=True)
                write_whole(path, data)
    return data


def _names(folder: str, ending: str) -> list[str]:
    return sorted(name for name in os.listdir(folder) if name.endswith(ending))


def _state(folder: str, ending: str) -> str:
    """What changes with the names, sizes and times of a folder's files: a checksum, and the time of the newest."""
    with os.scandir(folder) as entries:
        found = sorted((entry.name, entry.stat()) for entry in entries if entry.name.endswith(ending))
    files = [(name, status.st_size, status.st_mtime_ns) for name, status in found]
    return f"{zlib.crc32(repr((ending, files)).encode()):08x}-{max((time for *_, time in files), default=0):x}"


def _file(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None
