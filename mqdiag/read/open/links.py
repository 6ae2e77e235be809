"""Links in archives: one that leads to another member is that member, any other has lost what it stood for."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from itertools import islice

from mqdiag.errors import InputError
from mqdiag.text import say

_MOST_TOLD = 1000
"""links out of an archive that are told"""


class Links:
    """The names in an archive, and the links among them; nothing is ever opened by them."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._links: dict[str, str] = {}

    def add(self, name: str) -> None:
        """A file or folder of the archive."""
        while name and name not in self._names:
            self._names.add(name := name.rstrip("/"))
            name = posixpath.dirname(name)

    def add_link(self, name: str, target: str) -> None:
        """A link, with what it leads to by its own place; a hard link's target begins at the archive's root."""
        self._links[name] = target

    def add_symbolic(self, name: str, target: str) -> None:
        """A symbolic link, whose target begins at its own folder."""
        self.add_link(name, posixpath.join(posixpath.dirname(name), target))

    def lost(self, label: str) -> Iterator[tuple[str, Iterator[bytes]]]:
        """(name, chunks) of each link that leads out of the archive; the chunks say so at once.

        Args:
            label: what the user calls the archive.
        """
        names = {posixpath.normpath(name) for name in (*self._names, *self._links)}
        lost = (name for name, target in self._links.items() if posixpath.normpath(target) not in names)
        for name in islice(lost, _MOST_TOLD):
            yield name, _nothing(f"{label}!{name}")


def _nothing(name: str) -> Iterator[bytes]:
    """No chunk: why not is raised where the first one is asked for."""
    yield from _refused(name)


def _refused(name: str) -> tuple[bytes, ...]:
    raise InputError(
        name,
        say("is a link that leads out of the archive"),
        hint=say("pack the file itself: tar with -h, zip without -y"),
        lack="access",
    )
