"""Processors and memory of a process, as control groups, /proc and the JVM itself tell them."""

from __future__ import annotations

import msgspec

from mqdiag.facts.redaction import Public


class ResourceReading(msgspec.Struct, frozen=True, kw_only=True):
    """What was read at one moment; None where the files do not tell, or there is no limit."""

    path: Public
    pid: int | None = None
    processors: float | None = None
    """the limit of the group, in processors"""
    periods: int | None = None
    """periods of the scheduler in which a process of the group wanted to run"""
    throttled_periods: int | None = None
    throttled_ms: float | None = None
    """for how long it was held back, summed over its processors"""
    memory_limit_bytes: int | None = None
    memory_bytes: int | None = None
    """used by the group"""
    resident_bytes: int | None = None
    """memory of the process, without files; with them where an old kernel does not tell them apart"""
    threads: int | None = None
    heap_bytes: int | None = None
    """committed by the JVM for its heap"""
    heap_used_bytes: int | None = None
    metaspace_bytes: int | None = None
    """committed"""


class ProcessResources(msgspec.Struct, frozen=True, kw_only=True):
    """One process over time."""

    first: ResourceReading
    last: ResourceReading
    """the same one where there is only one"""
    at: Public | None = None
    """when the capture that took them began, with its zone; None where no manifest tells"""


class ResourcesFacts(msgspec.Struct, frozen=True, kw_only=True):
    """All processes."""

    processes: tuple[ProcessResources, ...] = ()
