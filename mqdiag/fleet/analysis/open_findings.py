"""What is wrong now: of each host the latest evidence that could show a fault decides whether it is still there."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from mqdiag.fleet.analysis.view import view

HOST = ("environment", "service", "host")
FAULT = (*HOST, "rule", "cause", "consumer_group")
"""what a fault of a host is over time: the thread or queue can be another one tomorrow"""


def open_findings(findings: DataFrame, incidents: DataFrame) -> DataFrame:
    """Findings that no later incident of their host has refuted.

    A fault in last month's heap dump is over once a newer dump is healthy; thread dumps that came since say nothing
    about a rule that needs a heap.

    Args:
        findings: all rows of a run's incidents.
        incidents: these incidents, with the rules that were checked.

    Returns:
        The rows of `findings` from the latest incident of each host that has checked, or found, their rule.
    """
    return view("unrefuted_findings", current_findings=findings, current_incidents=incidents)


def recovered_faults(findings: DataFrame, still_open: DataFrame) -> int:
    """Number of faults of hosts that later evidence of the same host no longer shows."""
    faults = findings.select(*_comparable()).distinct()
    return faults.join(still_open.select(*_comparable()).distinct(), list(FAULT), "left_anti").count()


def _comparable() -> list[Column]:
    """The columns of FAULT; a finding without a group is one of the empty name, as null equals nothing."""
    return [F.coalesce(F.col(name), F.lit("")).alias(name) for name in FAULT]
