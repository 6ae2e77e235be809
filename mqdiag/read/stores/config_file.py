"""The files of a store's config folder: JSON as fastjson writes it, with bare numbers as keys."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path

from mqdiag.facts.stores import StoredOffset
from mqdiag.text import Text, say

MOST_BYTES = 256 << 20
MOST_OFFSETS = 1_000_000
_EXAMPLES = 3
_LONGEST_SHOWN = 60
_BARE_KEY = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|(\b\d++)(?=\s*+:)', re.DOTALL)
"""a text, which may have no end, or a key that is none"""


class NoConfig(Exception):
    """The file is not what its name says.

    Args:
        reason: why not, such as "is empty".
    """

    def __init__(self, reason: Text) -> None:
        super().__init__(reason)
        self.reason = reason


def config_text(path: Path) -> str:
    """The text of a file, with its bare keys quoted.

    Raises:
        NoConfig: it is too large.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise NoConfig(say("has more than {limit:bytes}", limit=MOST_BYTES))
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
        reason = say("is not JSON; it is compressed, cut or of another form") if text else say("is empty")
        raise NoConfig(reason) from None
    if not isinstance(found, dict):
        raise NoConfig(say("holds no table"))
    return found


@dataclass(slots=True)
class OffsetsRead:
    """Stored offsets, and those that are none: an unusable one is unknown, never 0."""

    rows: list[StoredOffset] = field(default_factory=list)
    unusable: int = 0
    examples: list[Text] = field(default_factory=list)

    @property
    def problem(self) -> Text | None:
        """What to say of the unusable ones; None without any."""
        if not self.unusable:
            return None
        more = self.unusable - len(self.examples)
        told = say(
            "{unusable:count} {unusable:offset|offsets} of {offsets:count} cannot be used: {examples}",
            unusable=self.unusable,
            offsets=len(self.rows) + self.unusable,
            examples=reduce(lambda one, other: say("{one}; {other}", one=one, other=other), self.examples),
        )
        return say("{told}; and {more:count} more", told=told, more=more) if more else told

    def refuse(self, of: Text, value: object) -> None:
        """Count a value that is no offset."""
        self.unusable += 1
        if len(self.examples) < _EXAMPLES:
            self.examples.append(say("{of} has {value}", of=of, value=_shown(value)))


def consumer_offsets(table: dict[str, object]) -> OffsetsRead:
    """The offsets of consumerOffset.json: topic@group to queue to offset.

    Raises:
        NoConfig: it has no such table, or too much in it.
    """
    of_all = table.get("offsetTable")
    if not isinstance(of_all, dict):
        raise NoConfig(say("has no offsetTable"))
    read = OffsetsRead()
    for name, of_queues in of_all.items():
        topic, sign, group = name.partition("@")
        if not sign or not isinstance(of_queues, dict):
            read.refuse(name, of_queues)
            continue
        for queue, offset in of_queues.items():
            if len(read.rows) + read.unusable >= MOST_OFFSETS:
                raise NoConfig(say("has more than {limit:count} offsets", limit=MOST_OFFSETS))
            queue_id, value = _number(queue), _number(offset)
            if queue_id is None or value is None:
                place = say(
                    "group {group}, topic {topic}, queue {queue}", group=group, topic=topic, queue=_shown(queue)
                )
                read.refuse(place, offset)
            else:
                read.rows.append(StoredOffset(group=group, topic=topic, queue_id=queue_id, offset=value))
    return read


def delay_offsets(table: dict[str, object]) -> OffsetsRead:
    """The progress of delay levels in delayOffset.json, as queues of SCHEDULE_TOPIC_XXXX."""
    levels = table.get("offsetTable")
    read = OffsetsRead()
    for level, offset in (levels if isinstance(levels, dict) else {}).items():
        number, value = _number(level), _number(offset)
        if number and value is not None:
            # ScheduleMessageService.delayLevel2QueueId
            read.rows.append(StoredOffset(topic="SCHEDULE_TOPIC_XXXX", queue_id=number - 1, offset=value))
        else:
            read.refuse(say("level {level}", level=_shown(level)), offset)
    return read


def _shown(value: object) -> str:
    """A piece of the evidence, cut."""
    text = json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else value
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"


def _number(value: object) -> int | None:
    """A count as an int below 2^63; None for all else."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    if isinstance(value, str) and not (value.isascii() and value.isdigit() and len(value) < 20):
        return None
    number = int(value)
    return number if 0 <= number < 1 << 63 else None
