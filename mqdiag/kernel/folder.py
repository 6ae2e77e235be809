"""Where compiled kernels are kept, so that they are compiled once for a machine.

Every state of the kernel files has a folder of its own, named by their hash:

1. inside the installed package, when that can be written: all users of the installation share it;
2. else in the user's cache folder, filled from the package's if that is there (a read-only installation that was
   warmed when it was made);
3. else in a temporary folder of the user, filled likewise.

`MQDIAG_KERNELS` names another folder to have them in, such as the volume of a container. It may outlive an upgrade;
one that can neither be written nor has been warmed is passed over.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
import tempfile
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
_READY = "ready"


@cache
def state() -> str:
    """Hash over all kernel files and how they are compiled."""
    digest = hashlib.sha256()
    for file in sorted((*_PACKAGE.glob("**/kernels/*.py"), *_PACKAGE.glob("kernel/*.py"))):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


@cache
def kernel_folder() -> Path:
    """Choose the folder and make it."""
    chosen = os.environ.get("MQDIAG_KERNELS")
    if chosen:
        named = Path(chosen) / state()
        if _writable(named) or (named / _READY).exists():
            return named
    shipped = _PACKAGE / "_kernel_cache" / state()
    folder = shipped
    if not _writable(shipped):
        user = _user_folder()
        folder = user if _writable(user) else _temporary_folder()
        if (shipped / _READY).exists() and not (folder / _READY).exists():
            with contextlib.suppress(OSError):
                shutil.copytree(shipped, folder, dirs_exist_ok=True)
    return folder


def is_ready() -> bool:
    """True when all kernels have been compiled into the folder."""
    return (kernel_folder() / _READY).exists()


def mark_ready() -> None:
    """Note that all kernels are there."""
    with contextlib.suppress(OSError):
        (kernel_folder() / _READY).touch()


def _user_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "mqdiag" / state()


def _temporary_folder() -> Path:
    """A folder that only this user can have filled: what lies in it is run."""
    base = Path(tempfile.gettempdir()) / f"mqdiag-{os.getuid()}"
    with contextlib.suppress(OSError):
        base.mkdir(mode=0o700, exist_ok=True)
        found = base.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022:
            folder = base / state()
            folder.mkdir(exist_ok=True)
            return folder
    return Path(tempfile.mkdtemp(prefix="mqdiag-"))


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False
