"""Names and numbers that commands need, gathered from all evidence of a run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType

import msgspec

from mqdiag.facts import Facts
from mqdiag.facts.addresses import addresses, port_of
from mqdiag.facts.heap import HeapFacts
from mqdiag.facts.inputs import Input
from mqdiag.facts.logs import LogsFacts, VersionRange
from mqdiag.facts.stacks import StacksFacts
from mqdiag.lazy_pattern import lazy_pattern

NAMES = (
    "pid",
    "pid_host",
    "captured_pid",
    "consumer_pid",
    "consumer_host",
    "main_class",
    "name_server",
    "cluster",
    "store_folder",
    "broker_address",
    "broker_port",
    "slave_address",
    "slave_port",
    "at_once_version",
    "group_processes",
    "captured_host",
    "names_ttl",
    "dump",
    "pod",
    "namespace",
    "container",
    "redelivered",
    "consumer_groups",
    "since",
    "until",
    "log",
)
"""what sentences may name without being given it"""
OF_RUN = frozenset(("group", "topic", "broker"))
"""names that a finding has mostly by itself; a command has that of the run where the finding has none"""
NO_NAMES: Mapping[str, str | None] = MappingProxyType({})
STORE = "store"
"""how the folder of a store is named by default"""
NAMES_TTL, MINUTE = "sun.net.inetaddr.ttl", 60
"""system property, in seconds"""
MOST_PROCESSES = 5
"""processes that a sentence names"""
SIZE_AT_ONCE = (4, 9, 5)
"""first version whose broker takes another maxMessageSize without a restart, unless it is of DLedger"""
MOST_GROUPS = 3
"""groups that a sentence names"""
# The kubelet's own names: /var/log/containers/POD_NAMESPACE_CONTAINER-ID.log and
# /var/log/pods/NAMESPACE_POD_UID/CONTAINER/N.log; names are DNS labels.
_LABEL = r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?"
_CONTAINERS = lazy_pattern(rf"(?:^|[/!])({_LABEL})_({_LABEL})_({_LABEL})-[0-9a-f]{{64}}\.log")
_PODS = lazy_pattern(rf"(?:^|[/!])({_LABEL})_({_LABEL})_[0-9a-f-]{{36}}/({_LABEL})/\d+\.log")
_FRACTION = lazy_pattern(r"\.\d+")
_OF_CLIENTS = ("client", "application", "gc")
"""kinds of logs that a client's process writes"""
_OF_ONE_PROCESS = frozenset(("heap", "stacks", "processes"))
"""kinds of evidence that are of the run's process; "processes" where all dumps are of one"""
ADDRESS = lazy_pattern(r"[\w.\-:\[\]]{1,100}:\d{1,5}")
_PID = lazy_pattern(r"@(\d{1,9})(?:#|$)")
Known = str | int | tuple[str, ...] | None


class Pod(msgspec.Struct, frozen=True):
    """Where a process runs in Kubernetes; None where paths do not tell it."""

    namespace: str | None = None
    name: str | None = None
    container: str | None = None


def pod_of(inputs: Iterable[Input]) -> Pod:
    """The pod of the first log that lies where the kubelet puts it."""
    for given in inputs:
        if "_" not in given.path or ".log" not in given.path:
            continue
        if found := _CONTAINERS.search(given.path):
            name, namespace, container = found.groups()
            return Pod(namespace, name, container)
        if found := _PODS.search(given.path):
            return Pod(*found.groups())
    return Pod()


def pid_in(client_id: str) -> int | None:
    """The process in an id of a client: one that nobody set is "address@pid", with "#nanoseconds" since 4.9.0."""
    found = _PID.search(client_id)
    return None if found is None else int(found[1])


def pid_of_clients(heap: HeapFacts | None) -> int | None:
    """The process by the ids of its clients; None where they name none, or several."""
    ids = (instance.client_id for instance in (heap.instances if heap is not None else ()))
    found = {pid for client_id in ids if client_id is not None and (pid := pid_in(client_id)) is not None}
    return found.pop() if len(found) == 1 else None


def _pid_of_logs(logs: LogsFacts | None) -> str | None:
    """The process that wrote all logs, as far as these tell; None where a server's are among them."""
    files = () if logs is None else logs.files
    found = {file.pid for file in files if file.pid is not None}
    of_client = all(file.kind in _OF_CLIENTS for file in files)
    return str(found.pop()) if len(found) == 1 and of_client else None


