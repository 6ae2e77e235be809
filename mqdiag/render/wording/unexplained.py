"""A process that ran out of memory is not in order, even where no rule finds what filled it."""

from __future__ import annotations

from collections.abc import Iterable

from mqdiag.findings import Finding
from mqdiag.language import later

OUT_OF_MEMORY = "out-of-memory-thread"
WITHOUT_CAUSE = later("The JVM ran out of memory; this evidence does not tell what filled it.")


def is_unexplained(findings: Iterable[Finding]) -> bool:
    """Whether memory ran out; asked where nothing worse was found."""
    return any(finding.rule == OUT_OF_MEMORY for finding in findings)
