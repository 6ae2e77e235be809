"""The files of `libraries/`, each with what is known of a library or of the libraries of one vendor.

A run asks for a few keys of all files, and for the rest of one or two: each question decodes its part of the packed
files.
"""

from __future__ import annotations

import os
from functools import cache
from typing import TypeVar

import msgspec

from mqdiag.knowledge import packed
from mqdiag.knowledge.library import Index

FOLDER = os.path.join(os.path.dirname(__file__), "libraries")
_T = TypeVar("_T")


@cache
def index() -> dict[str, Index]:
    """The index of each file, by the file's name.

    Raises:
        KnowledgeError: a file is wrong.
    """
    return msgspec.msgpack.decode(_packed(), type=dict[str, Index])


def part_of_all(kind: type[_T]) -> dict[str, _T]:
    """Some keys of each file, by the file's name.

    Args:
        kind: a struct with these keys.

    Raises:
        KnowledgeError: a file is wrong.
    """
    return msgspec.msgpack.decode(_packed(), type=dict[str, kind])  # type: ignore[valid-type]


def part_of(file: str, kind: type[_T]) -> _T:
    """Some keys of one file.

    Raises:
        KeyError: there is no such file.
    """
    return msgspec.msgpack.decode(_each()[file], type=kind)


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
