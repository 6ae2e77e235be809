"""Known findings: what a team has accepted, read from a baseline and put over a report.

A baseline is a saved JSON report, whose findings are all known then, or a TOML file that people keep:

    [[known]]
    fingerprint = "0123456789abcdef"
    rule = "consumer-cache-exceeds-heap"
    severity = "warning"
    reason = "the heap is doubled with the next release"
    until = 2026-12-31
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

import msgspec

from mqdiag.acceptance import Acceptance, Lapsed
from mqdiag.errors import UsageError
from mqdiag.facts.vocabulary import LapseKind
from mqdiag.findings import Finding, Report, Severity
from mqdiag.text import Text, say

MOST_BYTES = 256 << 20
"""A report of a heap with a hundred thousand classes has 30 MB."""
EXPIRED: LapseKind = "expired"
GONE: LapseKind = "gone"
WORSE: LapseKind = "worse"


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """One known finding."""

    fingerprint: str
    rule: str
    severity: Severity | None = None
    """the worst that is accepted; None for any"""
    acceptance: Acceptance

    def covers(self, finding: Finding, today: date) -> bool:
        """Whether this finding is the known one, no worse than it was, on a day on which that still holds."""
        return (
            self.fingerprint == finding.fingerprint
            and (self.severity is None or self.severity.rank <= finding.severity.rank)
            and not expired(self.acceptance, today)
        )


class Baseline(msgspec.Struct, frozen=True, kw_only=True):
    """All known findings of a file."""

    entries: tuple[Known, ...] = ()


class _Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    fingerprint: str
    rule: str
    reason: str
    severity: Severity | None = None
    title: str = ""
    until: date | None = None


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    known: tuple[_Entry, ...] = ()


class _SavedAcceptance(msgspec.Struct, frozen=True, kw_only=True):
    reason: str
    until: date | None = None


class _SavedFinding(msgspec.Struct, frozen=True, kw_only=True):
    fingerprint: str
    rule: str
    severity: Severity
    accepted: _SavedAcceptance | None = None


class _SavedReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a baseline needs of a JSON report, of this version or another."""

    mqdiag: str
    schema_version: int
    findings: tuple[_SavedFinding, ...]


def read_baseline(path: Path) -> Baseline:
    """Decode a baseline strictly; what is wrong names its place."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(
            say("{path}: cannot be read: {reason}", path=str(path), reason=error.strerror)
        ) from error
    if len(data) > MOST_BYTES:
        raise UsageError(
            say(
                "{path}: has more than {most:bytes}, too many for a baseline",
                path=str(path),
                most=MOST_BYTES,
            )
        )
    if data.lstrip()[:1] == b"{":
        return _from_report(data, path)
    return _from_toml(data, path)


def _from_report(data: bytes, path: Path) -> Baseline:
    try:
        saved = msgspec.json.decode(data, type=_SavedReport)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        problem = str(error).replace("`", "")
        raise UsageError(
            say("{path}: is not a report of mqdiag --format json: {problem}", path=str(path), problem=problem)
        ) from error
    return Baseline(
        entries=tuple(
            Known(
                fingerprint=found.fingerprint,
                rule=found.rule,
                severity=found.severity,
                acceptance=Acceptance(
                    source=str(path),
                    reason="it is in the saved report" if found.accepted is None else found.accepted.reason,
                    until=None if found.accepted is None else found.accepted.until,
                ),
            )
            for found in saved.findings
        )
    )


def _from_toml(data: bytes, path: Path) -> Baseline:
    import tomllib  # most runs have no file

    try:
        raw: dict[str, Any] = tomllib.loads(data.decode())
        file = msgspec.convert(raw, _File)
    except UnicodeDecodeError as error:
        raise UsageError(
            say("{path}: is not UTF-8 at byte {start}", path=str(path), start=error.start)
        ) from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(
            say("{path}: is neither a JSON report nor TOML: {error}", path=str(path), error=str(error))
        ) from error
    except msgspec.ValidationError as error:
        what, _, place = str(error).replace("`", "").partition(" - at $.")
        raise UsageError(
            say(
                "{path}: {place}: {replace}",
                path=str(path),
                place=place or "the file",
                replace=what.replace("object", "table"),
            )
        ) from error
    for number, entry in enumerate(file.known, 1):
        if not entry.reason.strip():
            raise UsageError(
                say(
                    "{path}: known finding {number} ({rule}) has no reason; say why it is accepted",
                    path=str(path),
                    number=number,
                    rule=entry.rule,
                )
            )
    return Baseline(
        entries=tuple(
            Known(
                fingerprint=entry.fingerprint,
                rule=entry.rule,
                severity=entry.severity,
                acceptance=Acceptance(source=str(path), reason=entry.reason, until=entry.until),
            )
            for entry in file.known
        )
    )


def expired(acceptance: Acceptance, today: date) -> bool:
    """Whether its last day has passed."""
    return acceptance.until is not None and acceptance.until < today


def with_baseline(report: Report, baseline: Baseline, today: date) -> Report:
    """Mark the findings that are known, and list the entries that have no effect any more."""
    by_fingerprint: dict[str, list[Known]] = {}
    for entry in baseline.entries:
        by_fingerprint.setdefault(entry.fingerprint, []).append(entry)

    def marked(found: Finding) -> Finding:
        for entry in by_fingerprint.get(found.fingerprint, ()):
            if entry.covers(found, today):
                return msgspec.structs.replace(found, accepted=entry.acceptance)
        return found

    return msgspec.structs.replace(
        report,
        findings=tuple(map(marked, report.findings)),
        lapsed=(*report.lapsed, *_lapsed(report, baseline.entries, today)),
    )


def _lapsed(report: Report, entries: Iterable[Known], today: date) -> Iterable[Lapsed]:
    """An entry whose rule could not be checked this time may be needed the next, so it is not gone."""
    found: dict[str, list[Finding]] = {}
    for finding in (*report.findings, *report.ignored):
        found.setdefault(finding.fingerprint, []).append(finding)
    for entry in dict.fromkeys(entries):
        here = found.get(entry.fingerprint, ())
        if expired(entry.acceptance, today):
            why = EXPIRED
        elif here and not any(entry.covers(finding, today) for finding in here):
            why = WORSE
        elif not here and entry.rule in report.checked:
            why = GONE
        else:
            continue
        yield Lapsed(rule=entry.rule, fingerprint=entry.fingerprint, why=why, acceptance=entry.acceptance)


def lowered_line(report: Report) -> Text:
    """What the configuration did to the findings, for every format: "mqdiag.toml lowered 2 findings (deadlock)"."""
    return say(
        "{source} lowered {lowered:count} {lowered:finding|findings} ({rules})",
        source=report.lowered_by or "--config",
        lowered=len(report.lowered),
        rules=tuple(dict.fromkeys(report.lowered)),
    )
