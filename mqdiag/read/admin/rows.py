"""Single rows of mqadmin's tables; columns are split at blanks, as names have none."""

from __future__ import annotations

from mqdiag.facts.admin import BrokerListed, GroupOverview, QueueProgress, TopicQueue

NOT_THERE = "N/A"
_OFFLINE = "OFFLINE"


def progress_row(line: str, head: str) -> QueueProgress | None:
    """A line of `consumerProgress -g`; which columns there are differs by version and options."""
    cells = line.split()
    place = 5
    client = inflight = None
    if "#Client IP" in head:
        client = cells[place] if len(cells) > place and cells[place] != NOT_THERE else None
        place += 1
    numbers = [*cells[2:5], *cells[place : place + 1]]
    if len(numbers) != 4 or not all(_is_number(cell) for cell in numbers):
        return None
    place += 1
    if "#Inflight" in head and len(cells) > place and _is_number(cells[place]):
        inflight = int(cells[place])
        place += 1
    last = " ".join(cells[place : place + 2])
    queue_id, broker_offset, consumer_offset, diff = map(int, numbers)
    return QueueProgress(
        topic=cells[0],
        broker=cells[1],
        queue_id=queue_id,
        broker_offset=broker_offset,
        consumer_offset=consumer_offset,
        client=client,
        diff=diff,
        inflight=inflight,
        last_time=last if last and last != NOT_THERE else None,
    )


def overview_row(source: str, line: str) -> GroupOverview | None:
    """A line of `consumerProgress`; the cells between are missing for a group that nobody is connected for."""
    cells = line.split()
    if len(cells) < 4 or not (_is_number(cells[1]) and _is_number(cells[-1]) and _is_number(cells[-2])):
        return None
    words = cells[2:-2]
    version = words[0] if words else None
    return GroupOverview(
        group=cells[0],
        source=source,
        count=int(cells[1]),
        version=None if version == _OFFLINE else version,
        type=words[1] if len(words) > 1 else None,
        model=words[2] if len(words) > 2 else None,
        tps=float(cells[-2]),
        diff_total=int(cells[-1]),
    )


def broker_row(source: str, line: str) -> BrokerListed | None:
    """A line of `clusterList`."""
    cells = line.split()
    if len(cells) < 5 or not _is_number(cells[2]) or ":" not in cells[3]:
        return None
    return BrokerListed(
        source=source,
        cluster=cells[0],
        broker=cells[1],
        broker_id=int(cells[2]),
        address=cells[3],
        version=cells[4],
    )


def topic_row(source: str, topic: str | None, line: str) -> TopicQueue | None:
    """A line of `topicStatus`."""
    cells = line.split()
    if len(cells) < 4 or not all(_is_number(cell) for cell in cells[1:4]):
        return None
    return TopicQueue(
        source=source,
        topic=topic,
        broker=cells[0],
        queue_id=int(cells[1]),
        min_offset=int(cells[2]),
        max_offset=int(cells[3]),
        last_updated=" ".join(cells[4:6]) or None,
    )


def _is_number(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) < 19
