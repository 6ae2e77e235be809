"""Consumers: failures and retries, messages sent back, pulling that was lost, thresholds, memory.

Source: ConsumeMessageConcurrentlyService, ConsumeMessageOrderlyService, ProcessQueue, RebalanceImpl, StatsItem,
clients 3.2.6 to 5.3.3; push_consumer.go of the Go client 2.1.
"""

from __future__ import annotations

from mqdiag.facts.vocabulary import ListenerKind
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.log_tally import MOST_ROWS, LogTally, StoredTally, SuspendedTally, ThrownKey
from mqdiag.logs.message import Message, application_level, thread_of
from mqdiag.logs.queues import queue_in
from mqdiag.logs.tally import MINUTE_MS, NOBODY, EventTally, Span, Subject
from mqdiag.logs.thrown import INTERRUPTED, Thrown, thrown_alone, thrown_around, thrown_in

_FAILED = lazy_pattern(r"consumeMessage (exception|return null|Orderly return not OK)\b")
_LOGGED = {"WARN": "listener-logged-warning", "ERROR": "listener-logged-error"}
_GROUP = lazy_pattern(r"\bGroup: (\S{1,300})")
_OFFSET = lazy_pattern(r"queueOffset=(\d{1,19}),")
_RECONSUMED = lazy_pattern(r"reconsumeTimes=(\d{1,9}),")
_WORKER = lazy_pattern(r"ConsumeMessageThread_(?:(.{1,300})_)?\d{1,9}$")
_EXPIRED = lazy_pattern(
    r"send expire msg back\. topic=([^,]{1,300}), msgId=[^,]{0,100}, storeHost=/?([^,]{0,100}), queueId=(-?\d{1,9})"
)
_CLEANER = lazy_pattern(r"CleanExpireMsgScheduledThread_(.{1,200})_\d+$")
_CHANGED = lazy_pattern(r"The (pullThreshold(?:Size)?ForQueue) is changed from (-?\d{1,9}) to (-?\d{1,9})")
_BLOCKED = lazy_pattern(
    r"Thread Thread\[(?:#\d{1,9},)?([^,\]]{1,200})[^\n]{0,300}? has been blocked for (\d{1,12}) ms, time limit is"
    r" (\d{1,12})"
)
_OUT_OF_MEMORY = lazy_pattern(r"java\.lang\.OutOfMemoryError(?!\.<|\w)(?:: ([^\n\"\\]{1,80}))?")
_DIRECT_MEMORY = lazy_pattern(
    r"OutOfMemoryError: (?:Direct buffer memory|Cannot reserve \d{1,19} bytes of direct buffer memory"
    r" \(allocated: (\d{1,19}), limit: (\d{1,19})\))"
    r"|OutOfDirectMemoryError: failed to allocate \d{1,19} byte\(s\) of direct memory"
    r" \(used: (\d{1,19}), max: (\d{1,19})\)"
)
_TOO_LONG = lazy_pattern(
    r"OutOfMemoryError: (?:Requested array size exceeds VM limit|Required array (?:size|length) [^\n]{0,60}?too large"
    r"|Required length exceeds implementation limit)"
)
"""the JVM's and the JDK's words (ArraysSupport, AbstractStringBuilder) for more elements than an array may have"""
_CLASS_SPACE = ("Metaspace", "Compressed class space", "PermGen space")
_CLASS_ROW = lazy_pattern(r"\s*\d{1,9}: +\d{1,19} +\d{1,19} +\S")
"""a row of `jcmd GC.class_histogram`: a healthy JVM has some OutOfMemoryErrors in reserve"""

_CLIENT_NUMBER = lazy_pattern(r"(?:RocketmqClientAsyncWorker|ClientManagerImpl)-(\d{1,9})\b")
"""the gRPC client numbers its clients from 0 in each process"""
_LOCKED = lazy_pattern(r"the message queue lock(?:ed)? OK, (?:Group: )?(\S{1,300}) ")
_STORED = lazy_pattern(
    r"Group: (\S{1,300}) ClientId: \S{1,300} updateConsumeOffsetToBroker .{1,600}\] (\d{1,19})\s*$"
)
_CONSUMED = lazy_pattern(
    r"\[CONSUME_OK_TPS\] \[([^\]@]{1,300})@([^\]]{1,300})\] Stats In One Minute, SUM: (\d{1,12})"
)


