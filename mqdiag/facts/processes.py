"""What was read of one JVM, where the evidence of an incident is of several."""

from __future__ import annotations

import msgspec

from mqdiag.facts.heap import HeapFacts
from mqdiag.facts.redaction import ProcessName, Public, Setting
from mqdiag.facts.stacks import StacksFacts
from mqdiag.text import Text


class ProcessFacts(msgspec.Struct, frozen=True, kw_only=True):
    """One JVM: its heap dump, its thread dumps, or both."""

    name: ProcessName
    """its pid where the evidence tells it, else the name of its first file"""
    pid: int | None = None
    main_class: Public | None = None
    """class or jar that it was started with, where a capture has its command line"""
    settings: dict[Public, Setting] = {}
    """its system properties, as its command line sets them"""
    inputs: tuple[Public, ...] = ()
    """paths of its heap dump and thread dumps"""
    tied_by: Text | None = None
    """why heap dump and thread dumps are taken to be of one process; None where only one of them is there"""
    heap: HeapFacts | None = None
    """null for the process that the heap at the top of the report belongs to"""
    stacks: StacksFacts | None = None
    """as for `heap`"""

    @property
    def host(self) -> str | None:
        """Where it runs, as its name says after the pid; None where no capture tells it."""
        pid, _, host = self.name.partition(" on ")
        return host or None if pid == f"pid {self.pid}" else None
