"""What a function does for another user; root only."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NOBODY = 65534
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act for other users")


def run_as(user: int, function: Callable[[], Any]) -> Any:
    """Call it in a fork of this process that belongs to the user; its result, as JSON carries it."""
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
            os.write(into, json.dumps(function()).encode())
        finally:
            os._exit(0)
    os.close(into)
    with os.fdopen(out, "rb") as file:
        said = file.read()
    os.waitpid(child, 0)
    return json.loads(said)


@contextmanager
def open_folder_of_root() -> Iterator[Path]:
    """A folder that every user can enter, which those of pytest are not."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)
