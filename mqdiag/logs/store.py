"""The broker's store: write latency, slow puts, the off-heap buffer pool, the send queue's watermark, the disk."""

from __future__ import annotations

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs import versions
from mqdiag.logs.brokers import ANSWERED_BY
from mqdiag.logs.log_tally import MOST_ROWS, LogTally, TimerProgress
from mqdiag.logs.message import Message
from mqdiag.logs.tally import NOBODY, Subject

_IN_LOCK = lazy_pattern(r"putMessages? in lock (?:cost|eclipse|elapsed?) time\(ms\)[= ](\d{1,12})")
"""3.x writes "putMessage in lock eclipse time(ms) 1382" from 1,000 ms on, later versions "[NOTIFYME]... cost" """
_NOT_IN_LOCK = lazy_pattern(
    r"not in lock (?:eclipse|elapsed) time\(ms\)[= ](\d{1,12})(?:, bodyLength=(\d{1,12}))?"
    r"|CommitLog#putMessages? cost (\d{1,12})ms, topic=([^,]{1,300}), bodyLength=(\d{1,12})"
)
_QUORUM = "QuorumAckChecker"
"""DLedger's thread that answers a put when enough followers have it"""
_ORDER = lazy_pattern(
    r"logic queue order maybe wrong, expectLogicOffset: (\d{1,19}) currentLogicOffset: (\d{1,19}) Topic: (\S{1,300})"
)
_DISPATCH_FROM = lazy_pattern(
    r"\[SetReputOffset\] maxPhysicalPosInLogicQueue=(-?\d{1,19}) clMinOffset=(-?\d{1,19}) clMaxOffset=(-?\d{1,19})"
)
_SHEETS = lazy_pattern(r"TransientStorePool only remain (\d{1,9}) sheets")
_SETTING = lazy_pattern(r" - (\w{1,60})=([^\s=…]{0,200})\s*$")
_DISK = lazy_pattern(
    r"disk (?:of commitLog )?maybe full soon(?:,? (?:used )?(\d\.\d{1,20}), so mark|, so reclaim space, (\d\.\d{1,20}))"
)
"""DefaultMessageStore.CleanCommitLogService.isSpaceToDelete, 3.5.8 to 5.3.3; screens cut what stands behind"""
_NOT_FREED = "disk space will be full soon"
"""the only statement with these words goes on "but delete file failed\" """
_NOT_MEASURED = "so reclaim space, -"
"""UtilAll.getDiskPartitionSpaceUsedPercent gives -1 for a path that is not there"""
_DISKS = lazy_pattern(r"CL: {0,4}(-?\d{1,2}\.\d\d) CQ: {0,4}(-?\d{1,2}\.\d\d) INDEX: {0,4}(-?\d{1,2}\.\d\d)")
"""SendMessageProcessor.diskUtil"""
_MOST_SETTINGS = 100
_DELAYED = lazy_pattern(
    r"topic='([^']{1,300})', offset=(\d{1,18}), physicOffset=\d{1,19}, physicSize=\d{1,12}, delayLevel=(\d{1,3}),"
)
_DELAYED_4_8 = lazy_pattern(r"reput it failed, topic: (\S{1,300})")
_SENDS = "SendMessage"
"""how the threads begin that store what clients send"""
_DELAYS = ("ScheduleMessageTimerThread", "ScheduleMessageExecutorHandleThread")
"""how the threads begin that store delayed messages for their topics; the second with enableScheduleAsyncDeliver"""
_TOO_LARGE = lazy_pattern(r"size: (\d{1,12}).{0,60}, maxMessageSize: (\d{1,12})")
_PROGRESS = lazy_pattern(
    r"\[(\w{1,20})\]Timer progress-check .{0,80} currRead:\[([^\]]{1,40})\] .{0,60}"
    r"readBehind:(\d{1,12}) currReadOffset:(\d{1,18}) offsetBehind:(\d{1,18}) "
)
_PROGRESS_LINES = 7
"""a minute: the wheel writes a line every ten seconds"""


def latency(message: Message, log: LogTally) -> None:
    """A PAGECACHERT line."""
    log.latency.see(message.text, log.at(message))


