"""Starts of brokers, name servers, proxies and clients that fail.

Source: DefaultMessageStore.start (the lock file, since 4.2.0), ConfigManager.load, the proxy's
AbstractSystemMessageSyncer.createSysTopic, DefaultMQProducerImpl.start and DefaultMQPushConsumerImpl.start, the JVM's
own words before main(), also in Chinese, MixAll.localhost (RemotingUtil.getLocalAddress), ReplicasManager.start,
DefaultMQPushConsumerImpl.checkConfig.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import dropwhile
from typing import NamedTuple

from mqdiag.facts.vocabulary import LogSide
from mqdiag.knowledge.last_exceptions import kind_of_last
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.failed_starts import main_ended
from mqdiag.logs.log_tally import LogTally
from mqdiag.logs.message import Message, lines_above, thread_of
from mqdiag.logs.statements import searched
from mqdiag.logs.whole_stack import WholeStack, whole_stack
from mqdiag.read.logs.heads import Head, level_of
from mqdiag.read.logs.levels import HEAD_BYTES, level_in

_REFUSAL = "MQBrokerException: CODE: "
"""what a broker throws when a controller answers and refuses"""
_SERVER = lazy_pattern(r"\b(?:Namesrv|Broker|BrokerContainer|Proxy|Controller)Startup\b")
_CLIENT = lazy_pattern(
    r"\bDefault(?:MQProducer|MQPushConsumer|MQPullConsumer|LitePullConsumer|MQAdminExt)Impl\.start\("
    r"|\b(?:Producer|PushConsumer|SimpleConsumer)BuilderImpl\.build\("
)
_OF_SPRING = lazy_pattern(
    r"Application (?:run|startup) failed|Context initialization failed"
    r"|cancelling refresh attempt|Failed to start bean |Error creating bean with name "
    r"|BeanInstantiationException: Failed to instantiate "
)
_NEWER_OPTION = lazy_pattern(r"Unrecognized option: (?:--|-Xlog)")
"""options that JDK 8 does not have"""
_CLOSED_MODULE = lazy_pattern(
    r"module (\S{1,100}) does not (?:\"(?:opens|exports) ([\w.]{1,200})\"|export (\S{1,200}))"
)
_RUN = lazy_pattern(
    r"\bSpringApplication\.(?:callRunner|refreshContext)\(|BeanFactory\.invokeInitMethods\("
    r"|ListenerContainer\.afterPropertiesSet\("
    # the starts of servers of other projects
    r"|\bkafka\.server\.Kafka(?:Raft)?Server\.startup\(|\b(?:ZooKeeperServerMain|QuorumPeerMain)\.initializeAndRun\("
    r"|\bCassandraDaemon\.activate\(|\bbootstrap\.(?:Elasticsearch|OpenSearch)\.main\("
)
_TOOL = lazy_pattern(r"\bMQAdminStartup\.")
_FILE_OF_SERVER = lazy_pattern(r"[/\\](?:rocketmq|store|mqstore|mq_store)\b|rocketmqlogs")
_MAIN = '"main"'
_HEADING, _DESCRIPTION, _ACTION = "APPLICATION FAILED TO START", "Description:", "Action:"
_BYTES_OF_HEADING = 200
"""bytes above the description in which the heading stands"""
_MOST_LINES_OF_ANALYSIS = 12
_PORT_IN_USE = lazy_pattern(r"\b[Pp]ort (\d{1,5}) (?:(?:was|is) already in use|failed to start)")
_CANCELLED = "cancelling refresh attempt"
"""Spring warns so of each start that fails"""


def ended_by_exception(message: Message, log: LogTally) -> None:
    """A server, a client or an application of Spring does not start: its deepest cause tells why."""
    stack = whole_stack(message)
    last = stack.deepest
    if last is None or stack.position == log.ended_at:
        log.said_nothing += message.stands_for
        return
    if not _ends_start(stack, message):
        if stack.is_uncaught and _is_main(stack, message) and not _runs(stack.frames).tool:
            main_ended(message, log)
        else:
            log.said_nothing += message.stands_for
        return
    _ended(stack, last.thrown, message, log)


def ended_in_words(message: Message, log: LogTally) -> None:
    """A server of another project says that its start failed: the deepest cause below, or its words, tell why."""
    stack = whole_stack(message)
    if stack.position != log.ended_at:
        words = message.text[max(message.text.find(searched().literals[message.hit.literal].decode()), 0) :]
        _ended(stack, words if stack.deepest is None else stack.deepest.thrown, message, log)


def _ended(stack: WholeStack, told: str, message: Message, log: LogTally) -> None:
    log.ended_at = stack.position
    side: LogSide = "broker" if _runs(stack.frames).server else "client"
    log.add(kind_of_last(told, stack.frames) or "start-exception", message, side=side, example=told)


def _ends_start(stack: WholeStack, message: Message) -> bool:
    """Whether a program that was starting ended by a stack; one that it logs as a warning it has caught.

    What the JVM prints of a thread that ended has no record of its own, and stands below any line.
    """
    runs = _runs(stack.frames)
    if runs.tool:
        return False
    header = stack.above or message.record.header
    level = level_in(header.encode(), HEAD_BYTES)
    head = Head(None if level is None else level_of(level[0].decode()))
    if head.level == "WARN" and _CANCELLED not in header and not stack.is_uncaught:
        return False
    if not head.is_loud and runs.server:
        return True  # what a server logs, it has caught
    if runs.client:
        return True
    if head.level is None and runs.program:
        return True
    if stack.is_uncaught and _is_main(stack, message):
        last = stack.deepest
        return last is not None and kind_of_last(last.thrown, stack.frames) is not None
    told = (header, message.text, *(part.thrown for part in stack.parts))
    return any(map(_is_of_spring, told))


class _Runs(NamedTuple):
    """What the frames of a stack run: whether it is the start of these."""

    tool: bool
    server: bool
    client: bool
    program: bool


@lru_cache(maxsize=256)
def _runs(frames: str) -> _Runs:
    """Asked once for stacks that are the same, as most of a log's are."""
    return _Runs(*(pattern.search(frames) is not None for pattern in (_TOOL, _SERVER, _CLIENT, _RUN)))


