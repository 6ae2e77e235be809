"""All that a file of `libraries/` may say, and the checks of it: when a file has changed, all are checked.

A file that is wrong is an error with the file, the key, what it says and what was expected.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from mqdiag.knowledge import packed
from mqdiag.knowledge.library import JDK, Call, Holder, Library, ListenerContainer, PeerFields, Threads
from mqdiag.knowledge.packed import KnowledgeError

TOPICS = (
    "Connection pools",
    "Databases",
    "Caches and key-value stores",
    "HTTP clients",
    "Search",
    "Remote procedure calls",
    "Messaging",
    "Coordination and configuration",
    "Files, mail and directories",
    "Clouds and payment",
    "Bridges from asynchronous code",
    "Rate limits and retries",
    "Frameworks",
)
"""headings of docs/libraries.md"""


class LibraryFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that one file says: a library, or the libraries of one vendor."""

    packages: tuple[str, ...] = ()
    """beginnings of names of its classes, which are nobody's own code; those of the JDK are known"""
    heap_packages: tuple[str, ...] = ()
    """packages that count as a library's in heap dumps only"""
    threads: Threads | None = None
    library: tuple[Library, ...] = ()
    call: tuple[Call, ...] = ()
    holder: tuple[Holder, ...] = ()
    listener_container: tuple[ListenerContainer, ...] = ()
    peer: tuple[PeerFields, ...] = ()


def pack(folder: str) -> bytes:
    """The files of a folder, checked and packed.

    Raises:
        KnowledgeError: a file is wrong.
    """
    data = packed.pack(folder)
    files: dict[str, LibraryFile] = {}
    for name, content in msgspec.msgpack.decode(data, type=dict[str, msgspec.Raw]).items():
        path = packed.path_of(folder, name)
        try:
            files[path] = msgspec.msgpack.decode(content, type=LibraryFile)
        except msgspec.ValidationError as error:
            raise KnowledgeError(f"{path}: {error}") from None
    _check_libraries(files)
    _check_holders(files)
    return data


def _check_libraries(files: Mapping[str, LibraryFile]) -> None:
    """A frame leads to one library, and its code counts as no user's."""
    names: dict[str, str] = {}
    owners: dict[tuple[bool, str], str] = {}
    for path, file in files.items():
        for library in file.library:
            where = f"{path}: library {library.name}"
            if library.name in names:
                raise KnowledgeError(
                    f"{where}: expected a name that {names[library.name]} does not have already"
                )
            names[library.name] = path
            if library.topic not in TOPICS:
                raise KnowledgeError(
                    f'{where}: topic is "{library.topic}": expected one of {", ".join(TOPICS)}'
                )
            for prefix in library.frames:
                # a thread that waits for a connection is in a pool, any other one in a client
                owner = owners.setdefault((library.kind == "pool", prefix), library.name)
                if owner != library.name:
                    raise KnowledgeError(f'{where}: frames has "{prefix}": expected none of {owner}')
            for prefix in _outside(library.frames, file):
                raise KnowledgeError(
                    f'{where}: frames has "{prefix}": expected one in the packages of the file'
                )


def _check_holders(files: Mapping[str, LibraryFile]) -> None:
    """A holder has words, of its own or of another one."""
    ids = {holder.id for file in files.values() for holder in file.holder if holder.id is not None}
    for path, file in files.items():
        for holder in file.holder:
            where = f"{path}: holder {holder.known_as or holder.classes}"
            if holder.like is not None and holder.like not in ids:
                raise KnowledgeError(
                    f'{where}: like is "{holder.like}": expected one of {", ".join(sorted(ids))}'
                )
            if holder.like is None and not (holder.known_as and holder.advice):
                raise KnowledgeError(f"{where}: expected the keys known_as and remedy, or like")
            for prefix in _outside(holder.classes, file):
                raise KnowledgeError(
                    f'{where}: classes has "{prefix}": expected one in the packages of the file'
                )


def _outside(prefixes: Iterable[str], file: LibraryFile) -> Iterator[str]:
    """Names that are not in the packages of their file: they would count as the user's."""
    packages = (*JDK, *file.packages, *file.heap_packages)
    return (prefix for prefix in prefixes if not prefix.startswith(packages))
