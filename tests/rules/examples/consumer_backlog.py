from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.admin import AdminFacts, GroupProgress, QueueProgress


def _queue(queue_id: int, diff: int) -> QueueProgress:
    return QueueProgress(
        topic="orders",
        broker="broker-a",
        queue_id=queue_id,
        broker_offset=9000,
        consumer_offset=9000 - diff,
        diff=diff,
        last_time="2026-11-21 12:06:23",
    )


def _facts(first: int) -> Facts:
    queues = (_queue(0, first), _queue(1, 3))
    progress = GroupProgress(
        group="CID_stock", source="progress.txt", queues=queues, diff_total=first + 3, consume_tps=20.0
    )
    return Facts(admin=AdminFacts(groups=(progress,)))


def fires() -> Facts:
    """One of two queues is 5,000 messages behind, the other keeps up."""
    return _facts(5000)


def silent() -> Facts:
    """It is 40 behind: messages on their way."""
    return _facts(40)