@lru_cache(maxsize=256)
def _is_of_spring(text: str) -> bool:
    return _OF_SPRING.search(text) is not None


def _is_main(stack: WholeStack, message: Message) -> bool:
    return _MAIN in f"{stack.above}{message.text}"


def spring_analysis(message: Message, log: LogTally) -> None:
    """Spring says below its heading why an application does not start."""
    lines = (message.text.strip(), *message.following(_MOST_LINES_OF_ANALYSIS))
    below = (line for line in dropwhile(_DESCRIPTION.__ne__, lines) if line not in ("", _DESCRIPTION))
    told = next(below, "").removeprefix(_ACTION)
    kind = kind_of_last(told, "") or ("start-spring-failed" if told else "start-spring-untold")
    tally = log.add(kind, message, side="client", example=told)
    port = _PORT_IN_USE.search(told)
    if tally is not None and port is not None:
        tally.keep_largest("port", int(port[1]))


def spring_description(message: Message, log: LogTally) -> None:
    """What Spring says below its heading, where somebody cut that off: words that only its analysers have."""
    hit = message.hit
    alone = message.text.strip(" ,") == _DESCRIPTION
    least = max(hit.start - _BYTES_OF_HEADING, 0)
    above = "".join(line.decode(errors="replace") for _, line in lines_above(hit.block, hit.start, least))
    lines = tuple(message.following(_MOST_LINES_OF_ANALYSIS))
    told = next(filter(None, lines), "")
    if not alone or _HEADING in above or _ACTION not in lines or kind_of_last(told, "") is None:
        log.said_nothing += message.stands_for
    else:
        spring_analysis(message, log)


def class_conflict(message: Message, log: LogTally) -> None:
    """A class, a method or a library is missing that the code was compiled with."""
    if _SERVER.search(message.text) is not None:
        log.add("start-class-missing", message, side="broker")
        return
    stack = whole_stack(message)
    if stack.position == log.ended_at or stack.deepest is None:
        log.said_nothing += message.stands_for
        return
    if _ends_start(stack, message):
        ended_by_exception(message, log)
    elif kind_of_last(stack.deepest.thrown, stack.frames) == "start-class-conflict":
        log.ended_at = stack.position
        log.add("class-conflict", message, side="client", example=stack.deepest.thrown)
    else:
        log.said_nothing += message.stands_for


def option_unknown(message: Message, log: LogTally) -> None:
    """The JVM does not know an option and does not start; a tool that does not prints how it is used."""
    tool = "commons.cli" in message.text or any(line.startswith("usage: ") for line in message.following(2))
    if tool:
        log.add("start-config-refused", message, side="client")
    else:
        tally = log.add("start-jvm-refused", message, side="broker")
        if tally is not None and _NEWER_OPTION.search(message.text) is not None:
            tally.keep_largest("newer", 1)


def module_closed(message: Message, log: LogTally) -> None:
    """A program wants into a package of the JDK that its module keeps closed."""
    found = _CLOSED_MODULE.search(message.text)
    if found is not None:
        log.ended_at = whole_stack(message).position
        side: LogSide = "broker" if _SERVER.search("\n".join(message.stack())) is not None else "client"
        log.add("start-module-closed", message, side=side, example=f"{found[1]}/{found[2] or found[3]}")


def not_permitted(message: Message, log: LogTally) -> None:
    """A file may not be read or written: it ends a start, or is one of a server's own."""
    stack = whole_stack(message)
    if stack.position == log.ended_at:
        return
    of_server = _runs(stack.frames).server
    own = of_server or _FILE_OF_SERVER.search(message.text) is not None
    last = stack.deepest
    ends = last is not None and _ends_start(stack, message)
    if not of_server and not ends and thread_of(stack.above) not in (None, "main"):
        log.said_nothing += message.stands_for  # a thread of a program that runs has caught it
        return
    if own or ends:
        log.ended_at = stack.position
        text = message.text if last is None else last.thrown
        kind = kind_of_last(text, stack.frames) or "start-not-permitted"
        if kind == "start-not-permitted" and not of_server and not ends:
            kind = "server-file-refused"  # a server, or an application with a folder of that name, may go on
        log.add(kind, message, side="broker" if own else "client", example=text)


def host_unknown(message: Message, log: LogTally) -> None:
    """The machine cannot resolve its own host name, of which RocketMQ makes the address that it tells others."""
    of_server = _SERVER.search(message.text) or _SERVER.search("\n".join(message.stack()))
    log.add("start-host-unknown", message, side="broker" if of_server else "client")


def controller_unreachable(message: Message, log: LogTally) -> None:
    """A broker in controller mode gets no answer from a controller."""
    if not any(_REFUSAL in line for line in message.stack()):
        log.add("start-controller-unreachable", message, side="broker")
