"""The cases of fixtures/public: what the evidence is, and what an expert says of it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

PUBLIC = Path(__file__).parents[3] / "fixtures" / "public"
TRUTH = "truth.toml"


class Truth(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One truth.toml; fixtures/public/README.md says what each key means."""

    source: str
    topic: str
    command: tuple[str, ...]
    why: str
    decided: bool
    healthy: bool = False
    causes: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    batch: int = 1

    def __post_init__(self) -> None:
        """Refuse a truth that says nothing, or two things."""
        if not self.healthy and self.decided and not self.causes:
            raise ValueError("an expert decided, and `causes` is empty")
        if self.healthy and (self.causes or not self.decided):
            raise ValueError("a healthy case is decided and has no `causes`")
        if len(self.command) < 2:
            raise ValueError("`command` needs a command and a file")


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of evidence and its truth, such as one folder of fixtures/public."""

    name: str
    truth: Truth
    folder: Path
    """where the evidence lies"""

    @property
    def arguments(self) -> list[str]:
        """The command line, with each file under its whole path."""
        command, *files = self.truth.command
        return [command, *(str(self.folder / file) for file in files)]


class Search(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One file of fixtures/public/searched: how much was looked for, and how little was found."""

    topic: str
    queries: tuple[str, ...]
    threads_read: int
    used: int
    not_found: str = ""


@cache
def cases() -> tuple[Case, ...]:
    """All cases, by name.

    Raises:
        msgspec.ValidationError: a truth.toml is not of the form.
    """
    found = sorted(PUBLIC.glob(f"*/{TRUTH}"))
    return tuple(Case(name=path.parent.name, truth=_truth(path), folder=path.parent) for path in found)


@cache
def searches() -> tuple[Search, ...]:
    """What was looked for, by topic."""
    found = sorted((PUBLIC / "searched").glob("*.toml"))
    return tuple(msgspec.toml.decode(path.read_bytes(), type=Search) for path in found)


def _truth(path: Path) -> Truth:
    return msgspec.toml.decode(path.read_bytes(), type=Truth)
