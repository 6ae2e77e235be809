"""What the files of libraries know of a frame, of a class, and of a container's name."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache

import msgspec

from mqdiag.knowledge.library import Holder, Library, ListenerContainer
from mqdiag.knowledge.library_files import from_libraries, index, part_of, part_of_all

_Places = dict[str, tuple[str, int]]
"""by the prefixes of a library's frames: its file, and its place among the libraries of the file"""


@from_libraries
@lru_cache(maxsize=65_536)
def pool_of_frame(method: str) -> Library | None:
    """The connection pool in which a thread in this method waits."""
    return _library(*_prefixes()[0], method)


@from_libraries
@lru_cache(maxsize=65_536)
def library_of_frame(method: str) -> Library | None:
    """The library that a method belongs to; connection pools only count where a thread waits in them."""
    return _library(*_prefixes()[1], method)


def all_libraries() -> tuple[Library, ...]:
    """All libraries, by file."""
    return tuple(library for file in index() for library in _libraries_of(file))


def known_holder(classes: Iterable[str]) -> Holder | None:
    """The holder that users know by one of the classes; the one of the lowest rank where there are several."""
    names = tuple(classes)
    return next((row for row in holders() if any(name.startswith(row.classes) for name in names)), None)


def works_alone(name: str) -> bool:
    """Whether the holder that a class belongs to has threads of its own."""
    known = known_holder((name,))
    return known is not None and known.works_alone


@from_libraries
@cache
def holders() -> tuple[Holder, ...]:
    """All holders in the order of preference; classes that are like those of another file are added to theirs."""
    found = [holder for file in part_of_all(_Holders).values() for holder in file.holder]
    joined = []
    for holder in found:
        if holder.like is None:
            more = (name for other in found if other.like and other.like == holder.id for name in other.classes)
            joined.append(msgspec.structs.replace(holder, classes=(*holder.classes, *more)))
    return tuple(sorted(joined, key=lambda holder: holder.rank))


def container_named(name: str | None) -> ListenerContainer | None:
    """The container of this name; None for the plain client, and for a name that is not known."""
    return next((one for one in containers() if one.name == name), None)


def container_of(methods: tuple[str, ...]) -> ListenerContainer | None:
    """The container on a stack, the one nearest to the listener; None for the plain client."""
    for method in methods:
        for container in containers():
            if method.startswith(container.frames):
                return container
    return None


@from_libraries
@cache
def containers() -> tuple[ListenerContainer, ...]:
    """All listener containers."""
    return tuple(one for file in index().values() for one in file.listener_container)


class _Libraries(msgspec.Struct):
    library: tuple[Library, ...] = ()


class _Holders(msgspec.Struct):
    holder: tuple[Holder, ...] = ()


@from_libraries
@cache
def _prefixes() -> tuple[tuple[_Places, tuple[int, ...]], tuple[_Places, tuple[int, ...]]]:
    """Frames of pools and of all others, each with the lengths of its prefixes, the longest first."""
    pools: _Places = {}
    others: _Places = {}
    for name, file in index().items():
        for place, library in enumerate(file.library):
            known = pools if library.kind == "pool" else others
            known.update(dict.fromkeys(library.frames, (name, place)))
    return (pools, _lengths(pools)), (others, _lengths(others))


def _lengths(known: _Places) -> tuple[int, ...]:
    return tuple(sorted(set(map(len, known)), reverse=True))


def _library(known: _Places, lengths: tuple[int, ...], method: str) -> Library | None:
    """The library of the longest prefix."""
    for length in lengths:
        place = known.get(method[:length])
        if place is not None:
            return _libraries_of(place[0])[place[1]]
    return None


@from_libraries
@cache
def _libraries_of(file: str) -> tuple[Library, ...]:
    return part_of(file, _Libraries).library
