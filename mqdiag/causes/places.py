"""Where a process runs, as far as the evidence tells: its pid, pod, namespace and container."""

from __future__ import annotations

import re

import msgspec

from mqdiag.facts.addresses import addresses
from mqdiag.findings import Report

# The kubelet's own names: /var/log/containers/POD_NAMESPACE_CONTAINER-ID.log and
# /var/log/pods/NAMESPACE_POD_UID/CONTAINER/N.log; names are DNS labels.
_LABEL = r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?"
_CONTAINERS = re.compile(rf"(?:^|[/!])({_LABEL})_({_LABEL})_({_LABEL})-[0-9a-f]{{64}}\.log")
_PODS = re.compile(rf"(?:^|[/!])({_LABEL})_({_LABEL})_[0-9a-f-]{{36}}/({_LABEL})/\d+\.log")


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
    pod = namespace = container = None
    pid = None if report.process is None else report.process.pid
    for given in report.inputs:
        found = _CONTAINERS.search(given.path)
        if found:
            pod, namespace, container = found.groups()
            break
        found = _PODS.search(given.path)
        if found:
            namespace, pod, container = found.groups()
            break
    told = addresses(report.heap, report.logs, report.admin)
    return Place(
        pid=pid,
        pod=pod,
        namespace=namespace,
        container=container,
        name_server=told.name_server,
        brokers=told.brokers,
    )
