"""Programs of any kind that say in words that a start failed, and main threads that end by an exception.

A line at ERROR or worse says it, one at WARN only on the thread of a start, and one without a level only with the
exception below it: somebody may have written the same words about a program.
"""

from __future__ import annotations

from mqdiag.knowledge.last_exceptions import kind_of_last
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.json_records import wrapped_head
from mqdiag.logs.log_tally import LogTally
from mqdiag.logs.message import Message, line_of_stack, thread_of
from mqdiag.logs.statements import searched
from mqdiag.logs.whole_stack import WholeStack, whole_stack
from mqdiag.read.logs.heads import is_of_rocketmq, level_of
from mqdiag.read.logs.levels import HEAD_BYTES, level_in

_OF_OTHERS = lazy_pattern(r"\bsystemd\[\d|\.service\b|\bkubelet\b|\bdockerd?\b|containerd|\breplicasManager\b")
"""a line of what runs programs, or of a broker that asks its controller again: they have rows of their own"""
_OF_A_START = lazy_pattern(
    r"(?i)(?:main|restartedMain|.{0,40}startStop-\d{1,3}|FelixStartLevel|Controller Boot Thread|Server thread"
    r"|ServerMain|launcher|bootstrap.{0,20})\Z"
)
"""names of threads on which programs start"""
_MAIN = lazy_pattern(r"\.main\(|\.<main>\(")
_WHOLE = lazy_pattern(
    r"(?i)\b(?:server|service|application|app|daemon|broker|node|bookie|neo4j|nexus|cluster|instance|quarkus|micronaut"
    r"|standalone|container|context|engine|system|web ?app|platform|master|worker|manager|proxy|gateway|jvm|process"
    r"|program|core|tomcat|jetty)(?:s\b|\b)|[a-z](?:Server|Service|Node|Manager|Master|Worker|Daemon|Broker|Core)\b"
)
"""words for a whole program, or for a part without which it does nothing"""
_NO_START = lazy_pattern(
    r"OutOfMemoryError|StackOverflowError|InterruptedException|ThreadDeath|StatusRuntimeException"
)
"""exceptions that end a program at any time: of memory, which a rule of its own tells, and answers of a gRPC server"""
_OF_A_PART = {"start-class-conflict": "class-conflict", "start-not-permitted": "server-file-refused"}
"""what such a cause is called where only a part did not start"""
_NOT_BOUND = ("start-not-permitted", "start-address-refused")
_PORT = lazy_pattern(r"(?::|\b[Pp]ort )(\d{1,5})\b")
_LONGEST_WORDS = 300


def in_words(message: Message, log: LogTally) -> None:
    """A program says that it, or a part of it, did not start: the deepest cause that is known tells why."""
    stack = whole_stack(message)
    if stack.position == log.ended_at or message.record.start == log.ended_in:
        return
    word, thread = _word_for_level(message, stack), message.thread() or thread_of(stack.above)
    level = None if word is None else level_of(word)
    on_start = thread is not None and _OF_A_START.match(thread) is not None
    own, is_of_stack = line_of_stack(message.text.partition("\n")[0])
    thrown = None if stack.deepest is None else stack.deepest.thrown
    told = (
        level == "ERROR"
        or (level == "WARN" and (on_start or is_of_stack))
        or (level is None and thrown is not None)
    )
    if not told or _OF_OTHERS.search(own) is not None or (thrown is not None and _NO_START.search(thrown)):
        log.said_nothing += message.stands_for
        return
    words = _words(message)
    whole = (
        on_start
        or word == "FATAL"
        or _MAIN.search(stack.frames) is not None
        or _WHOLE.search(words) is not None
    )
    kind, said = _cause(stack, words)
    if not whole:
        kind = _OF_A_PART.get(kind or "", "start-part-failed")
    log.ended_at, log.ended_in = stack.position, message.record.start
    log.add(kind or "start-exception", message, side="client", example=said)


def main_ended(message: Message, log: LogTally) -> None:
    """The main thread of a program ended by an exception; what a client of RocketMQ threw, other rules judge."""
    stack = whole_stack(message)
    last = stack.deepest
    if (
        last is None
        or stack.position == log.ended_at
        or _NO_START.search(last.thrown) is not None
        or is_of_rocketmq(f"{last.thrown}\n{stack.frames}")
    ):
        log.said_nothing += message.stands_for
        return
    kind, said = _cause(stack, last.thrown)
    log.ended_at, log.ended_in = stack.position, message.record.start
    log.add(kind or "main-ended", message, side="client", example=said)


def not_bound(message: Message, log: LogTally) -> None:
    """A server cannot take its port: another one has it, it may not, or the address is of no interface."""
    stack = whole_stack(message)
    if stack.position == log.ended_at or message.record.start == log.ended_in:
        return
    last = stack.deepest
    kind = None if last is None else kind_of_last(last.thrown, stack.frames)
    if kind not in _NOT_BOUND:
        kind = "start-port-in-use"
    log.ended_at, log.ended_in = stack.position, message.record.start
    said = message.text.partition("\n")[0].strip()
    tally = log.add(kind, message, side="broker" if kind == "start-port-in-use" else "client", example=said)
    port = _PORT.search(said)
    if tally is not None and port is not None:
        tally.keep_largest("port", int(port[1]))


def _word_for_level(message: Message, stack: WholeStack) -> str | None:
    for text in (message.text.partition("\n")[0], message.record.header, stack.above):
        found = level_in(text.encode(), HEAD_BYTES)
        if found is not None:
            return found[0].decode()
    return wrapped_head(message.hit.line).level


def _words(message: Message) -> str:
    """What the program says, from the first word that the literal is a part of."""
    text = message.text
    at = max(text.find(searched().literals[message.hit.literal].decode()), 0)
    while at and text[at - 1].isalpha():
        at -= 1
    return text[at:].partition("\n")[0][:_LONGEST_WORDS]


def _cause(stack: WholeStack, words: str) -> tuple[str | None, str]:
    """(the kind of the deepest exception that has one, what to quote)."""
    thrown = [part.thrown for part in reversed(stack.parts)]
    for text in (*thrown, words):
        kind = kind_of_last(text, stack.frames)
        if kind is not None:
            return kind, text
    return None, thrown[0] if thrown else words
