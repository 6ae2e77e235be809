"""What an executor is told: the work item, and what is the same for all of a run."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from mqdiag.config import Settings
from mqdiag.fleet.files.incidents import IncidentFile
from mqdiag.fleet.options import Limits


class WorkItem(msgspec.Struct, frozen=True, kw_only=True):
    """An incident with its key."""

    incident: str
    environment: str
    service: str
    host: str
    window_start_ns: int | None
    bytes: int
    files: tuple[IncidentFile, ...]
    contents: tuple[str, ...]
    """fingerprints of the files, in their order"""
    listing: str
    evidence: str
    """hash of labels and contents, whatever they are analysed with"""


@dataclass(frozen=True, kw_only=True)
class Job:
    """Travels to the executors with every task."""

    out: str
    run: str
    settings: Settings
    settings_hash: str
    limits: Limits
    scratch: str | None
    redact: bool = False
    cores: int = 1
    """of each executor, each with `limits.memory_bytes`"""
