"""Findings that came, went and changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mqdiag.facts.diff import EvidenceChange, FindingChange, Value
from mqdiag.findings import EvidenceValue, Finding, Report

WORTH_TELLING = 0.1
"""share by which a number has to differ: hardly any is the same in two dumps"""


@dataclass(frozen=True, kw_only=True)
class FindingsDiff:
    """All findings of two reports, sorted."""

    new: tuple[FindingChange, ...]
    gone: tuple[FindingChange, ...]
    changed: tuple[FindingChange, ...]
    same: int
    regressions: tuple[Finding, ...]
    """findings of the later side that are new, or of a worse severity than before"""


def diff_findings(before: Report, after: Report) -> FindingsDiff:
    """Sort by fingerprint."""
    old = {finding.fingerprint: finding for finding in before.findings}
    now = {finding.fingerprint: finding for finding in after.findings}
    new = tuple(_came(found, before) for key, found in now.items() if key not in old)
    gone = tuple(_went(found, after) for key, found in old.items() if key not in now)
    shared = [_changed(old[key], found) for key, found in now.items() if key in old]
    changed = tuple(change for change in shared if change is not None)
    worse = [
        found for key, found in now.items() if key not in old or found.severity.rank < old[key].severity.rank
    ]
    return FindingsDiff(
        new=new, gone=gone, changed=changed, same=len(shared) - len(changed), regressions=tuple(worse)
    )


def _came(finding: Finding, before: Report) -> FindingChange:
    return FindingChange(
        fingerprint=finding.fingerprint,
        rule=finding.rule,
        title=finding.title,
        severity_after=finding.severity.value,
        confidence_after=finding.confidence.value,
        checked=finding.rule in _checked(before),
    )


def _went(finding: Finding, after: Report) -> FindingChange:
    return FindingChange(
        fingerprint=finding.fingerprint,
        rule=finding.rule,
        title=finding.title,
        severity_before=finding.severity.value,
        confidence_before=finding.confidence.value,
        checked=finding.rule in _checked(after),
    )


def _checked(report: Report) -> frozenset[str]:
    return frozenset((*report.checked, *(finding.rule for finding in report.findings)))


def _changed(old: Finding, new: Finding) -> FindingChange | None:
    evidence = tuple(_evidence(old, new))
    if not evidence and (old.severity, old.confidence) == (new.severity, new.confidence):
        return None
    return FindingChange(
        fingerprint=new.fingerprint,
        rule=new.rule,
        title=new.title,
        severity_before=old.severity.value,
        severity_after=new.severity.value,
        confidence_before=old.confidence.value,
        confidence_after=new.confidence.value,
        evidence=evidence,
    )


def _evidence(old: Finding, new: Finding) -> Iterator[EvidenceChange]:
    for key in new.evidence:
        before, after = old.evidence.get(key), new.evidence[key]
        if key in old.evidence and _differs(before, after):
            yield EvidenceChange(key=key, before=_plain(before), after=_plain(after))


def _differs(before: EvidenceValue, after: EvidenceValue) -> bool:
    if _number(before) and _number(after):
        assert isinstance(before, int | float)
        assert isinstance(after, int | float)
        return abs(after - before) >= WORTH_TELLING * max(abs(before), abs(after)) and before != after
    return _plain(before) != _plain(after)


def _number(value: EvidenceValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _plain(value: EvidenceValue) -> Value:
    return ", ".join(map(str, value)) if isinstance(value, tuple | list) else value