def failed(message: Message, log: LogTally) -> None:
    """A listener threw, returned null, or asked to suspend."""
    found = _FAILED.search(message.text)
    if found is None:
        return
    kind = {"exception": "consume-exception", "return null": "consume-returned-null"}.get(
        found[1], "consume-orderly-suspended"
    )
    group = _GROUP.search(message.text, found.end())
    # "Msgs" may be megabytes of a message's body, and it may hold anything
    queue = queue_in(message.text[message.text.rfind(" MQ: ") :] if " MQ: " in message.text else message.text)
    subject = queue._replace(group=group[1] if group else None)
    if log.add(kind, message, subject, side="client") is None:
        return
    if kind == "consume-exception":
        threw(message, log, subject, thrown_in(message))
    elif kind == "consume-orderly-suspended":
        _suspended(message, log, subject)


def failed_in_spring(message: Message, log: LogTally) -> None:
    """A listener of rocketmq-spring threw; its container says so and asks for the message again."""
    subject = Subject(group=_group_of_worker(message.thread()))
    if log.add("consume-exception", message, subject, side="client") is not None:
        threw(message, log, subject, thrown_in(message))


def caught_by_listener(message: Message, log: LogTally) -> None:
    """A frame of a consume thread, below a warning or error of the application: its listener logged an exception.

    What leaves a listener the client logs by itself, which counts as `consume-exception`.
    """
    header = message.record.header
    if not header and message.record.stamp is None:
        _cut_out(message, log)
        return
    kind = _LOGGED.get(application_level(header) or "")
    if kind is None:
        return
    thrown = thrown_around(message)
    if thrown.exception is None:
        return
    subject = Subject(group=_group_of_worker(thread_of(header)))
    example = thrown.exception
    if log.add(kind, message, subject, side="client", example=example) is not None:
        count_thrown(message, log, subject.group, thrown, "logged")


def _cut_out(message: Message, log: LogTally) -> None:
    """A stack without the line that it was logged under: somebody cut it out, or a program printed it."""
    thrown = thrown_alone(message)
    if thrown.exception is None:
        log.said_nothing += message.stands_for
    elif log.add("consume-exception", message, NOBODY, side="client", example=thrown.exception) is not None:
        threw(message, log, NOBODY, thrown)


def threw(message: Message, log: LogTally, subject: Subject, thrown: Thrown) -> None:
    """Count what a listener of messages threw, by group, exception and frame."""
    if thrown.interrupted:
        log.add("listener-interrupted", message, subject, side="client")
    count_thrown(message, log, subject.group, thrown, "messages")


def count_thrown(message: Message, log: LogTally, group: str | None, thrown: Thrown, of: ListenerKind) -> None:
    """Count what a listener threw."""
    if thrown.exception is None:
        return
    key = ThrownKey(group, thrown.exception, thrown.cause, thrown.frame, of)
    if key in log.thrown or len(log.thrown) < MOST_ROWS:
        count, span = log.thrown.setdefault(key, (0, Span()))
        span.see(log.at(message))
        log.thrown[key] = (count + message.stands_for, span)


def _suspended(message: Message, log: LogTally, subject: Subject) -> None:
    """Count how often in a row the first message of the batch failed."""
    offset = _OFFSET.search(message.text)
    if offset is None or (subject not in log.suspended and len(log.suspended) >= MOST_ROWS):
        return
    row = log.suspended.get(subject)
    if row is None or row.offset != int(offset[1]):
        row = log.suspended[subject] = SuspendedTally(offset=int(offset[1]))
    row.failures += message.stands_for
    times = _RECONSUMED.search(message.text, offset.end())
    row.reconsume_times = max(row.reconsume_times, int(times[1]) if times else 0)
    row.span.see(log.at(message))


def _group_of_worker(thread: str | None) -> str | None:
    """The group that clients from 4.8 on put into the names of their consume threads."""
    worker = _WORKER.match(thread) if thread else None
    return worker[1] if worker else None


def queue_change_interrupted(message: Message, log: LogTally) -> None:
    """A thread was interrupted while it waited for the lock of a queue's cache, so that the change was not made."""
    if INTERRUPTED not in message.text and not any(INTERRUPTED in line for line in message.stack()):
        return
    name = message.thread()
    subject = Subject(group=_group_of_worker(name), thread=name)
    log.add("queue-change-interrupted", message, subject, side="client")


def thread_blocked(message: Message, log: LogTally) -> None:
    """A thread of Vert.x has been in one task for longer than it may be."""
    found = _BLOCKED.search(message.text)
    if found is None:
        return
    tally = log.add("thread-blocked", message, Subject(thread=found[1]), side=None)
    if tally is not None:
        tally.keep_largest("longest_blocked_ms", int(found[2]))
        tally.keep_largest("time_limit_ms", int(found[3]))


def expired(message: Message, log: LogTally) -> None:
    """A message that a listener has had for longer than consumeTimeout goes back to the broker."""
    found = _EXPIRED.search(message.text)
    if found is None:
        return
    cleaner = _CLEANER.match(message.thread() or "")
    subject = Subject(cleaner[1] if cleaner else None, found[1], found[2] or None, int(found[3]))
    log.add("expired-sent-back", message, subject, side="client")


