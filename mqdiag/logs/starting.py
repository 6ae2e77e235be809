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

_REFUSAL = "MQBrokerException: CODE: "
"""what a broker throws when a controller answers and refuses"""
_SERVER = lazy_pattern(r"\b(?:Namesrv|Broker|Proxy|Controller)Startup\b")

_OF_ROCKETMQ = lazy_pattern(r"NoClassDefFoundError: org/apache/rocketmq/")


def definition_missing(message: Message, log: LogTally) -> None:
    """A class is missing: it ends a start where it is a server's own, or where the server's main() needs it."""
    own = _SERVER.search(message.text) is not None or _SERVER.search(message.frames()) is not None
    # a starter of Spring that was built for another version of the client
    if own or (
        _OF_ROCKETMQ.search(message.text) is not None and "rocketmq.spring." in message.both + message.frames()
    ):
        log.add("start-class-missing", message, side="broker")


def not_permitted(message: Message, log: LogTally) -> None:
    """A file may not be read: it ends a start where the main class of a server reads it."""
    if _SERVER.search(message.frames()) is not None or _SERVER.search("\n".join(message.stack())) is not None:
        log.add("start-not-permitted", message, side="broker")


def host_unknown(message: Message, log: LogTally) -> None:
    """The machine cannot resolve its own host name, of which RocketMQ makes the address that it tells others."""
    of_server = _SERVER.search(message.text) or _SERVER.search("\n".join(message.stack()))
    log.add("start-host-unknown", message, side="broker" if of_server else "client")


def controller_unreachable(message: Message, log: LogTally) -> None:
    """A broker in controller mode gets no answer from a controller."""
    if not any(_REFUSAL in line for line in message.stack()):
        log.add("start-controller-unreachable", message, side="broker")
