"""A broker, a name server, a proxy or a client does not start."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import LITERALS, Draft, Limits, Rule, Said
from mqdiag.rules.shared.brokers import brokers_of_logs, subject_of_logs
from mqdiag.rules.shared.log_events import counted, counted_lines, events, files_of, lines_of
from mqdiag.text import NOTHING, Text, say
from mqdiag.time_ranges import ranges_of

CONTROLLER_UNREACHABLE, CONTROLLER_REACHED = "start-controller-unreachable", "start-controller-reached"
_CAUSES = {
    "start-store-locked": "store-locked",
    "start-store-not-loaded": "store-not-loaded",
    "start-port-in-use": "port-in-use",
    "start-config-unreadable": "config-file-broken",
    "start-jvm-refused": "jvm-option",
    "start-heap-refused": "heap-too-large",
    "start-class-missing": "class-missing",
    "start-cluster-unknown": "cluster-not-found",
    "start-group-exists": "group-exists",
    "start-settings-refused": "client-settings",
    CONTROLLER_UNREACHABLE: "controller-unreachable",
}
"""by the event of the log"""
_UNSURE = {
    "config-file-broken": say("the broker starts when the backup of the file, which it reads next, is whole"),
    "controller-unreachable": say("the lines do not tell whether the controllers run and have a leader"),
}
"""by the cause"""

RULE = Rule(
    name="start-failed",
    title="A broker, a name server, a proxy or a client does not start",
    why=(
        "A start ends for reasons that have nothing to do with messages: another process holds the store or the port, a"
        " file of the broker's own settings is damaged, the JVM refuses its options or does not find a class, a proxy"
        " finds no broker, a broker no controller, or a process starts a second producer or consumer of a group, or one"
        " with a number that is not allowed. The last words of the start name the reason. Often they are in nohup.out"
        " or on the console only."
    ),
    causes=tuple(dict.fromkeys(_CAUSES.values())),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Read the last lines of broker.log, of store.log and of what the start printed (nohup.out).",
        "Give each broker of a machine its own storePathRootDir, and ports (listenPort) that lie at least five apart.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/1498",
        "https://github.com/apache/rocketmq/issues/6420",
        "https://github.com/apache/rocketmq/issues/5941",
        "https://github.com/apache/rocketmq/issues/6295",
        "https://github.com/apache/rocketmq/issues/6622",
        "https://github.com/apache/rocketmq/issues/10108",
        "https://github.com/apache/rocketmq/issues/1555",
        "https://github.com/alibaba/rocketmq/issues/40",
        "DefaultMessageStore.start, ConfigManager.load, AbstractSystemMessageSyncer.createSysTopic, ReplicasManager",
    ),
    lies_at="any",
    in_chain=say("the start fails"),
    proven_on=LITERALS,
)


def _facts(kind: str) -> Facts:
    event = LogEvent(
        kind=kind,
        side="broker",
        count=1,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:00:01+08:00",
    )
    return Facts(logs=LogsFacts(events=(event,)))


def fires() -> Facts:
    """Another process holds the store."""
    return _facts("start-store-locked")


def silent() -> Facts:
    """Something else."""
    return _facts("pool-low")


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker and cause; one line is enough."""
    for logs in brokers_of_logs(facts):
        for kind, cause in _CAUSES.items():
            found = events(logs, kind)
            if found and not (kind == CONTROLLER_UNREACHABLE and _was_reached(logs, found)):
                yield _draft(logs, found, cause)


def _was_reached(logs: LogsFacts, unreachable: list[LogEvent]) -> bool:
    """Whether a controller registered the broker after all, as one does that starts later than the broker."""
    reached = [event.last for event in events(logs, CONTROLLER_REACHED) if event.last is not None]
    tried = [event.last for event in unreachable if event.last is not None]
    return bool(reached and tried) and max(reached) >= max(tried)


def _draft(logs: LogsFacts, found: list[LogEvent], cause: str) -> Draft:
    unsure = _UNSURE.get(cause)
    port = max((event.values["port"] for event in found if "port" in event.values), default=None)
    return Draft(
        severity=Severity.WARNING if cause == "config-file-broken" else Severity.ERROR,
        cause=cause,
        confidence=Confidence.HIGH if unsure is None else Confidence.MEDIUM,
        confidence_reason=unsure or NOTHING,
        title=_title(cause),
        subject=subject_of_logs(logs, found),
        evidence={"lines": lines_of(found), "port": port, **counted(found)},
        explanation=(
            *map(counted_lines, found),
            *((say("The port is {port}."),) if port is not None else ()),
            _EXPLANATIONS[cause],
        ),
        remedy=_REMEDIES[cause],
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.7,
    )


def _title(cause: str) -> Text:
    return {
        "store-not-loaded": say("The broker does not start: it cannot open its store"),
        "store-locked": say("The broker does not start: another process holds its store"),
        "port-in-use": say("A server does not start: its port is in use"),
        "config-file-broken": say("The broker cannot read a file of its own settings"),
        "jvm-option": say("The JVM does not start: it does not know one of its options"),
        "heap-too-large": say("The JVM does not start: the machine has no memory for its heap"),
        "class-missing": say("A program does not start: the JVM does not find a class of it"),
        "cluster-not-found": say("The proxy does not start: it finds no broker of its cluster"),
        "client-settings": say("A consumer does not start: a number that is set for it is not allowed"),
        "controller-unreachable": say("The broker does not start: no controller registers it"),
        "group-exists": say("A producer or consumer does not start: this process has one of its group already"),
    }[cause]


