"""The exact commands that collect what is missing, on a host, in a container and in Kubernetes."""

from __future__ import annotations

import shlex

from mqdiag.causes.places import Place
from mqdiag.facts.verdict import CollectCommand
from mqdiag.facts.vocabulary import CommandPlace
from mqdiag.text import Text

SERIES = "for i in 1 2 3 4 5; do jstack -l {pid}; sleep 3; done"
LOG = "logs/rocketmqlogs/rocketmq_client.log"
SERVER_LOGS = "logs/rocketmqlogs"


def thread_dumps(place: Place) -> tuple[CollectCommand, ...]:
    """Five samples, three seconds apart."""
    inner = shlex.quote(SERIES.format(pid=place.inner_pid))
    return (
        _collect(where="host", lines=(f"({SERIES.format(pid=place.pid_text)}) > stacks.txt",)),
        _collect(where="container", lines=(f"docker exec {_container(place)} sh -c {inner} > stacks.txt",)),
        _collect(where="kubernetes", lines=(f"kubectl exec {_pod(place)} -- sh -c {inner} > stacks.txt",)),
    )


def heap_dump(place: Place) -> tuple[CollectCommand, ...]:
    """A dump of all objects, copied to where mqdiag runs."""
    inner = f"jcmd {place.inner_pid} GC.heap_dump -all /tmp/heap.hprof"
    return (
        _collect(where="host", lines=(f"jcmd {place.pid_text} GC.heap_dump -all /tmp/heap.hprof",)),
        _collect(
            where="container",
            lines=(
                f"docker exec {_container(place)} {inner}",
                f"docker cp {_container(place)}:/tmp/heap.hprof .",
            ),
        ),
        _collect(
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


def server_logs(place: Place) -> tuple[CollectCommand, ...]:
    """The folder of the logs of all servers on a host: broker.log, store.log, namesrv.log, rotated files."""
    return _files(place, SERVER_LOGS, "rocketmqlogs", "-r")


def _files(place: Place, path: str, name: str, flag: str) -> tuple[CollectCommand, ...]:
    return (
        # all of it our own words: as a value its quoted path would be redacted as a thread's name is
        CollectCommand(where="host", lines=(Text(f'cp {flag} "$HOME/{path}" {name}'),)),
        _collect(where="container", lines=(f"docker cp {_container(place)}:HOME/{path} {name}",)),
        _collect(where="kubernetes", lines=(f"kubectl cp {_copied(place)}:HOME/{path} {name}",)),
    )


def consumer_progress(place: Place, group: str) -> tuple[CollectCommand, ...]:
    """The backlog of a group, queue by queue, as the brokers have it."""
    return (_of_mqadmin(place, f"consumerProgress -g {shlex.quote(group)} > progress.txt"),)


def broker_status(place: Place, broker: str | None) -> tuple[CollectCommand, ...]:
    """A broker's own counters."""
    address = place.brokers.get(broker or "")
    which = "" if broker is None or address is not None else f"  # of {shlex.quote(broker)}"
    line = Text(
        "mqadmin brokerStatus -n {name_server:arg NAMESRV:9876} -b {broker_address:arg BROKER_ADDRESS}"
        " > status.txt{which}",
        {"name_server": place.name_server, "broker_address": address, "which": which},
    )
    return (CollectCommand(where="host", lines=(line,)),)


def cluster_list(place: Place) -> tuple[CollectCommand, ...]:
    """All brokers with their versions."""
    return (_of_mqadmin(place, "clusterList > clusters.txt"),)


def store_folder(place: Place) -> tuple[CollectCommand, ...]:
    """A listing and the offsets, which is little; the folder itself tells more where it can be reached."""
    find = "find slave -type f -printf '%s %p\\n' > slave.txt"
    return (_collect(where="host", lines=(find, "cp slave/config/consumerOffset.json slave.json")),)


def _collect(*, where: CommandPlace, lines: tuple[str, ...]) -> CollectCommand:
    return CollectCommand(where=where, lines=tuple(Text("{line}", {"line": line}) for line in lines))


def _of_mqadmin(place: Place, arguments: str) -> CollectCommand:
    """A command of mqadmin; the name server is a value of its own, since a redacted report hides it."""
    line = Text(
        "mqadmin {command} -n {name_server:arg NAMESRV:9876} {rest}",
        {
            "command": arguments.partition(" ")[0],
            "name_server": place.name_server,
            "rest": arguments.partition(" ")[2],
        },
    )
    return CollectCommand(where="host", lines=(line,))


def _container(place: Place) -> str:
    return "CONTAINER"


def _pod(place: Place) -> str:
    """Pod, namespace and container as kubectl takes them."""
    return f"-n {place.namespace or 'NAMESPACE'} {place.pod or 'POD'} -c {place.container or 'CONTAINER'}"


def _copied(place: Place) -> str:
    return f"-c {place.container or 'CONTAINER'} {place.namespace or 'NAMESPACE'}/{place.pod or 'POD'}"