class KnownOfRun:
    """What all evidence of a run tells, for one finding after the other."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._addresses = addresses(facts.heap, facts.logs, facts.admin)
        dumped = {one.pid for one in facts.processes or ()}
        pid = facts.pid if facts.pid is not None else pid_of_clients(facts.heap)
        if pid is None and len(dumped) == 1:
            pid = dumped.pop()
        pod = pod_of(facts.inputs)
        dumps = [given.path for given in facts.inputs if given.kind == "heap" and given.was_read]
        self._pid = None if pid is None else str(pid)
        self._pid_of_logs = _pid_of_logs(facts.logs)
        self._always: dict[str, Known] = {
            "name_server": self._addresses.name_server,
            "cluster": self._addresses.cluster,
            "captured_pid": (captured := _captured_pid(facts)),
            "captured_host": self._host_of(captured),
            "consumer_pid": (consumer := _consumer_pid(facts, self._pid)),
            "consumer_host": self._host_of(consumer),
            "main_class": _only(one.main_class for one in facts.processes or ()),
            "store_folder": _store_folder(facts, self._addresses.store),
            "dump": dumps[0] if len(dumps) == 1 else None,
            "pod": pod.name,
            "namespace": pod.namespace,
            "container": pod.container,
            **_times(facts.logs),
        }
        self._groups = tuple(sorted({name for name in _groups(facts) if name})) or _logged_groups(facts.logs)
        self._group, self._topic = _only(self._groups), _only(_topics(facts))
        self._broker = _only(_brokers(facts))

    def of(
        self, group: str | None, topic: str | None, broker: str | None, *, seen_in: Collection[str]
    ) -> dict[str, Known]:
        """Values by name; None where the evidence does not tell one.

        Args:
            group: that the finding names.
            topic: that it names.
            broker: that it names.
            seen_in: kinds of evidence in which it was found: logs may be of another process than dumps.
        """
        return {
            **self._always,
            "pid": (pid := self._pid_in(seen_in)),
            "pid_host": self._host_of(pid),
            "names_ttl": self._names_ttl(pid),
            "broker": (broker := broker or self._broker),
            "broker_address": (address := self._address_of(broker)),
            "broker_port": None if address is None else port_of(address),
            "slave_address": (slave := self._addresses.slaves.get(broker or "")),
            "slave_port": None if slave is None else port_of(slave),
            "at_once_version": self._at_once_version(broker),
            "group_processes": self._processes_of(group or self._group),
            "group": group or self._group,
            "topic": topic or (self._topic if group in (None, self._group) else None),
            "redelivered": self._redelivered(group),
            "consumer_groups": (group,) if group else self._groups[:MOST_GROUPS] or None,
        }

    def _pid_in(self, seen_in: Collection[str]) -> str | None:
        """The process that these kinds of evidence are of; None where they may be of several."""
        recorded = () if self._facts.recordings is None else self._facts.recordings.recordings
        if recorded and all(str(one.pid) == self._pid for one in recorded):
            seen_in = {*seen_in} - {"recordings"}
        if _OF_ONE_PROCESS.issuperset(seen_in):
            return self._pid
        if self._pid is None and {*seen_in} == {"logs"}:
            return self._pid_of_logs
        same = self._pid == self._pid_of_logs and _OF_ONE_PROCESS.union({"logs"}).issuperset(seen_in)
        return self._pid if same else None

    def _address_of(self, broker: str | None) -> str | None:
        if broker is not None and ADDRESS.fullmatch(broker):
            return broker
        return self._addresses.brokers.get(broker or "")

    def _at_once_version(self, broker: str | None) -> str | None:
        """The oldest version that a broker may have, where that takes another maxMessageSize without a restart."""
        facts = self._facts
        settings = [] if facts.admin is None else [one.settings for one in facts.admin.broker_configs]
        settings += (
            [] if facts.logs is None else [facts.logs.settings, *(one.settings for one in facts.logs.brokers)]
        )
        if any("true" in one.get("enableDLegerCommitLog", "") for one in settings):
            return None
        told = [
            one.version
            for one in (() if facts.admin is None else facts.admin.brokers)
            if one.broker in (None, broker)
        ]
        logged = () if facts.logs is None else ((broker, facts.logs.broker_version), *_versions(facts.logs))
        told += [version.since for name, version in logged if name == broker and version is not None]
        if not told:
            return None
        # Here, not above: most runs tell no version.
        from mqdiag.facts.offsets_ahead import version_number

        numbers = [number for one in told if (number := version_number(one)) is not None]
        oldest = min(numbers, default=SIZE_AT_ONCE[:0])
        return ".".join(map(str, oldest)) if oldest >= SIZE_AT_ONCE else None

    def _processes_of(self, group: str | None) -> tuple[str, ...] | None:
        """Names of all processes that consume for a group, with their programs where these differ."""
        found = [
            one
            for one in self._facts.processes or ()
            if one.pid is not None and group in _groups_of(one.heap, one.stacks)
        ]
        if not 1 < len(found) <= MOST_PROCESSES:
            return None
        programs = {one.main_class for one in found}
        return tuple(
            one.name if len(programs) == 1 or one.main_class is None else f"{one.name} ({one.main_class})"
            for one in found
        )

    def _host_of(self, pid: str | None) -> str | None:
        """Where a process runs; None where nothing tells it, or where pids of several hosts are the same."""
        if pid is None:
            return None
        own = {self._facts.host} if self._facts.host and pid == self._pid else set()
        return _only(own | {one.host for one in self._facts.processes or () if str(one.pid) == pid})

    def _names_ttl(self, pid: str | None) -> str | None:
        """For how many seconds a process keeps addresses of names, where its command line says less than a minute."""
        own = (
            one.settings.get(NAMES_TTL) for one in self._facts.processes or () if pid and str(one.pid) == pid
        )
        told = _only(own)
        return told if told is not None and told.isdecimal() and int(told) < MINUTE else None

    def _redelivered(self, group: str | None) -> int | None:
        """Finished messages that a restart now would deliver again; None where there are none, or nobody knows."""
        heap = self._facts.heap
        if heap is None:
            return None
        broadcasting = {one.group for one in heap.consumers if one.message_model == "BROADCASTING"}
        return (
            sum(
                queue.finished_beyond_head or 0
                for queue in heap.queues
                if queue.dropped is not True
                and queue.group not in broadcasting
                and (group is None or queue.group == group)
            )
            or None
        )


def _consumer_pid(facts: Facts, pid: str | None) -> str | None:
    """The only process of the evidence that consumes."""
    others = {
        str(one.pid)
        for one in facts.processes or ()
        if one.pid is not None and any(_groups_of(one.heap, one.stacks))
    }
    own = {pid} if pid is not None and any(_groups_of(facts.heap, facts.stacks)) else set()
    return _only(others | own)


def _captured_pid(facts: Facts) -> str | None:
    """The only process of the evidence whose thread dumps a capture took: it has the command line too."""
    return _only(
        str(one.pid)
        for one in facts.processes or ()
        if one.pid is not None and one.main_class is not None and one.stacks is not None
    )


def _store_folder(facts: Facts, printed: str | None) -> str | None:
    """The folder of the store; one that no broker prints, or without its place, by the file system of that name."""
    if printed is not None and printed.startswith("/"):
        return printed
    figures = () if facts.services is None else facts.services.figures
    end = f"/{printed or STORE}"
    return _only(one.place for one in figures if (one.place or "").endswith(end)) or printed


def _times(logs: LogsFacts | None) -> dict[str, Known]:
    """The first and the last time of all logs, as commands take them, and the path of the first log."""
    files = () if logs is None else logs.files
    firsts = [file.first for file in files if file.first is not None]
    lasts = [file.last for file in files if file.last is not None]
    return {
        "since": _to_seconds(min(firsts)) if firsts else None,
        "until": _to_seconds(max(lasts)) if lasts else None,
        "log": files[0].path if files else None,
    }


def _to_seconds(time: str) -> str:
    """A time of RFC 3339 with a blank before the clock and without a part of a second."""
    return _FRACTION.sub("", time.replace("T", " "))


def _groups_of(heap: HeapFacts | None, stacks: StacksFacts | None) -> Iterator[str | None]:
    yield from () if heap is None else (one.group for one in heap.consumers)
    yield from () if stacks is None else (one.group for one in stacks.threads)


def _groups(facts: Facts) -> Iterator[str | None]:
    for heap in (one.heap for one in facts.processes or ()):
        yield from _groups_of(heap, None)
    yield from _groups_of(facts.heap, facts.stacks)
    if facts.admin is not None:
        yield from (one.group for one in facts.admin.groups)


def _logged_groups(logs: LogsFacts | None) -> tuple[str, ...]:
    """The groups that the events of logs are about."""
    return () if logs is None else tuple(sorted({row.group for event in logs.events for row in event.groups}))


def _topics(facts: Facts) -> Iterator[str | None]:
    """Topics that a consumer reads, without those that RocketMQ makes for retries."""
    names = [] if facts.heap is None else [queue.topic for queue in facts.heap.queues]
    if facts.admin is not None:
        names += [queue.topic for group in facts.admin.groups for queue in group.queues]
    yield from (name for name in names if name is not None and not name.startswith("%"))


def _versions(logs: LogsFacts) -> Iterator[tuple[str | None, VersionRange | None]]:
    yield from ((one.name, one.version) for one in logs.brokers)


def _brokers(facts: Facts) -> Iterator[str | None]:
    if facts.heap is not None and facts.heap.broker is not None:
        yield facts.heap.broker.name
    if facts.logs is not None:
        yield from (one.name for one in facts.logs.brokers)
        yield from facts.logs.masters
    if facts.admin is not None:
        yield from (one.broker for one in facts.admin.brokers)


def _only(names: Iterable[str | None]) -> str | None:
    found = {name for name in names if name}
    return found.pop() if len(found) == 1 else None
