"""A line on stderr that says what takes so long; only on a terminal, only after a second."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

import click

from mqdiag.language import Writer, writer
from mqdiag.progress import Progress, Silent
from mqdiag.text import Text, say

PATIENCE_S = 1.0
REDRAW_S = 0.2
ERASE = "\r\x1b[K"


class TerminalProgress:
    """Redraws one line from a thread of its own, so that a long kernel call shows its phase too."""

    def __init__(self, stream: TextIO, write: Writer) -> None:
        self._stream, self._write = stream, write
        self._name = write(say("starting"))
        self._share: float | None = None
        self._closed = threading.Event()
        self._drawn = False
        self._thread: threading.Thread | None = threading.Thread(
            target=self._redraw, name="mqdiag-progress", daemon=True
        )
        try:
            self._thread.start()
        except RuntimeError:
            self._thread = None  # this user may start no more threads: nothing is drawn

    def phase(self, name: Text) -> None:
        """Start a phase."""
        self._name, self._share = self._write(name), None

    def advance(self, share: float) -> None:
        """Share of the phase that is done."""
        self._share = min(max(share, 0.0), 1.0)

    def check(self) -> None:
        """Go on: nothing is limited here."""

    def note(self, text: Text) -> None:
        """A line of its own, above the one that is redrawn."""
        self._stream.write(f"{ERASE}mqdiag: {self._write(text)}\n")
        self._stream.flush()

    def close(self) -> None:
        """Stop and erase the line."""
        self._closed.set()
        if self._thread is not None:
            self._thread.join()
        if self._drawn:
            self._stream.write(ERASE)
            self._stream.flush()

    def line(self) -> str:
        """What is shown now."""
        share = "" if self._share is None else f" {self._share:.0%}"
        return f"{self._name}{share}"

    def _redraw(self) -> None:
        started = time.monotonic()
        wait = PATIENCE_S
        while not self._closed.wait(wait):
            seconds = time.monotonic() - started
            self._stream.write(f"{ERASE}{self.line()[:60]}  ({seconds:.0f} s)")
            self._stream.flush()
            self._drawn = True
            wait = REDRAW_S


class NotesOnly(Silent):
    """For logs and pipes: what is worth a line, and nothing that is redrawn."""

    def __init__(self, write: Writer) -> None:
        self._write = write

    def note(self, text: Text) -> None:
        """Write it."""
        click.echo(f"mqdiag: {self._write(text)}", err=True)


def note(text: Text, language: str) -> None:
    """A line on standard error, in place of the one that a terminal may show."""
    erased = ERASE if sys.stderr is not None and sys.stderr.isatty() else ""
    click.echo(f"{erased}mqdiag: {writer(language)(text)}", err=True)


@contextmanager
def terminal_progress(language: str) -> Iterator[Progress]:
    """A progress line while the block runs, or notes alone when stderr is not a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield NotesOnly(writer(language))
        return
    progress = TerminalProgress(sys.stderr, writer(language))
    try:
        yield progress
    finally:
        progress.close()
