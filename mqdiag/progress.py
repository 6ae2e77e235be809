"""How a long piece of work tells where it is, without knowing who listens.

`read` and `graph` get an observer passed down; only the command line decides whether one draws a line.
"""

from __future__ import annotations

import sys
from typing import Protocol

from mqdiag.text import Text


class Progress(Protocol):
    """Receives the phase and the share done."""

    def phase(self, name: Text) -> None:
        """Start a phase, named for a person: "reading records"."""

    def advance(self, share: float) -> None:
        """Share of the current phase that is done, 0 to 1."""

    def note(self, text: Text) -> None:
        """Something that is worth a line even where nobody watches: why this run takes longer."""


class Silent:
    """Listens to nothing: the default in libraries and tests."""

    def phase(self, name: Text) -> None:
        """Ignore."""

    def advance(self, share: float) -> None:
        """Ignore."""

    def note(self, text: Text) -> None:
        """Ignore."""


_noted: set[str] = set()


def note_once(text: str) -> None:
    """A line on standard error, once in this process, from code that gets no `Progress` passed down."""
    if text not in _noted and sys.stderr is not None:
        _noted.add(text)
        erased = "\r\x1b[K" if sys.stderr.isatty() else ""
        sys.stderr.write(f"{erased}mqdiag: {text}\n")
        sys.stderr.flush()
