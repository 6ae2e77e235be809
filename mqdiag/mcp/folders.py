"""Which files an assistant may ask about."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from mqdiag.errors import UsageError
from mqdiag.text import say


class Folders:
    """Folders whose files may be read; links are followed first, and what they lead to must be below a folder too.

    Raises:
        UsageError: one of them is no folder.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        for path in paths:
            if not os.path.isdir(path):
                raise UsageError(say("{path} is not a folder", path=path))
        self._roots = tuple(os.path.realpath(path) for path in paths)

    def allowed(self, path: str) -> str:
        """The real path of a file or folder.

        Args:
            path: absolute, or below the first of the folders.

        Raises:
            UsageError: it is not below the folders, a link in it leads out of them, or it is neither a file nor a
                folder: a pipe would keep the server waiting for its writer.
        """
        try:
            real = os.path.realpath(os.path.join(self._roots[0], path))
        except ValueError:
            raise UsageError(
                say("{path} has characters that are not valid in a path", path=repr(path))
            ) from None
        if not self._inside(real):
            raise UsageError(
                say(
                    "{path} is not below the folders of this server: {folders:and}",
                    path=path,
                    folders=self._roots,
                )
            )
        if os.path.exists(real) and not (os.path.isfile(real) or os.path.isdir(real)):
            raise UsageError(say("{path} is neither a file nor a folder", path=path))
        for link in _links(real):
            if not self._inside(os.path.realpath(link)):
                raise UsageError(say("{link} leads out of the folders of this server", link=link))
        return real

    def _inside(self, real: str) -> bool:
        return any(real == root or real.startswith(os.path.join(root, "")) for root in self._roots)


def _links(folder: str) -> Iterator[str]:
    """All links below a folder."""
    for above, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = os.path.join(above, name)
            if os.path.islink(path):
                yield path