def notify_me(message: Message, log: LogTally) -> None:
    """A put that held the lock for more than 500 ms, or an allocation of a file that failed."""
    found = _IN_LOCK.search(message.text)
    if found is None:
        if "TransientStorePool is not enough" in message.text:
            log.add("pool-not-enough", message, side="broker")
        return
    tally = log.add("slow-put-in-lock", message, side="broker")
    if tally is not None:
        tally.keep_largest("longest_ms", int(found[1]))


def slow_put(message: Message, log: LogTally) -> None:
    """A put that took more than 500 ms outside of the lock: waiting for the lock, the flush or the slave."""
    found = _NOT_IN_LOCK.search(message.text)
    if found is None:
        return
    by_quorum = (message.thread() or "").startswith(_QUORUM)
    kind = "quorum-ack-waited" if by_quorum else "slow-put"
    tally = log.add(kind, message, Subject(topic=found[4]), side="broker")
    if tally is not None:
        tally.keep_largest("longest_ms", int(found[1] or found[3]))


def no_message_there(message: Message, log: LogTally) -> None:
    """The dispatch stands at a place of the commit log where no message begins.

    Recovery logs the same words, by the thread main, where the log ends.
    """
    if (message.thread() or "").startswith("ReputMessageService"):
        log.add("dispatch-at-no-message", message, side="broker")


def pool_low(message: Message, log: LogTally) -> None:
    """The off-heap buffers run short: below 40 % of them are left."""
    found = _SHEETS.search(message.text)
    if found is None:
        return
    sheets = int(found[1])
    tally = log.add("pool-empty" if sheets == 0 else "pool-low", message, side="broker")
    if tally is not None:
        tally.keep_smallest("smallest_buffers", sheets)


def disk(message: Message, log: LogTally) -> None:
    """The disk is marked full, or expired files are deleted early because it fills up."""
    found = _DISK.search(message.text)
    if found is None:
        if _NOT_FREED in message.text:
            log.add("disk-not-freed", message, side="broker")
        elif _NOT_MEASURED in message.text:
            log.add("disk-not-measured", message, side="broker")
        return
    kind = "disk-marked-full" if found[1] else "disk-reclaimed"
    tally = log.add(kind, message, side="broker")
    if tally is not None:
        tally.keep_largest("largest_percent", int(float(found[1] or found[2]) * 100))


def not_writable(message: Message, log: LogTally) -> None:
    """The broker refuses to write: its disk is full, or it is a slave; the answer has the shares of its disks."""
    broker = ANSWERED_BY.search(message.text)
    subject = Subject(broker=broker[1] if broker else None)
    answered = "CODE: " in message.text or "MQBrokerException" in message.both
    tally = log.add("service-not-available", message, subject, side="client" if answered else None)
    if tally is None:
        return
    part = tally.of_broker(subject.broker)
    part.add(log.at(message), subject, message.stands_for)
    shares = _DISKS.search(message.text)
    if shares is not None:
        largest = round(max(map(float, shares.groups())) * 100)
        for one in (tally, part):
            one.keep_largest("largest_percent", largest)


def setting(message: Message, log: LogTally) -> None:
    """A line of the configuration that a broker prints when it starts; the last one counts."""
    found = _SETTING.search(message.text)
    if found is not None and len(log.settings) < _MOST_SETTINGS:
        log.settings[found[1]] = found[2]


def printed(message: Message, log: LogTally) -> None:
    """A line of a starting broker; what is searched for behind the thread's name overlaps and is not found again."""
    versions.printed(message, log)
    setting(message, log)


def queue_order(message: Message, log: LogTally) -> None:
    """The dispatch writes an entry where the consume queue does not end: entries are missing or doubled."""
    found = _ORDER.search(message.text)
    if found is None:
        return
    tally = log.add("consume-queue-order", message, Subject(topic=found[3]), side="broker")
    if tally is not None:
        tally.keep_largest("largest_gap_bytes", abs(int(found[1]) - int(found[2])))


def dispatch_from(message: Message, log: LogTally) -> None:
    """Where the dispatch begins when the broker starts; beyond the end of the commit log messages were lost."""
    found = _DISPATCH_FROM.search(message.text)
    if found is None:
        return
    begin, most = int(found[1]), int(found[3])
    if begin > most >= 0:
        tally = log.add("commit-log-tail-lost", message, side="broker")
        if tally is not None:
            tally.keep_largest("largest_lost_bytes", begin - most)


