"""Which findings of a run are new: a fault of a host is told when it appears, and when it comes back."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

Row = Mapping[str, Any]
NOTICED = frozenset({"error", "warning"})
"""severities that are told"""

GONE_NS = 6 * 3600 * 10**9
"""time after which a pod may be gone where others of its workload have evidence, as in the view `gone_hosts`"""


class FaultState(msgspec.Struct, kw_only=True):
    """A fault of a host as the latest evidence has it."""

    rule: str
    shown_by: list[str] = []
    """what must be able to show it again before it is gone; empty where an older version wrote it"""
    is_open: bool
    at_ns: int
    """time of the evidence that decided it"""
    host: str = ""
    """the instance that showed it last; another one of its place refutes it only when it may be gone"""


class ReportedFaults(msgspec.Struct, kw_only=True):
    """What has been told; kept beside the tables."""

    run_order: int = 0
    """place of the last run of which everything was told"""
    faults: dict[str, dict[str, FaultState]] = {}
    """by place, which is a host or the workload of pods that replace each other, and by fault"""


class NewFault(msgspec.Struct, frozen=True, kw_only=True):
    """A finding that is told."""

    key: str
    """the same each time this finding of this incident is told: who receives it twice counts it once"""
    finding: Row
    """its row of the table"""


def new_faults(told: ReportedFaults, incidents: Iterable[Row], findings: Iterable[Row]) -> list[NewFault]:
    """The findings of some incidents that were not open before; `told` is brought up to date.

    Evidence that is older than what decided a fault changes nothing, so files that come late tell nothing twice.

    Args:
        told: what is known.
        incidents: rows of `incidents`.
        findings: rows of `findings` of these incidents.
    """
    of_incident: dict[str, list[Row]] = {}
    for found in findings:
        if found["severity"] in NOTICED:
            of_incident.setdefault(found["incident"], []).append(found)
    new = []
    for incident in sorted(incidents, key=lambda row: (_time_ns(row), row["incident"])):
        at_ns = _time_ns(incident)
        place = incident.get("replica") or incident["host"] or ""
        faults = told.faults.setdefault(_hash(*(incident[name] or "" for name in _SERVICE), place), {})
        shown = {_fault(found): found for found in of_incident.get(incident["incident"], ())}
        refutes = set(incident["checked"] or () if incident["refutes"] is None else incident["refutes"])
        for name, state in faults.items():
            if (
                name not in shown
                and refutes.intersection(state.shown_by or [state.rule])
                and state.at_ns + (0 if state.host in ("", incident["host"]) else GONE_NS) <= at_ns
            ):
                state.is_open, state.at_ns = False, at_ns
        for name, found in shown.items():
            before = faults.get(name)
            if before is not None and at_ns < before.at_ns:
                continue
            if before is None or not before.is_open:
                key = _hash(found["fingerprint"] or "", *(found[one] or "" for one in _HOST), found["incident"])
                new.append(NewFault(key=key, finding=found))
            faults[name] = FaultState(
                rule=found["rule"],
                shown_by=found["shown_by"] or [],
                is_open=True,
                at_ns=at_ns,
                host=incident["host"] or "",
            )
    told.faults = {host: faults for host, faults in told.faults.items() if faults}
    return new


_SERVICE = ("environment", "service")
_HOST = (*_SERVICE, "host")
_FAULT = ("rule", "cause", "consumer_group")


class _Subject(msgspec.Struct, frozen=True):
    resource: str | None = None


class _Document(msgspec.Struct, frozen=True):
    """What the columns of a finding do not tell."""

    subject: _Subject = _Subject()


def _fault(found: Row) -> str:
    """The identity of a fault of a host: one full file system says nothing of another."""
    document = msgspec.json.decode(found["document"] or "{}", type=_Document)
    resource = document.subject.resource
    return _hash(*(found[name] or "" for name in _FAULT), *(() if resource is None else (resource,)))


def _time_ns(row: Row) -> int:
    start = row["window_start"]
    return 0 if start is None else int(start.timestamp() * 1e9)


def _hash(*texts: str) -> str:
    return hashlib.blake2b("\0".join(texts).encode(), digest_size=12).hexdigest()
