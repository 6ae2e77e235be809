"""Imports that are made while a dump is read: machine code walks it then, and Python has nothing else to do."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from mqdiag.progress import Passing, Progress
from mqdiag.text import Text


class _Importing(Passing):
    """Progress that starts the imports when the first phase begins, and hands everything on."""

    def __init__(self, progress: Progress, imports: Callable[[], object]) -> None:
        super().__init__(progress)
        self.thread = threading.Thread(target=_run, args=(imports,), name="mqdiag-imports", daemon=True)

    def phase(self, name: Text) -> None:
        """A phase; before the first one the reader itself is still being imported."""
        self._progress.phase(name)
        if self.thread.ident is None:
            # Where this user may start no more threads, what is needed is imported when it is needed.
            with suppress(RuntimeError):
                self.thread.start()


@contextmanager
def imports_ahead(progress: Progress, imports: Callable[[], object]) -> Iterator[Progress]:
    """Progress to give to the reader of a dump, whose first phase starts the imports.

    Args:
        progress: who listens.
        imports: imports what is needed after reading.
    """
    importing = _Importing(progress, imports)
    interrupted = False
    try:
        yield importing
    except KeyboardInterrupt:
        # It can leave the lock of a module held, for which the imports would wait for ever.
        interrupted = True
        raise
    finally:
        if importing.thread.ident is not None and not interrupted:
            importing.thread.join()


def _run(imports: Callable[[], object]) -> None:
    # Whoever needs the module imports it again and meets the same error in a place that can tell of it.
    with suppress(Exception):
        imports()
