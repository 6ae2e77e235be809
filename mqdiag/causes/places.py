"""Where a process runs, as far as the evidence tells: its pid, pod, namespace and container."""

from __future__ import annotations

import msgspec

from mqdiag.facts.addresses import addresses
from mqdiag.facts.known import pod_of
from mqdiag.findings import Report


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """What to write into a command; None where the evidence does not tell."""

    pid: int | None = None
    pod: str | None = None
    namespace: str | None = None
    container: str | None = None
    name_server: str | None = None
    brokers: dict[str, str] = {}
    """addresses of brokers by name"""

    @property
    def pid_text(self) -> str:
        """The pid, or the word that stands for it."""
        return "PID" if self.pid is None else str(self.pid)

    @property
    def inner_pid(self) -> str:
        """Inside a container the JVM is mostly process 1; a pid of evidence was taken there if it is small."""
        return "1" if self.pid is None else str(self.pid)


def place_of(report: Report) -> Place:
    """The place of the process that the report shows."""
    pid = None if report.process is None else report.process.pid
    pod = pod_of(report.inputs)
    told = addresses(report.heap, report.logs, report.admin)
    return Place(
        pid=pid,
        pod=pod.name,
        namespace=pod.namespace,
        container=pod.container,
        name_server=told.name_server,
        brokers=told.brokers,
    )
