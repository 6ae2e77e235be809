"""Libraries of a team: files as those of `mqdiag/knowledge/libraries`, for packages that are the team's own.

Every name in a file begins with one of its packages, and none of these overlaps with a package that we know: so a file
says nothing about frames of the JDK or of a library that we describe.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from mqdiag.knowledge.checked_libraries import LibraryFile
from mqdiag.knowledge.library import JDK, Call, Holder, Library, ListenerContainer, PeerFields, Threads
from mqdiag.knowledge.library_files import part_of_all, shipped
from mqdiag.knowledge.remedies import remedy
from mqdiag.knowledge.team.folder import GivenFile
from mqdiag.knowledge.team.form import converted, refused, tables_of
from mqdiag.text import say

TOPIC = "Libraries of a team"
_PACKAGE = re.compile(r"(?:[a-z_][\w$]*\.){2,12}", re.ASCII | re.IGNORECASE)
_TABLES: Mapping[str, type[msgspec.Struct]] = {
    "library": Library,
    "call": Call,
    "holder": Holder,
    "listener_container": ListenerContainer,
    "peer": PeerFields,
    "threads": Threads,
}
LARGEST_RANK = 1000


class _Named(msgspec.Struct):
    name: str


class _Ours(msgspec.Struct):
    library: tuple[_Named, ...] = ()
    holder: tuple[Holder, ...] = ()


class TeamLibraries:
    """The files of libraries of all folders of a team."""

    def __init__(self) -> None:
        self.packed: dict[str, bytes] = {}
        self.by: dict[str, str] = {}
        self.others: list[tuple[str, str, str]] = []
        self._packages: dict[str, str] = {}
        self._frames: dict[str, str] = {}
        ours = part_of_shipped()
        self._names = {library.name for file in ours.values() for library in file.library}
        self._ids = {holder.id for file in ours.values() for holder in file.holder if holder.id is not None}
        self._known = {*JDK}
        for index in shipped().values():
            self._known.update(index.packages, index.heap_packages)

    def add(self, file: GivenFile) -> None:
        """Take a file.

        Raises:
            UsageError: it is wrong.
        """
        raw = tables_of(file)
        rows = raw.get("library", ())
        for row in rows if isinstance(rows, list) else ():
            if isinstance(row, dict):
                row.setdefault("topic", TOPIC)
        content = _signed(converted(file, raw, LibraryFile, _TABLES), file.name)
        self._check_packages(file, content)
        self._check_names(file, raw, content)
        for place, names in _java_names(content):
            for number, name in enumerate(names):
                if not name.startswith(content.packages):
                    raise refused(
                        file,
                        f"{place}[{number}]",
                        say(
                            "{name} is none of the file's packages: expected one that begins with {packages}",
                            name=name,
                            packages=content.packages,
                        ),
                    )
        for library in content.library:
            self.by[library.name] = file.name
        self.others += [(table, name, file.name) for table, name in _others(content)]
        self._frames.update({frame: library.name for library in content.library for frame in library.frames})
        self._packages.update(dict.fromkeys(content.packages, file.name))
        self.packed[f"{file.path} of a team"] = msgspec.msgpack.encode(content)

    def _check_packages(self, file: GivenFile, content: LibraryFile) -> None:
        if not content.packages:
            raise refused(
                file, "packages", say('is empty: expected the packages of the library, such as "com.acme."')
            )
        for key, packages in (("packages", content.packages), ("heap_packages", content.heap_packages)):
            for number, package in enumerate(packages):
                place = f"{key}[{number}]"
                if _PACKAGE.fullmatch(package) is None:
                    problem = say(
                        "{package} is not a package of a team: expected two parts or more, each with a dot behind it,"
                        ' such as "com.acme."',
                        package=repr(package),
                    )
                    raise refused(file, place, problem)
                for known in self._known:
                    if package.startswith(known) or known.startswith(package):
                        problem = say(
                            "{package} overlaps with {known}, which mqdiag knows: expected a package of your own",
                            package=package,
                            known=known,
                        )
                        raise refused(file, place, problem)

    def _check_names(self, file: GivenFile, raw: Mapping[str, Any], content: LibraryFile) -> None:
        for number, library in enumerate(content.library):
            place = f"library[{number}]"
            if not library.name.strip() or library.name in self._names or library.name in self.by:
                problem = say("{name} is known already: expected another name", name=repr(library.name))
                raise refused(file, f"{place}.name", problem)
            for frame in library.frames:
                owner = self._frames.get(frame) or next(
                    (one.name for one in content.library[:number] if frame in one.frames), None
                )
                if owner is not None:
                    problem = say(
                        "{frame} stands in {library} too: expected it in one", frame=frame, library=owner
                    )
                    raise refused(file, f"{place}.frames", problem)
            if not library.frames:
                raise refused(
                    file, f"{place}.frames", say("is empty: expected a beginning of package.Class.method")
                )
            for name in library.shared_remedies:
                try:
                    remedy(name)
                except KeyError:
                    problem = say("there is no shared remedy {name}", name=repr(name))
                    raise refused(file, f"{place}.shared_remedies", problem) from None
        ids = self._ids | {holder.id for holder in content.holder if holder.id is not None}
        for number, holder in enumerate(content.holder):
            place = f"holder[{number}]"
            if holder.id is not None and holder.id in self._ids:
                raise refused(
                    file, f"{place}.id", say("{name} is known already: expected another name", name=holder.id)
                )
            if holder.like is not None and holder.like not in ids:
                problem = say(
                    "there is no holder {name}: expected one of {known}",
                    name=repr(holder.like),
                    known=tuple(sorted(ids)),
                )
                raise refused(file, f"{place}.like", problem)
            if holder.like is None and not (holder.known_as and holder.advice):
                raise refused(file, place, say("expected the keys known_as and remedy, or like"))
            if not holder.classes:
                raise refused(file, f"{place}.classes", say("is empty: expected a beginning of package.Class"))
            if abs(holder.rank) > LARGEST_RANK:
                raise refused(
                    file,
                    f"{place}.rank",
                    say("expected a number from {least} to {most}", least=-LARGEST_RANK, most=LARGEST_RANK),
                )


def part_of_shipped() -> dict[str, _Ours]:
    """Names of libraries and holders of our own files; those that a team added before do not count."""
    ours = shipped()
    return {name: part for name, part in part_of_all(_Ours).items() if name in ours}


def _signed(content: LibraryFile, by: str) -> LibraryFile:
    """The content with the name of its file at everything that reports show."""
    signed = {
        name: tuple(msgspec.structs.replace(row, by=by) for row in getattr(content, name))
        for name in ("library", "call", "holder", "listener_container")
    }
    return msgspec.structs.replace(content, **signed)


def _others(content: LibraryFile) -> Iterator[tuple[str, str]]:
    """(table, the first name in it) of everything in a file that is no library."""
    named = [("call", one.methods) for one in content.call]
    named += [(table, one.classes) for table in ("holder", "peer") for one in getattr(content, table)]
    named += [("listener_container", one.frames) for one in content.listener_container]
    if content.threads is not None:
        named.append(("threads", content.packages))
    yield from ((table, names[0]) for table, names in named if names)


def _java_names(content: LibraryFile) -> Iterator[tuple[str, tuple[str, ...]]]:
    """(place, names of methods, classes or beginnings of these) of everything that a file names."""
    for number, library in enumerate(content.library):
        yield f"library[{number}].frames", library.frames
        yield f"library[{number}].wrappers", library.wrappers
    for number, call in enumerate(content.call):
        yield f"call[{number}].methods", call.methods
    for number, holder in enumerate(content.holder):
        yield f"holder[{number}].classes", holder.classes
    for number, peer in enumerate(content.peer):
        yield f"peer[{number}].classes", peer.classes
    for number, container in enumerate(content.listener_container):
        yield f"listener_container[{number}].frames", container.frames
    if content.threads is not None:
        for name, value in msgspec.structs.asdict(content.threads).items():
            yield f"threads.{name}", tuple(value)
