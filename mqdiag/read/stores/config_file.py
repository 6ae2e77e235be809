"""The files of a store's config folder: JSON as fastjson writes it, with bare numbers as keys."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from mqdiag.facts.stores import StoredOffset

MOST_BYTES = 256 << 20
MOST_OFFSETS = 1_000_000
_BARE_KEY = re.compile(r'"(?:[^"\\]|\\.)*"|(\b\d+)(?=\s*:)')


class NoConfig(ValueError):
    """The file is not what its name says; the message says why."""


def config_text(path: Path) -> str:
    """The text of a file, with its bare keys quoted.

    Raises:
        NoConfig: it is too large.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise NoConfig("has more than 256 MiB")
    return data.decode("utf-8", "replace")


def parse_config(text: str) -> dict[str, object]:
    """The table that a config file holds.

    Raises:
        NoConfig: it is no JSON, or no table.
    """
    quoted = _BARE_KEY.sub(lambda match: f'"{match[1]}"' if match[1] else match[0], text)
    try:
        found = json.loads(quoted)
    except (ValueError, RecursionError):
        raise NoConfig("is no JSON; it is compressed, cut or of another form" if text else "is empty") from None
    if not isinstance(found, dict):
        raise NoConfig("holds no table")
    return found


def consumer_offsets(table: dict[str, object]) -> tuple[StoredOffset, ...]:
    """The offsets of consumerOffset.json: topic@group to queue to offset."""
    return tuple(_bounded(_consumer_rows(table)))


def delay_offsets(table: dict[str, object]) -> tuple[StoredOffset, ...]:
    """The progress of delay levels in delayOffset.json, as queues of SCHEDULE_TOPIC_XXXX."""
    levels = table.get("offsetTable")
    found = []
    for level, offset in (levels if isinstance(levels, dict) else {}).items():
        number, value = _number(level), _number(offset)
        if number and value is not None:
            # ScheduleMessageService.delayLevel2QueueId
            found.append(StoredOffset(topic="SCHEDULE_TOPIC_XXXX", queue_id=number - 1, offset=value))
    return tuple(found)


def _consumer_rows(table: dict[str, object]) -> Iterator[StoredOffset]:
    of_all = table.get("offsetTable")
    if not isinstance(of_all, dict):
        raise NoConfig("has no offsetTable")
    for name, of_queues in of_all.items():
        topic, sign, group = name.partition("@")
        if not sign or not isinstance(of_queues, dict):
            continue
        for queue, offset in of_queues.items():
            queue_id, value = _number(queue), _number(offset)
            if queue_id is not None and value is not None:
                yield StoredOffset(group=group, topic=topic, queue_id=queue_id, offset=value)


def _bounded(rows: Iterator[StoredOffset]) -> Iterator[StoredOffset]:
    for count, row in enumerate(rows):
        if count >= MOST_OFFSETS:
            raise NoConfig(f"has more than {MOST_OFFSETS:,} offsets")
        yield row


def _number(value: object) -> int | None:
    """A count as an int below 2^63; None for all else."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    if isinstance(value, str) and not (value.isascii() and value.isdigit() and len(value) < 20):
        return None
    number = int(value)
    return number if 0 <= number < 1 << 63 else None