def threshold_changed(message: Message, log: LogTally) -> None:
    """A threshold for the whole topic was divided among the queues again."""
    found = _CHANGED.search(message.text)
    if found is None:
        return
    tally = log.add("threshold-divided", message, side="client")
    if tally is not None:
        for value in (int(found[2]), int(found[3])):
            tally.keep_largest(f"largest_{found[1]}", value)
            tally.keep_smallest(f"smallest_{found[1]}", value)


def queue_unlocked(message: Message, log: LogTally) -> None:
    """A pull of an orderly consumer that is put off because the broker has not locked the queue for it."""
    queue = queue_in(message.text)
    tally = log.add("queue-unlocked", message, queue, side="client")
    if len(log.unlocked) < MOST_ROWS:
        log.unlocked[queue] = log.at(message)
    _count_unlocked(tally, log)


def queue_locked(message: Message, log: LogTally) -> None:
    """The broker has locked a queue for an orderly consumer."""
    found = _LOCKED.search(message.text)
    if found is None:
        return
    queue = queue_in(message.text)._replace(group=found[1])
    log.add("queue-locked", message, queue, side="client")
    log.unlocked.pop(queue, None)
    _count_unlocked(log.events.get(("queue-unlocked", "client")), log)


def _count_unlocked(tally: EventTally | None, log: LogTally) -> None:
    if tally is not None:
        tally.values["still_unlocked"] = len(log.unlocked)


def out_of_memory(message: Message, log: LogTally) -> None:
    """Some thread met an OutOfMemoryError."""
    found = _OUT_OF_MEMORY.search(message.text)
    if found is None or message.text.lstrip().startswith("at ") or _CLASS_ROW.match(message.text):
        return
    if "Map failed" in (found[1] or ""):
        return  # a file that could not be mapped: no matter of the heap, and an event of the store
    if _DIRECT_MEMORY.search(message.text):
        out_of_direct_memory(message, log)
        return
    if "native thread" not in (found[1] or ""):
        kind = "out-of-memory"
        if (found[1] or "").startswith(_CLASS_SPACE):
            kind = "out-of-class-memory"
        elif _TOO_LONG.search(message.text):
            kind = "array-too-long"
        log.add(kind, message, Subject(thread=message.thread()))
        return
    tally = log.add("thread-limit-reached", message, Subject(thread=message.thread()))
    number = _CLIENT_NUMBER.search(message.both)
    if tally is not None and number is not None:
        tally.keep_largest("largest_client_number", int(number[1]))


def out_of_direct_memory(message: Message, log: LogTally) -> None:
    """The JVM or Netty could not allocate a direct buffer (`java.nio.Bits`, `PlatformDependent`)."""
    found = _DIRECT_MEMORY.search(message.text)
    if found is None:
        return
    tally = log.add("out-of-direct-memory", message, Subject(thread=message.thread()))
    used, limit = found[1] or found[3], found[2] or found[4]
    if tally is not None and used is not None and limit is not None:
        tally.keep_largest("used_bytes", int(used))
        tally.keep_largest("limit_bytes", int(limit))


def offset_stored(message: Message, log: LogTally) -> None:
    """The offset of a queue that the client stores at the broker: one line in twelve, which is one a minute."""
    line = message.hit.line
    named = line[line.find(b"Group: ") : line.rfind(b"]") + 1]
    if named in log.moved:
        return
    found = _STORED.search(message.text)
    if found is None:
        return
    queue = queue_in(message.text)._replace(group=found[1])
    offset, at = int(found[2]), log.at(message)
    row = log.stored.get(queue)
    if row is None:
        if len(log.stored) >= MOST_ROWS:
            return
        row = log.stored[queue] = StoredTally(offset=offset)
    row.lines += message.stands_for
    if offset != row.offset:
        row.moved = True
        if len(log.moved) < MOST_ROWS:
            log.moved.add(named)
    row.consumed, row.waiting = row.consumed + row.waiting, 0
    row.span.see(at)


def consumed(message: Message, log: LogTally) -> None:
    """The client's count of consumed messages for one minute; it counts for queues that were stored before it began."""
    found = _CONSUMED.search(message.text)
    if found is None:
        return
    subject = Subject(group=found[2], topic=found[1])
    log.add("messages-consumed", message, subject, side="client", weight=int(found[3]))
    at = log.at(message)
    if at is None:
        return
    for queue, row in log.stored.items():
        began = row.span.first
        if (queue.group, queue.topic) == (found[2], found[1]) and began is not None and at - began >= MINUTE_MS:
            row.waiting += int(found[3])
