"""The cases of fixtures/rig/holders: what each program holds, and where its dump is."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Literal

import msgspec

RIG = Path(__file__).resolve().parents[3] / "fixtures" / "rig"
KEPT = RIG.parent / "holders"
"""dumps small enough to be kept"""
MADE = RIG / "target" / "holders" / "dumps"
"""dumps made on this machine"""

Severity = Literal["info", "warning", "error"]


class Case(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One program run by one JDK; fixtures/rig/holders/cases.toml says what its fields mean."""

    name: str
    program: str
    jdk: int = 17
    options: tuple[str, ...] = ()
    libraries: bool = False
    batch: int = 1
    leaks: tuple[str, ...]
    severity: Severity = "error"
    most: Severity = "error"
    says: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    exit: int | None = None

    @property
    def dump(self) -> Path | None:
        """The file, where it is kept or was made."""
        for path in (KEPT / f"{self.name}.hprof.gz", MADE / f"{self.name}.hprof"):
            if path.exists():
                return path
        return None


def cases() -> tuple[Case, ...]:
    """All cases, in the order of the file."""
    text = (RIG / "holders" / "cases.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text)["case"], tuple[Case, ...])


def make_missing(chosen: tuple[Case, ...]) -> None:
    """Make the dumps that are neither kept nor made; a case that cannot be made stays without."""
    missing = [case.name for case in chosen if case.dump is None]
    if missing:
        only = [word for name in missing for word in ("--only", name)]
        command = [sys.executable, str(RIG / "make_holders.py"), "--out", str(MADE), *only]
        subprocess.run(command, check=False)
