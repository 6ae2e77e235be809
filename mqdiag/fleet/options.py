"""What a fleet run is told."""

from __future__ import annotations

from dataclasses import dataclass, field

GIB = 1 << 30


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one incident may use."""

    memory_bytes: int = 4 * GIB
    """anonymous memory of the process that analyses it; mapped files do not count"""
    time_s: float = 1800.0
    input_bytes: int = 64 * GIB
    """size of all its files, and what a compressed one may inflate to"""
    recycle_after: int = 200
    """incidents after which the process is replaced"""
    classes: int = 200
    """rows of `classes` that a dump gives, largest first"""


@dataclass(frozen=True, kw_only=True)
class FleetOptions:
    """One run, as `mqdiag fleet` was called."""

    paths: tuple[str, ...]
    out: str
    master: str | None = None
    conf: dict[str, str] = field(default_factory=dict)
    templates: tuple[str, ...] = ()
    window_s: float = 600.0
    """files of one host belong together when no more than this lies between one and the next"""
    run: str | None = None
    against: str | None = None
    """the run to compare with; None: the latest one before"""
    since_ns: int | None = None
    """files of an earlier time are left out; nanoseconds since 1970"""
    limit: int | None = None
    scratch: str | None = None
    spark_log: str | None = None
    limits: Limits = Limits()
    redact: bool = False
    """hide in the tables what `--redact` hides in a report"""
    again: bool = False
    """analyse what earlier runs have analysed too"""
