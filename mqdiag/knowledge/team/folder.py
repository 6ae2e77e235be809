"""The files of one folder of a team, whole and bounded, and none from elsewhere."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from typing import Literal, NamedTuple, get_args

from mqdiag.errors import UsageError
from mqdiag.text import say
from mqdiag.trusted import open_file, open_folder

MOST_BYTES = 256 << 10
"""bytes of one file"""
MOST_FILES = 200
"""files of one kind in one folder"""
Kind = Literal["libraries", "log_statements", "rules"]
KINDS: tuple[Kind, ...] = get_args(Kind)
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,80}\.toml", re.ASCII)
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class GivenFile(NamedTuple):
    """One file as it stands."""

    kind: Kind
    path: str
    """for messages"""
    data: bytes
    """one byte more than `MOST_BYTES` where it has more"""

    @property
    def name(self) -> str:
        """What reports call it, such as "acme.toml"."""
        return os.path.basename(self.path)

    @property
    def path_in_folder(self) -> str:
        """The same with its folders, such as "acme/rules/stuck-wait.toml": a rule's name does not say whose it is."""
        return os.sep.join(os.path.abspath(self.path).split(os.sep)[-3:])


def files_of(folder: str, *, was_found: bool = False) -> list[GivenFile]:
    """The files of a folder by kind and name.

    Args:
        folder: of a team.
        was_found: the user named neither it nor the file that names it: nobody else may be able to write there.

    Raises:
        UsageError: it cannot be read, has nothing of a known kind, or has something else in its place.
        Untrusted: somebody else may have written it.
    """
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        for entry in entries:
            if not entry.name.startswith(".") and entry.name not in KINDS and _misplaced(entry):
                raise UsageError(
                    say("{path}: is not known: expected the folders {kinds:and}", path=entry.path, kinds=KINDS)
                )
        kinds = [kind for kind in KINDS if os.path.isdir(os.path.join(folder, kind))]
        if not kinds:
            raise UsageError(
                say(
                    "{folder}: holds no knowledge: expected the folders {kinds:and}", folder=folder, kinds=KINDS
                )
            )
        return [file for kind in kinds for file in _of_kind(folder, kind, was_found)]
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(say("{path}: cannot be read: {reason}", path=folder, reason=reason)) from error


def _misplaced(entry: os.DirEntry[str]) -> bool:
    """Whether it looks like knowledge in a wrong place; a page beside the folders is none."""
    return entry.name.endswith(".toml") or entry.is_dir()


def _of_kind(folder: str, kind: Kind, was_found: bool) -> Iterator[GivenFile]:
    inner = os.path.join(folder, kind)
    names = sorted(name for name in os.listdir(inner) if name.endswith(".toml"))
    if len(names) > MOST_FILES:
        raise UsageError(say("{path}: has more than {most:count} files", path=inner, most=MOST_FILES))
    for name in names:
        path = os.path.join(inner, name)
        if _NAME.fullmatch(name) is None:
            raise UsageError(
                say("{path}: expected a name of letters, digits, dots, hyphens and underscores", path=path)
            )
        with open(_opened(folder, inner, name, was_found), "rb") as file:
            yield GivenFile(kind, path, file.read(MOST_BYTES + 1))


def _opened(folder: str, inner: str, name: str, was_found: bool) -> int:
    """A descriptor of a regular file of the folder; links inside it are followed, as mounted folders have them."""
    if was_found:
        opened = open_folder(os.path.abspath(inner), private_groups=True)
        try:
            return open_file(opened, name, private_groups=True)
        finally:
            os.close(opened)
    path = os.path.join(inner, name)
    real, root = os.path.realpath(path), os.path.realpath(folder)
    if not real.startswith(root.rstrip("/") + "/"):
        raise UsageError(say("{path}: is a link out of its folder", path=path))
    descriptor = os.open(real, _FILE)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UsageError(say("{path}: is not a regular file", path=path))
    return descriptor