_EXPLANATIONS: dict[str, Text] = {
    "store-locked": say(
        "The broker locks the file `lock` in storePathRootDir. The lock is held by a broker that still runs, or by a"
        " second broker of this machine with the same storePathRootDir."
    ),
    "store-not-loaded": say(
        "The folder of the store does not belong to the broker's user, as with a mounted volume of a container, or its"
        " files are damaged. A NullPointerException in ScheduleMessageService.configFilePath only follows from that:"
        " store.log has the reason."
    ),
    "port-in-use": say(
        "A broker listens on listenPort, on listenPort - 2 and on listenPort + 1 (haListenPort). A proxy listens on"
        " 8080 and 8081."
    ),
    "config-file-broken": say(
        "The broker writes the files of the folder config every few seconds. A loss of power or a full disk leaves them"
        " empty or cut."
    ),
    "jvm-option": say(
        "The start script has options for another Java version: JDK 14 and later have no CMS collector."
    ),
    "heap-too-large": say(
        "The scripts ask for a heap of 8 GiB for a broker and 4 GiB for a name server by default."
    ),
    "class-missing": say(
        "The class path lacks the class: the sources were not built, ROCKETMQ_HOME is another folder, or a path with a"
        " blank in it was cut there, and its rest was taken for the class."
    ),
    "cluster-not-found": say(
        "A proxy in cluster mode makes the topic DefaultHeartBeatSyncerTopic on a broker of rocketMQClusterName before"
        " it serves."
    ),
    "client-settings": say(
        "The client checks its settings when it starts. Most of them have a range, and consumeThreadMin must not be"
        " larger than consumeThreadMax."
    ),
    "controller-unreachable": say(
        "In controller mode a broker asks the leader of the controllers for its id and its role. The leader tells its"
        " own address, as controllerDLegerPeers or jRaftInitConf has it: 127.0.0.1 there sends every broker to its own"
        " host."
    ),
    "group-exists": say(
        "The name servers and the brokers have nothing to do with it: within one client instance a group may have one"
        " producer and one consumer."
    ),
}
_REMEDIES: dict[str, tuple[Text, ...]] = {
    "store-locked": (
        say("Look for another broker process (jps -l) and stop it with mqshutdown before you start this one."),
        say("Give each broker of the machine a storePathRootDir of its own."),
    ),
    "store-not-loaded": (
        say("Give the broker's user the folders of store and logs: the images of RocketMQ run as user 3000."),
        say("Read the last errors of store.log. Save the store before you remove a damaged file of it."),
    ),
    "port-in-use": (
        say("Find the process that listens on the port (ss -ltnp), and stop it or change the port."),
        say(
            "Keep the listenPort of two brokers on one machine at least five apart. A proxy's ports are grpcServerPort"
            " and remotingListenPort of rmq-proxy.json."
        ),
    ),
    "config-file-broken": (
        say(
            "Compare the file with its copy FILE.bak beside it, repair or remove the damaged one, and start again."
        ),
        say(
            "After delayOffset.json or consumerOffset.json was lost, messages are delivered again: tell the consumers."
        ),
    ),
    "jvm-option": (
        say("Use JDK 8 with these scripts, or a release with scripts for the Java version."),
        say("Check that JAVA_HOME and the java of PATH are of one version."),
    ),
    "heap-too-large": (
        say("Lower -Xms, -Xmx and -Xmn in runbroker.sh or runserver.sh, or give the machine more memory."),
    ),
    "class-missing": (
        say(
            "Start from a binary release, or from the folder under distribution/target that mvn -Prelease-all"
            " -DskipTests clean install makes."
        ),
        say("Set ROCKETMQ_HOME to the folder with bin, conf and lib, and use no paths with blanks."),
    ),
    "cluster-not-found": (
        say(
            "Start name servers and brokers first, and check with mqadmin clusterList that brokers are registered."
        ),
        say("Set rocketMQClusterName of rmq-proxy.json to the brokerClusterName of the brokers."),
    ),
    "client-settings": (
        say("If the exception says `Out of range`, choose a number within the range that it names."),
        say(
            "If it says `is larger than consumeThreadMax`, set consumeThreadMin and consumeThreadMax together, or"
            " neither of them."
        ),
    ),
    "controller-unreachable": (
        say(
            "Look in broker.log for `Update controller leader address to`: the broker must reach that address. If there"
            " is no such line, check that the controllers run and have a leader: mqadmin getControllerMetaData"
            " -a HOST:PORT."
        ),
        say(
            "Give addresses that all brokers reach in controllerDLegerPeers (jRaftInitConf) of each controller, and in"
            " controllerAddr of the brokers."
        ),
    ),
    "group-exists": (
        say(
            "Start one producer of a group for the whole process and use it for all messages; shut it down at the end."
        ),
        say("Where two are needed, for two clusters for example, give each its own setInstanceName."),
    ),
}