def too_large(message: Message, log: LogTally) -> None:
    """A message is larger than maxMessageSize: that of a client, or one that the broker stores anew."""
    found = _TOO_LARGE.search(message.text)
    thread = message.thread() or ""
    sent = thread.startswith(_SENDS)
    tally = log.add("send-larger-than-allowed" if sent else "larger-than-allowed", message, side="broker")
    if found is None or tally is None:
        return
    sizes = int(found[1]), int(found[2])
    tally.keep_largest("message_bytes", sizes[0])
    tally.keep_largest("max_message_bytes", sizes[1])
    tally.keep_smallest("smallest_limit_bytes", sizes[1])
    if thread.startswith(_DELAYS) and len(log.delayed_sizes) < MOST_ROWS:
        log.delayed_sizes[thread] = sizes


def delayed_not_put(message: Message, log: LogTally) -> None:
    """A delayed message could not be stored for its topic; the subject is the queue of its level.

    A level's row counts the tries of the message that it tried last. Before 4.9 lines have no level. Where the same
    thread said just before that the message is too large, that is the reason.
    """
    sizes = log.delayed_sizes.pop(message.thread() or "", None)
    kind = "delayed-not-put" if sizes is None else "delayed-too-large"
    found, without_level = _DELAYED.search(message.text), _DELAYED_4_8.search(message.text)
    if found is not None:
        # ScheduleMessageService.delayLevel2QueueId
        subject = Subject(topic=found[1], queue_id=int(found[3]) - 1)
        _begin_row(log, kind, subject, int(found[2]))
    else:
        subject = NOBODY if without_level is None else Subject(topic=without_level[1])
    tally = log.add(kind, message, subject, side="broker")
    if tally is None:
        return
    if found is not None:
        tally.values["last_offset"] = int(found[2])
    if sizes is not None:
        tally.keep_largest("message_bytes", sizes[0])
        tally.keep_largest("max_message_bytes", sizes[1])


def delayed_went_on(message: Message, log: LogTally) -> None:
    """With enableScheduleAsyncDeliver a message that was tried again is stored at last, or left out."""
    found = _DELAYED.search(message.text)
    before = None if found is None else log.delayed_tried.get(int(found[3]) - 1)
    if found is not None and before is not None and before[2] == int(found[2]):
        log.events[before[0], "broker"].subjects.pop(before[1], None)


def _begin_row(log: LogTally, kind: str, subject: Subject, offset: int) -> None:
    """Forget the tries of the message that a level tried before, once it tries another."""
    before = log.delayed_tried.get(subject.queue_id)
    now = log.delayed_tried[subject.queue_id] = kind, subject, offset
    if before is not None and before != now:
        log.events[before[0], "broker"].subjects.pop(before[1], None)


def timer_progress(message: Message, log: LogTally) -> None:
    """How far both sides of the timer wheel are in its last line, and what they did in the minute before.

    A slave's wheel gives out nothing, and follows the master's.
    """
    found = _PROGRESS.search(message.text)
    tally = log.add("timer-progress", message, side="broker")
    if found is None or tally is None:
        return
    if found[1] == "SLAVE":
        log.timer_progress.clear()
        tally.values = {}
        return
    now = TimerProgress(log.at(message), found[2], *map(int, found.groups()[2:]))
    log.timer_progress = [*log.timer_progress, now][-_PROGRESS_LINES:]
    tally.values = {"last_out_behind_s": now.out_behind_s, "last_in_behind": now.in_behind}
    first = log.timer_progress[0]
    if now.at is not None and first.at is not None and now.at > first.at:
        tally.values |= {
            "last_seconds": (now.at - first.at) // 1000,
            "last_out_stands": int(now.read_time == first.read_time),
            "last_out_caught_up_s": max(first.out_behind_s - now.out_behind_s, 0),
            "last_taken_in": max(now.read_offset - first.read_offset, 0),
            "last_in_caught_up": max(first.in_behind - now.in_behind, 0),
        }


def timer_ran(message: Message, log: LogTally) -> None:
    """A frame of a thread of the timer wheel, below an error that it logs when it tries the same work again."""
    if "Unknown e" not in message.record.header:
        return
    kind = "timer-enqueue-failed" if "$TimerEnqueue" in message.text else "timer-dequeue-failed"
    log.add(kind, message, side="broker")
