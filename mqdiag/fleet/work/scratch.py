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

from mqdiag.files import RESERVE_BYTES, fits, free_bytes
from mqdiag.fleet.files.storage import Storage
from mqdiag.fleet.work.loss import NotAnalysed
from mqdiag.text import say

PREFIX = "mqdiag-scratch-"
CHUNK = 4 << 20


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
        NotAnalysed: they do not.
    """
    deadline = time.monotonic() + patience_s
    while not fits(folder, size):
        if time.monotonic() >= deadline:
            free = max(free_bytes(folder) - RESERVE_BYTES, 0)
            reason = say("needs {size:bytes} of scratch space, {free:bytes} are free", size=size, free=free)
            raise NotAnalysed(kind="no-room", reason=reason)
        time.sleep(min(0.5, max(deadline - time.monotonic(), 0.0)))


def fetch(store: Storage, path: str, target: Path, limit: int) -> int:
    """Copy an object to a local file.

    Returns:
        Its size.

    Raises:
        NotAnalysed: the disk is full, or it is larger than the limit, whatever the listing said.
        OSError: the store does not give it.
    """
    written = 0
    with store.open(path) as source, open(target, "wb") as file:
        while piece := source.read(CHUNK):
            written += len(piece)
            if written > limit:
                raise NotAnalysed(kind="too-large", reason=say("is larger than {limit:bytes}", limit=limit))
            try:
                file.write(piece)
            except OSError as error:
                if error.errno in (errno.ENOSPC, errno.EDQUOT):
                    raise NotAnalysed(kind="no-room", reason=say("the scratch disk became full")) from error
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
