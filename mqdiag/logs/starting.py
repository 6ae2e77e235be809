"""Starts of brokers, name servers, proxies and clients that fail.

Source: DefaultMessageStore.start (the lock file, since 4.2.0), ConfigManager.load, the proxy's
AbstractSystemMessageSyncer.createSysTopic, DefaultMQProducerImpl.start and DefaultMQPushConsumerImpl.start, the JVM's
own words before main(), also in Chinese, MixAll.localhost (RemotingUtil.getLocalAddress), ReplicasManager.start,
DefaultMQPushConsumerImpl.checkConfig.
"""

from __future__ import annotations

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.log_tally import LogTally
from mqdiag.logs.message import Message
from mqdiag.logs.tally import Subject

_GROUP = lazy_pattern(r"The (?:producer|consumer) group\[([^\]\n]{1,300})\] has been created before")
_SETTING = lazy_pattern(r"MQClientException: (\w{1,60}) (?:Out of range \[|\(\d{1,9}\) is larger than )")
_REFUSAL = "MQBrokerException: CODE: "
"""what a broker throws when a controller answers and refuses"""
_SERVER = lazy_pattern(r"\b(?:Namesrv|Broker|Proxy|Controller)Startup\b")
_MAIN_CLASS = lazy_pattern(r"(?:main class|找不到或无法加载主类) (?:\S{0,300}rocketmq|Files\b|\S{0,300}[\\/;])")
_PORT = lazy_pattern(r"Failed to bind to address \S{1,100}:(\d{1,5})\b")


def store_locked(message: Message, log: LogTally) -> None:
    """Another process holds the lock file of the store."""
    log.add("start-store-locked", message, side="broker")


def store_not_loaded(message: Message, log: LogTally) -> None:
    """The store could not be opened, and the broker ends.

    Since 5.0 the broker then stores settings that it never loaded, and only the exception of that step is printed.
    """
    log.add("start-store-not-loaded", message, side="broker")


def port_in_use(message: Message, log: LogTally) -> None:
    """A server cannot listen, because something else does on that port."""
    if message.text.lstrip().startswith("at "):
        return
    tally = log.add("start-port-in-use", message, side="broker")
    port = _PORT.search(message.text)
    if tally is not None and port is not None:
        tally.keep_largest("port", int(port[1]))


def settings_unreadable(message: Message, log: LogTally) -> None:
    """A file of the folder config is damaged; the broker reads its backup, and ends if that is damaged too."""
    log.add("start-config-unreadable", message, side="broker")


def jvm_refused(message: Message, log: LogTally) -> None:
    """The JVM does not know an option, or its options contradict each other."""
    log.add("start-jvm-refused", message, side="broker")


def heap_refused(message: Message, log: LogTally) -> None:
    """The JVM gets no memory for its heap."""
    log.add("start-heap-refused", message, side="broker")


def class_missing(message: Message, log: LogTally) -> None:
    """The JVM does not find a main class of RocketMQ, or takes the rest of a path with a blank for one."""
    if _MAIN_CLASS.search(message.text) is not None:
        log.add("start-class-missing", message, side="broker")


def definition_missing(message: Message, log: LogTally) -> None:
    """A class is missing: it ends a start where it is a server's own, or where the server's main() needs it."""
    if _SERVER.search(message.text) is not None or _SERVER.search(message.frames()) is not None:
        log.add("start-class-missing", message, side="broker")


def host_unknown(message: Message, log: LogTally) -> None:
    """The machine cannot resolve its own host name, of which RocketMQ makes the address that it tells others."""
    of_server = _SERVER.search(message.text) or _SERVER.search("\n".join(message.stack()))
    log.add("start-host-unknown", message, side="broker" if of_server else "client")


def cluster_unknown(message: Message, log: LogTally) -> None:
    """A proxy finds no broker on which it can make its own topic."""
    log.add("start-cluster-unknown", message, side="broker")


def group_exists(message: Message, log: LogTally) -> None:
    """A producer or consumer is started for a group that the same client instance has already."""
    found = _GROUP.search(message.text)
    log.add(
        "start-group-exists", message, Subject(group=found[1] if found is not None else None), side="client"
    )


def client_settings_refused(message: Message, log: LogTally) -> None:
    """A consumer does not start, because a number that was set for it is not allowed."""
    if _SETTING.search(message.text) is not None:
        log.add("start-settings-refused", message, side="client")


def controller_unreachable(message: Message, log: LogTally) -> None:
    """A broker in controller mode gets no answer from a controller."""
    if not any(_REFUSAL in line for line in message.stack()):
        log.add("start-controller-unreachable", message, side="broker")


def controller_reached(message: Message, log: LogTally) -> None:
    """A controller has registered the broker, which tried again and again."""
    log.add("start-controller-reached", message, side="broker")
