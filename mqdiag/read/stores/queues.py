"""The queues of a store as the broker would have them after a start: entries checked against the commit log."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import msgspec

from mqdiag.facts.stores import StoreQueue
from mqdiag.read.stores.commit_log import MOST_FOLLOWED, CommitLog, StoredMessage
from mqdiag.read.stores.consume_queue import ConsumeQueue
from mqdiag.text import Text, say

MOST_QUEUES = 100_000


class QueuesRead(msgspec.Struct, kw_only=True):
    """What the queues of a store hold."""

    queues: list[StoreQueue] = msgspec.field(default_factory=list)
    commit_log_max: int | None = None
    last_stored_ms: int | None = None
    problem: Text | None = None
    cut: bool = False
    """there are more queues than are read"""


class _Seen(msgspec.Struct, kw_only=True):
    topic: str
    queue_id: int
    first: int
    end: int
    lost: int = 0


def read_queues(store: Path, log: CommitLog) -> QueuesRead:
    """Read what a starting broker would have.

    It drops entries whose messages the commit log does not hold, and makes entries for messages that have none.
    """
    found = QueuesRead()
    seen: dict[tuple[str, int], _Seen] = {}
    unproven: list[tuple[_Seen, str]] = []
    last: StoredMessage | None = None
    for topic, queue_id, path in islice(_queue_folders(store), MOST_QUEUES):
        queue = ConsumeQueue(path)
        try:
            own, end_message = _read_one(topic, queue_id, queue, log)
        finally:
            queue.close()
        seen[topic, queue_id] = own
        found.cut = len(seen) >= MOST_QUEUES
        if end_message is None:
            if own.end > own.first:
                unproven.append((own, path))
        elif last is None or end_message.position > last.position:
            last = end_message
    if last is None and unproven:
        # not one entry leads to a message: the commit log is not the one, or of a form that is not read
        found.problem = None if log.empty else say("no entry of the queues leads to a message in it")
    else:
        for own, _ in unproven:
            own.lost, own.end = own.end - own.first, own.first
    follows = log.start if last is None else last.position + last.size
    added: dict[tuple[str, int], int] = {}
    open_end = False
    if not log.empty and found.problem is None:
        for count, message in enumerate(log.messages_from(follows), 1):
            last = message
            if message.in_queues:
                added[message.topic, message.queue_id] = message.queue_offset + 1
            open_end = count >= MOST_FOLLOWED
        found.commit_log_max = None if open_end else (log.start if last is None else last.position + last.size)
        found.last_stored_ms = None if last is None else last.stored_ms
    if open_end:
        found.problem = say(
            "more than {most:count} messages at its end have no entries yet", most=MOST_FOLLOWED
        )
    for key in added:
        seen.setdefault(key, _Seen(topic=key[0], queue_id=key[1], first=0, end=0))
    found.queues = [
        _facts(own, added.get(key, own.end), exact=not open_end) for key, own in sorted(seen.items())
    ]
    return found


def _facts(own: _Seen, end: int, *, exact: bool) -> StoreQueue:
    end = max(end, own.end)
    return StoreQueue(
        topic=own.topic,
        queue_id=own.queue_id,
        min_offset=own.first,
        max_offset=end if exact else None,
        max_at_least=end,
        max_at_most=end if exact else None,
        lost_entries=own.lost,
        added_entries=end - own.end,
    )


def _read_one(
    topic: str, queue_id: int, queue: ConsumeQueue, log: CommitLog
) -> tuple[_Seen, StoredMessage | None]:
    """The queue, and the last message that its entries lead to."""

    def kept(offset: int) -> bool:
        entry = queue.entry(offset)
        return entry is not None and entry[0] >= log.start

    def message(offset: int) -> StoredMessage | None:
        entry = queue.entry(offset)
        found = None if entry is None else log.message(entry[0])
        same = found is not None and (found.topic, found.queue_id, found.queue_offset) == (
            topic,
            queue_id,
            offset,
        )
        return found if same else None

    first = queue.first_where(kept, queue.first, queue.end)
    own = _Seen(topic=topic, queue_id=queue_id, first=first, end=queue.end)
    if own.end == own.first:
        return own, None
    last = message(own.end - 1)
    if last is None and message(own.first) is not None:
        end = queue.first_where(lambda offset: message(offset) is None, own.first, own.end)
        own.lost, own.end = own.end - end, end
        last = message(end - 1)
    return own, last


def _queue_folders(store: Path) -> Iterator[tuple[str, int, str]]:
    for topic in _folders(str(store / "consumequeue")):
        for queue in _folders(topic):
            name = os.path.basename(queue)
            if name.isascii() and name.isdigit() and len(name) < 10:
                yield os.path.basename(topic), int(name), queue


def _folders(path: str) -> list[str]:
    try:
        with os.scandir(path) as entries:
            return sorted(entry.path for entry in islice(entries, MOST_QUEUES) if entry.is_dir())
    except FileNotFoundError:
        return []
