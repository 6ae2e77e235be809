"""The files of `libraries/`, each with what is known of a library or of the libraries of one vendor.

A run asks for a few keys of all files, and for the rest of one or two: each question decodes its part of the packed
files. The files of a team (`mqdiag.knowledge.team`) are added to ours, for the whole process.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from mqdiag.knowledge import packed
from mqdiag.knowledge.library import Index

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

FOLDER = os.path.join(os.path.dirname(__file__), "libraries")
_T = TypeVar("_T")
_C = TypeVar("_C", bound="_lru_cache_wrapper[Any]")
_added: dict[str, bytes] = {}
"""the packed content of a team's files, by names that none of ours has"""
_derived: dict[Callable[[], None], None] = {}


def from_libraries(function: _C) -> _C:
    """Mark a cached function whose results come from the files: it forgets them when a team's files are added."""
    _derived[function.cache_clear] = None
    return function


def add(files: Mapping[str, bytes]) -> None:
    """Use the files of a team besides ours, in place of those that were added before.

    Args:
        files: checked and packed content, by names that none of ours has.
    """
    if files == _added:
        return
    _added.clear()
    _added.update(files)
    for forget in _derived:
        forget()


@cache
def shipped() -> dict[str, Index]:
    """The index of each of our own files, by the file's name.

    Raises:
        KnowledgeError: a file is wrong.
    """
    return msgspec.msgpack.decode(_packed(), type=dict[str, Index])


@from_libraries
@cache
def index() -> dict[str, Index]:
    """The index of each file, by the file's name; our own are checked, those of a team were when they were read.

    Raises:
        KnowledgeError: a file is wrong.
    """
    added = {name: msgspec.msgpack.decode(content, type=Index) for name, content in _added.items()}
    return shipped() | added if added else shipped()


def part_of_all(kind: type[_T]) -> dict[str, _T]:
    """Some keys of each file, by the file's name.

    Raises:
        KnowledgeError: a file is wrong.
    """
    ours = msgspec.msgpack.decode(_packed(), type=dict[str, kind])  # type: ignore[valid-type]
    return ours | {name: msgspec.msgpack.decode(content, type=kind) for name, content in _added.items()}


def part_of(file: str, kind: type[_T]) -> _T:
    """Some keys of one file.

    Raises:
        KeyError: there is no such file.
    """
    return msgspec.msgpack.decode(_added.get(file) or _each()[file], type=kind)


@cache
def _packed() -> bytes:
    try:
        with open(os.path.join(FOLDER, packed.PACKED), "rb") as file:
            return file.read()
    except FileNotFoundError:
        return packed.kept(FOLDER, ".toml", _pack)


def _pack(folder: str) -> bytes:
    from mqdiag.knowledge.checked_libraries import pack

    return pack(folder)


@cache
def _each() -> dict[str, msgspec.Raw]:
    return msgspec.msgpack.decode(_packed(), type=dict[str, msgspec.Raw])
