"""How a long piece of work tells where it is, without knowing who listens.

`read` and `graph` get an observer passed down; only the command line decides whether one draws a line.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from mqdiag.language import english
from mqdiag.text import Text


class Progress(Protocol):
    """Receives the phase and the share done."""

    def phase(self, name: Text) -> None:
        """Start a phase, named for a person: "reading records"."""

    def advance(self, share: float) -> None:
        """Share of the current phase that is done, 0 to 1. Asks `check` too."""

    def check(self) -> None:
        """Whether the run may go on.

        Raises:
            InputError: its budget is used up.
        """

    def note(self, text: Text) -> None:
        """Something that is worth a line even where nobody watches: why this run takes longer."""


class Silent:
    """Listens to nothing: the default in libraries and tests."""

    def phase(self, name: Text) -> None:
        """Ignore."""

    def advance(self, share: float) -> None:
        """Ignore."""

    def check(self) -> None:
        """Go on."""

    def note(self, text: Text) -> None:
        """Ignore."""


class Passing:
    """Hands everything on: the base of those who listen to a part on the way."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def phase(self, name: Text) -> None:
        """Handed on."""
        self._progress.phase(name)

    def advance(self, share: float) -> None:
        """Handed on."""
        self._progress.advance(share)

    def check(self) -> None:
        """Handed on."""
        self._progress.check()

    def note(self, text: Text) -> None:
        """Handed on."""
        self._progress.note(text)


class Beside(Silent):
    """For work beside the one that is shown: it shows nothing, and ends with the budget of the same run."""

    def __init__(self, shown: Progress) -> None:
        self._shown = shown

    def advance(self, share: float) -> None:
        """Go on if the run may."""
        self._shown.check()

    def check(self) -> None:
        """Go on if the run may."""
        self._shown.check()


class Steps(Silent):
    """For work in a process of its own, whose parent hears of each step and may end it."""

    def __init__(self, step: Callable[[], None]) -> None:
        self._step = step

    def advance(self, share: float) -> None:
        """Go on if the parent lets it."""
        self._step()

    def check(self) -> None:
        """Go on if the parent lets it."""
        self._step()


def _write_english(text: Text) -> None:
    if sys.stderr is not None:
        sys.stderr.write(f"mqdiag: {english()(text)}\n")
        sys.stderr.flush()


_waiting: list[Callable[[], None]] | None = None


@contextmanager
def answer_first() -> Iterator[None]:
    """Put off what only later runs need until the block has shown the answer; after an error it is not done."""
    global _waiting
    waiting: list[Callable[[], None]] = []
    _waiting = waiting
    try:
        yield
    finally:
        _waiting = None
    for work in waiting:
        work()


def when_answered(work: Callable[[], None]) -> None:
    """Do what only later runs need: at the end of `answer_first`, or at once outside of it."""
    if _waiting is None:
        work()
    else:
        _waiting.append(work)


_noted: set[Text] = set()
_listener: Callable[[Text], None] = _write_english


@contextmanager
def notes_heard_by(listener: Callable[[Text], None]) -> Iterator[None]:
    """Give the notes of `note_once` to a listener while the block runs, who writes them in the user's language."""
    global _listener
    before, _listener = _listener, listener
    try:
        yield
    finally:
        _listener = before


def note_once(text: Text) -> None:
    """A note from code that gets no `Progress` passed down, once in this process; without a listener in English."""
    if text not in _noted:
        _noted.add(text)
        _listener(text)
