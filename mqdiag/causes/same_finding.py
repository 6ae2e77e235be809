"""One fault, found in a heap dump and in thread dumps of one process."""

from __future__ import annotations

from collections.abc import Mapping

from mqdiag.findings import Finding, RuleCard


def threads_of(finding: Finding) -> frozenset[str]:
    """Names of the threads that a finding is about."""
    names = finding.evidence.get("threads")
    if isinstance(names, tuple | list):
        return frozenset(str(name) for name in names)
    name = finding.evidence.get("thread") or finding.subject.thread
    return frozenset({name}) if isinstance(name, str) else frozenset()


class SameFindings:
    """Finds what else shows the fault of a finding.

    Args:
        findings: all of the report.
        cards: of their rules; `same_as` names the rules that show the same fault in other evidence.
    """

    def __init__(self, findings: tuple[Finding, ...], cards: Mapping[str, RuleCard]) -> None:
        self._findings = findings
        self._same_as = {name: frozenset(card.same_as) for name, card in cards.items()}

    def of(self, finding: Finding) -> tuple[Finding, ...]:
        """The other findings of the same fault: they name the same threads of the same process."""
        return tuple(
            other for other in self._findings if other is not finding and self._is_same(finding, other)
        )

    def has_counterpart(self, finding: Finding) -> bool:
        """Whether other evidence could show the same fault, by a rule that this finding's rule names."""
        return bool(self._same_as.get(finding.rule))

    def _is_same(self, one: Finding, other: Finding) -> bool:
        if other.rule not in self._named_by(one) and one.rule not in self._named_by(other):
            return False
        if one.processes and other.processes and not set(one.processes) & set(other.processes):
            return False
        return one.subject.overlaps(other.subject) and bool(threads_of(one) & threads_of(other))

    def _named_by(self, finding: Finding) -> frozenset[str]:
        return self._same_as.get(finding.rule, frozenset())
