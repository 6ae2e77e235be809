"""The exact commands that collect what is missing, on a host, in a container and in Kubernetes."""

from __future__ import annotations

import shlex

from mqdiag.causes.places import Place
from mqdiag.facts.verdict import CollectCommand

SERIES = "for i in 1 2 3 4 5; do jstack -l {pid}; sleep 3; done"
LOG = "logs/rocketmqlogs/rocketmq_client.log"
BROKER_LOGS = "logs/rocketmqlogs"


def thread_dumps(place: Place) -> tuple[CollectCommand, ...]:
    """Five samples, three seconds apart."""
    inner = shlex.quote(SERIES.format(pid=place.inner_pid))
    return (
        CollectCommand(where="host", lines=(f"({SERIES.format(pid=place.pid_text)}) > stacks.txt",)),
        CollectCommand(
            where="container", lines=(f"docker exec {_container(place)} sh -c {inner} > stacks.txt",)
        ),
        CollectCommand(
            where="kubernetes", lines=(f"kubectl exec {_pod(place)} -- sh -c {inner} > stacks.txt",)
        ),
    )


def heap_dump(place: Place) -> tuple[CollectCommand, ...]:
    """A dump of all objects, copied to where mqdiag runs."""
    inner = f"jcmd {place.inner_pid} GC.heap_dump -all /tmp/heap.hprof"
    return (
        CollectCommand(where="host", lines=(f"jcmd {place.pid_text} GC.heap_dump -all /tmp/heap.hprof",)),
        CollectCommand(
            where="container",
            lines=(
                f"docker exec {_container(place)} {inner}",
                f"docker cp {_container(place)}:/tmp/heap.hprof .",
            ),
        ),
        CollectCommand(
            where="kubernetes",
            lines=(
                f"kubectl exec {_pod(place)} -- {inner}",
                f"kubectl cp {_copied(place)}:/tmp/heap.hprof heap.hprof",
            ),
        ),
    )


def client_log(place: Place) -> tuple[CollectCommand, ...]:
    """The client's own log, which stands in the home folder unless rocketmq.client.logRoot says otherwise."""
    return _files(place, LOG, "rocketmq_client.log", "-f")


def broker_logs(place: Place) -> tuple[CollectCommand, ...]:
    """broker.log, store.log, watermark.log and their rotated files."""
    return _files(place, BROKER_LOGS, "rocketmqlogs", "-r")


def _files(place: Place, path: str, name: str, flag: str) -> tuple[CollectCommand, ...]:
    return (
        CollectCommand(where="host", lines=(f'cp {flag} "$HOME/{path}" {name}',)),
        CollectCommand(where="container", lines=(f"docker cp {_container(place)}:HOME/{path} {name}",)),
        CollectCommand(where="kubernetes", lines=(f"kubectl cp {_copied(place)}:HOME/{path} {name}",)),
    )


def consumer_progress(place: Place, group: str) -> tuple[CollectCommand, ...]:
    """The backlog of a group, queue by queue, as the brokers have it."""
    servers = place.name_server or "NAMESRV:9876"
    line = f"mqadmin consumerProgress -n {servers} -g {shlex.quote(group)} > progress.txt"
    return (CollectCommand(where="host", lines=(line,)),)


def broker_status(place: Place, broker: str | None) -> tuple[CollectCommand, ...]:
    """A broker's own counters."""
    servers = place.name_server or "NAMESRV:9876"
    line = f"mqadmin brokerStatus -n {servers} -b BROKER_ADDRESS > status.txt"
    if broker is not None:
        line += f"  # of {shlex.quote(broker)}"
    return (CollectCommand(where="host", lines=(line,)),)


def cluster_list(place: Place) -> tuple[CollectCommand, ...]:
    """All brokers with their versions."""
    servers = place.name_server or "NAMESRV:9876"
    return (CollectCommand(where="host", lines=(f"mqadmin clusterList -n {servers} > clusters.txt",)),)


def store_folder(place: Place) -> tuple[CollectCommand, ...]:
    """A listing and the offsets, which is little; the folder itself tells more where it can be reached."""
    find = "find slave -type f -printf '%s %p\\n' > slave.txt"
    return (CollectCommand(where="host", lines=(find, "cp slave/config/consumerOffset.json slave.json")),)


def _container(place: Place) -> str:
    return "CONTAINER"


def _pod(place: Place) -> str:
    """Pod, namespace and container as kubectl takes them."""
    return f"-n {place.namespace or 'NAMESPACE'} {place.pod or 'POD'} -c {place.container or 'CONTAINER'}"


def _copied(place: Place) -> str:
    return f"-c {place.container or 'CONTAINER'} {place.namespace or 'NAMESPACE'}/{place.pod or 'POD'}"
