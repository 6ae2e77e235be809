"""Where compiled kernels are kept, so that they are compiled once for a machine.

Numba compiles a kernel at its first call and can keep the result, but it does not notice when a constant or helper in
another file changes. So every state of the kernel files has a folder of its own, named by their hash:

1. inside the installed package, when that can be written: all users of the installation share it;
2. else in the user's cache folder, filled from the package's if that is there (a read-only installation that was
   warmed when it was made);
3. else in a temporary folder of the user.

`configure()` must run before numba is imported; the kernel packages call it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).parent
_READY = "ready"


@cache
def state() -> str:
    """Hash over all kernel files and the Python version."""
    digest = hashlib.sha256(f"{sys.version_info[:2]}".encode())
    for file in sorted(_PACKAGE.glob("**/kernels/*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


@cache
def configure() -> Path:
    """Choose the folder and tell numba; an NUMBA_CACHE_DIR that the user has set is kept."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return Path(chosen)
    shipped = _PACKAGE / "_kernel_cache" / state()
    for folder in (shipped, _user_folder()):
        if _writable(folder):
            if folder is not shipped and (shipped / _READY).exists() and not (folder / _READY).exists():
                with contextlib.suppress(OSError):
                    shutil.copytree(shipped, folder, dirs_exist_ok=True)
            break
    else:
        folder = Path(tempfile.gettempdir()) / f"mqdiag-{os.getuid()}" / state()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
    return folder


def is_ready() -> bool:
    """True when all kernels have been compiled into the folder."""
    return (configure() / _READY).exists()


def mark_ready() -> None:
    """Note that all kernels are there."""
    with contextlib.suppress(OSError):
        (configure() / _READY).touch()


def _user_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "mqdiag" / state()


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False
