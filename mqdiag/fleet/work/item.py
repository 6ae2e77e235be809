"""What an executor is told: the work item, and what is the same for all of a run."""

from __future__ import annotations

from dataclasses import dataclass

from mqdiag.config import Settings
from mqdiag.fleet.files.incidents import Incident
from mqdiag.fleet.options import Limits


class WorkItem(Incident, frozen=True, kw_only=True):
    """An incident with its key."""

    incident: str
    contents: tuple[str, ...]
    """fingerprints of the files, in their order"""
    heads: tuple[str, ...] = ()
    """fingerprints of the first bytes of those files that have enough of them"""
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
    reading: str | None = None
    """hash of what facts depend on besides the evidence; None where none are kept"""
    again: bool = False
    """read the evidence even if its facts are kept"""
    cores: int = 1
    """cores of each executor, each with `limits.memory_bytes`"""
