"""Room on the executor's disk: files of object stores are fetched to it and removed after."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mqdiag.facts.vocabulary import LossKind
from mqdiag.files import RESERVE_BYTES, fits, free_bytes
from mqdiag.fleet.files.storage import Storage
from mqdiag.language import english
from mqdiag.text import Text, say

PREFIX = "mqdiag-scratch-"
CHUNK = 4 << 20


class NotFetched(Exception):
    """An object is not on the executor's disk.

    Args:
        kind: no-room where the disk is full, too-large where the object is.
        reason: why, as the tables tell it.
    """

    def __init__(self, kind: LossKind, reason: Text) -> None:
        self.kind = kind
        self.reason = reason
        super().__init__(english()(reason))


@contextmanager
def scratch_folder(base: str | None) -> Iterator[Path]:
    """A folder that is gone afterwards.

    Args:
        base: where; None for Spark's own local folder, or the node's temporary one.
    """
    root = executor_folder(base)
    root.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=root))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def wait_for_room(folder: Path, size: int, patience_s: float) -> None:
    """Wait until so many bytes fit: other incidents on the node give theirs back when they are done.

    Raises:
        NotFetched: they do not.
    """
    deadline = time.monotonic() + patience_s
    while not fits(folder, size):
        if time.monotonic() >= deadline:
            free = max(free_bytes(folder) - RESERVE_BYTES, 0)
            reason = say("needs {size:bytes} of scratch space, {free:bytes} are free", size=size, free=free)
            raise NotFetched("no-room", reason)
        time.sleep(min(0.5, max(deadline - time.monotonic(), 0.0)))


def fetch(store: Storage, path: str, target: Path, limit: int) -> int:
    """Copy an object to a local file.

    Returns:
        Its size.

    Raises:
        NotFetched: the disk is full, or it is larger than the limit, whatever the listing said.
        OSError: the store does not give it.
    """
    written = 0
    with store.open(path) as source, open(target, "wb") as file:
        while piece := source.read(CHUNK):
            written += len(piece)
            if written > limit:
                raise NotFetched("too-large", say("is larger than {limit:bytes}", limit=limit))
            try:
                file.write(piece)
            except OSError as error:
                if error.errno in (errno.ENOSPC, errno.EDQUOT):
                    raise NotFetched("no-room", say("the scratch disk became full")) from error
                raise
    return written


def remove_leftovers(base: str | None) -> None:
    """Remove what killed predecessors have left on this node."""
    for folder in executor_folder(base).glob(f"{PREFIX}*"):
        pid = folder.name[len(PREFIX) :].partition("-")[0]
        if pid.isdigit() and not os.path.exists(f"/proc/{pid}"):
            with contextlib.suppress(OSError):
                shutil.rmtree(folder)


def executor_folder(base: str | None) -> Path:
    """Where an executor's tasks put files: the given folder, Spark's own for this executor, or the temporary one."""
    return Path(base or os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0] or tempfile.gettempdir())
