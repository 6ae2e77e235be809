"""What was read from the evidence: plain values, the only thing that a rule sees.

The field names are the names of the JSON report (`docs/report.md`), so facts are shown as they are and no
second set of shapes exists. `None` means unknown and is never replaced by 0.
"""

from __future__ import annotations

import msgspec

from mqdiag.facts.admin import AdminFacts
from mqdiag.facts.crash import CrashFacts
from mqdiag.facts.expectations import Expectation
from mqdiag.facts.fleet import FleetFacts
from mqdiag.facts.heap import HeapFacts
from mqdiag.facts.inputs import Input
from mqdiag.facts.logs import LogsFacts
from mqdiag.facts.processes import ProcessFacts
from mqdiag.facts.profiles import ProfilesFacts
from mqdiag.facts.recordings import RecordingsFacts
from mqdiag.facts.resources import ResourcesFacts
from mqdiag.facts.services import ServicesFacts
from mqdiag.facts.stacks import StacksFacts
from mqdiag.facts.stores import StoresFacts


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """All evidence of one run; a part is None when no such input was given or could be read."""

    inputs: tuple[Input, ...] = ()
    heap: HeapFacts | None = None
    stacks: StacksFacts | None = None
    pid: int | None = None
    """the process that heap dump and thread dumps are of"""
    host: str | None = None
    """where that process runs"""
    logs: LogsFacts | None = None
    sure_logs: LogsFacts | None = None
    """the same without lines that may be a part of what somebody wrote; None where there are no such lines"""
    repeated_logs: LogsFacts | None = None
    """the same without those of them that stand in one place"""
    stores: StoresFacts | None = None
    admin: AdminFacts | None = None
    asked_at: str | None = None
    """when mqadmin was asked, by the word of a capture beside its answers"""
    crash: CrashFacts | None = None
    resources: ResourcesFacts | None = None
    """processors and memory of processes, as the kernel tells them"""
    recordings: RecordingsFacts | None = None
    profiles: ProfilesFacts | None = None
    services: ServicesFacts | None = None
    processes: tuple[ProcessFacts, ...] | None = None
    """all JVMs of the incident, for rules over what they share; None where rules look at one of several"""
    fleet: FleetFacts | None = None
    expectations: tuple[Expectation, ...] = ()

    @property
    def heap_is_whole(self) -> bool:
        """Whether all heap dumps were read to their end; else the sums over a heap are lower bounds."""
        return all(given.complete for given in self.inputs if given.kind == "heap")


__all__ = [
    "AdminFacts",
    "CrashFacts",
    "Expectation",
    "Facts",
    "FleetFacts",
    "HeapFacts",
    "Input",
    "LogsFacts",
    "ProcessFacts",
    "ProfilesFacts",
    "RecordingsFacts",
    "ResourcesFacts",
    "ServicesFacts",
    "StacksFacts",
    "StoresFacts",
]
