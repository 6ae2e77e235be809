"""What a dump would tell a stranger: no rules run."""

from __future__ import annotations

from pathlib import Path

from mqdiag import __version__
from mqdiag.diagnose.answer import answered
from mqdiag.diagnose.heap_input import heap_input
from mqdiag.errors import NO_NAME, InputError
from mqdiag.findings import Report
from mqdiag.graph import open_heap
from mqdiag.progress import Progress, Silent
from mqdiag.secrets.find import find_secrets


def secrets_in_heap(
    path: str | Path,
    *,
    redacted: bool | None = None,
    name: str | None = None,
    progress: Progress | None = None,
    cache_bytes: int | None = 0,
    max_inflated: int | None = None,
) -> Report:
    """Read a dump and look for secrets.

    Args:
        path: the file.
        redacted: it is a redacted copy: a text that has only the letters of redaction is no secret. None: its strings
            tell.
        name: what the user called the file, where that is not `path`.
        progress: who listens.
        cache_bytes: see `open_heap`.
        max_inflated: bytes to which a gzip dump may inflate.

    Raises:
        InputError: nothing of the dump can be read.
    """
    shown = name or str(path) or NO_NAME
    progress = progress or Silent()
    try:
        heap = open_heap(
            str(path),
            name=shown,
            progress=progress,
            max_inflated=max_inflated,
            cache_bytes=cache_bytes,
            task="show",
        )
    except InputError as error:
        # The path of a spooled standard input would say nothing to its user.
        raise error.of(shown) from error
    with heap:
        found = find_secrets(heap, progress, redacted=redacted)
        heap.finish()
    return answered(Report(mqdiag=__version__, inputs=(heap_input(heap.dump, shown, heap),), secrets=found))
