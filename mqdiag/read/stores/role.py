"""Whether a store is a master's or a slave's: by the broker's own settings beside it, else by names of folders."""

from __future__ import annotations

import re
from pathlib import Path

MOST_BYTES = 1 << 20
MOST_FILES = 50
FOLDERS_NAMED = 3
"""the store's own folder and those above it whose names are looked at"""
_SETTING = re.compile(r"^[ \t]*(brokerRole|brokerId|storePathRootDir)[ \t]*=[ \t]*(\S+)", re.MULTILINE)
_WORD = re.compile(r"(?:^|[^a-z])(master|slave)(?:[^a-z]|$)", re.IGNORECASE)
_WHERE = (".", "config", "conf", "..", "../conf")


def role_of(store: Path, within: Path) -> tuple[str | None, str | None]:
    """The role, and what tells it.

    Args:
        store: the folder.
        within: a real path; files that are not below it are not opened, whatever links lead to them.
    """
    for place in _WHERE:
        try:
            files = sorted(
                file
                for file in (store / place).iterdir()
                if file.suffix in (".conf", ".properties") and file.resolve().is_relative_to(within)
            )
        except OSError:
            continue
        for file in files[:MOST_FILES]:
            role = _role_in(file, store)
            if role is not None:
                return role, file.name
    return role_by_name(str(store.absolute()))


def role_by_name(path: str) -> tuple[str | None, str | None]:
    """The role that the last folders of a path name."""
    for part in list(reversed(Path(path).parts))[:FOLDERS_NAMED]:
        words = {word.lower() for word in _WORD.findall(part)}
        if len(words) == 1:
            return words.pop(), "the folder's name"
    return None, None


def _role_in(file: Path, store: Path) -> str | None:
    try:
        if not file.is_file():
            return None
        with file.open("rb") as opened:
            settings = dict(_SETTING.findall(opened.read(MOST_BYTES).decode("utf-8", "replace")))
    except OSError:
        return None
    root = settings.pop("storePathRootDir", None)
    if root is not None and Path(root).name != store.absolute().name:
        # of another broker, whose settings lie in the same folder
        return None
    if settings.get("brokerRole", "").upper() == "SLAVE" or settings.get("brokerId", "0") != "0":
        return "slave"
    return "master" if settings else None
