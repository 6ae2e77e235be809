"""Folders and files that only the user and root can have written, so that code in them may run.

A folder is trusted when every folder on the way from `/` to it belongs to the user or to root and nobody else can
write to it. Two details follow from how Unix works:

- A folder such as `/tmp`, in which everybody may write but only remove what is their own (the sticky bit), is allowed
  on the way. What comes next must then be a folder of the user or of root, and no link: anybody can make a link there,
  also to files of evidence that the user unpacked.
- Links elsewhere on the way are followed one by one, and each folder on the way of their target is checked too.

Everything is opened by descriptor, relative to a folder that was checked before. Whoever exchanges a part of the path
after its check therefore changes nothing.
"""

from __future__ import annotations

import contextlib
import os
import stat

from mqdiag.errors import Reasoned
from mqdiag.text import say

_FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_MOST_LINKS = 40


class Untrusted(Reasoned):
    """Somebody else may have written what is there."""


def open_folder(path: str, make: int | None = None, *, private_groups: bool = False) -> int:
    """Open a folder that only the user and root can write to.

    Args:
        path: where.
        make: the permissions with which missing folders are made; None makes none.
        private_groups: whether a group with the number of its owner may write: distributions give each user a group
            of that number with nobody else in it, and let it write to all that the user makes.

    Returns:
        A descriptor, for `dir_fd` only (O_PATH). The caller closes it.

    Raises:
        Untrusted: the path is relative, or somebody else can write there or on the way.
        OSError: there is no such folder, or it cannot be made.
    """
    if not path.startswith("/"):
        raise Untrusted(say("{path} is not an absolute path", path=path))
    ahead = _names(path)
    folder = _root()
    at = "/"
    links = 0
    try:
        others_write = _checked(folder, at, private_groups)
        while ahead:
            name = ahead.pop()
            target = _link_target(folder, name)
            if target is not None:
                at_link = os.path.join(at, name)
                if others_write:
                    raise Untrusted(say("{path} is a link in a folder of everybody", path=at_link))
                links += 1
                if links > _MOST_LINKS:
                    raise Untrusted(say("{path} is one of too many links", path=at_link))
                ahead += _names(target)
                if target.startswith("/"):
                    os.close(folder)
                    folder, at = _root(), "/"
                continue
            folder_above, folder = folder, _enter(folder, name, make)
            os.close(folder_above)
            at = os.path.normpath(os.path.join(at, name))
            others_write = _checked(folder, at, private_groups)
        if others_write:
            raise Untrusted(say("everybody can write to {path}", path=at))
    except BaseException:
        os.close(folder)
        raise
    return folder


def read_file(folder: int, name: str) -> bytes:
    """Read a file of a folder from the same descriptor that is checked; arguments and errors as in `open_file`."""
    with open(open_file(folder, name), "rb") as file:
        return file.read()


def open_file(folder: int, name: str, *, private_groups: bool = False) -> int:
    """Open a file of a folder that only the user and root can write to.

    Returns:
        A descriptor, which the caller closes.

    Raises:
        Untrusted: it is no regular file, or somebody else owns it or can write to it.
        OSError: there is no such file, or it cannot be read.
    """
    descriptor = os.open(name, _FILE, dir_fd=folder)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise Untrusted(say("{path} is not a regular file", path=name))
        _check_owner(found, name)
        if _others_write(found, private_groups):
            raise Untrusted(say("others can write to {path}", path=name))
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def open_through_links(path: str, *, private_groups: bool = False) -> int:
    """Open a file that may be a link: it, each link before it, and the folders of all obey the rules of files.

    Returns:
        A descriptor, which the caller closes.

    Raises:
        Untrusted: the path is relative, or somebody else owns a link or the file, or can write to one of the folders.
        OSError: there is no such file, or it cannot be read.
    """
    shown = path
    for _ in range(_MOST_LINKS):
        above, name = os.path.split(path)
        folder = open_folder(above, private_groups=private_groups)
        try:
            target = _link_target(folder, name)
            if target is None:
                return open_file(folder, name, private_groups=private_groups)
            _check_owner(os.stat(name, dir_fd=folder, follow_symlinks=False), path)
        finally:
            os.close(folder)
        # Unlike normpath: what ".." leads to is known only where the links before it are followed.
        path = os.path.join(above, target)
    raise Untrusted(say("{path} is one of too many links", path=shown))


def _names(path: str) -> list[str]:
    """The parts of a path, the first one last."""
    return [name for name in reversed(path.split("/")) if name not in ("", ".")]


def _root() -> int:
    return os.open("/", _FOLDER)


def _link_target(folder: int, name: str) -> str | None:
    try:
        return os.readlink(name, dir_fd=folder)
    except OSError:
        return None  # no link, or nothing at all: `_enter` tells


def _enter(folder: int, name: str, make: int | None) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except FileNotFoundError:
        if make is None:
            raise
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, 0o700, dir_fd=folder)
        # The umask must not decide whether other users can read a shared folder.
        made = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        try:
            os.fchmod(made, make)
        finally:
            os.close(made)
    return os.open(name, _FOLDER, dir_fd=folder)


def _checked(folder: int, shown: str, private_groups: bool) -> bool:
    """Whether everybody can make new entries in it, and remove only their own."""
    found = os.fstat(folder)
    _check_owner(found, shown)
    if not _others_write(found, private_groups):
        return False
    if not found.st_mode & stat.S_ISVTX:
        raise Untrusted(say("others can write to {path}", path=shown))
    return True


def _others_write(found: os.stat_result, private_groups: bool) -> bool:
    others = stat.S_IWOTH if private_groups and found.st_gid == found.st_uid else _OTHERS_WRITE
    return bool(found.st_mode & others)


def _check_owner(found: os.stat_result, shown: str) -> None:
    if found.st_uid not in (0, os.geteuid()):
        raise Untrusted(say("{path} belongs to another user", path=shown))
