"""Where mqdiag keeps for a user what later runs use; known without opening or making anything."""

from __future__ import annotations

import contextlib
import os
import pwd


def user_folder() -> str | None:
    """The user's cache folder of mqdiag, whether it is there or not; None for a user without a home."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not base.startswith("/"):  # the standard of this variable: a relative path counts as none
        home = os.environ.get("HOME") or _home_of_user()
        if home is None:
            return None
        base = os.path.join(home, ".cache")
    return os.path.join(base, "mqdiag")


def dumps_folder() -> str | None:
    """The folder in it with what was computed of heap dumps."""
    base = user_folder()
    return None if base is None else os.path.join(base, "heaps")


def _home_of_user() -> str | None:
    with contextlib.suppress(KeyError):
        return pwd.getpwuid(os.geteuid()).pw_dir
    return None
