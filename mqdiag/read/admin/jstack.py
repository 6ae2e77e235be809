"""The threads that `consumerStatus -s` puts into a client's file: RocketMQ prints them in a form of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from mqdiag.read.stacks.patterns import DUMP_MARK, STATE_MARK

MARK = "#Consumer jstack#"
LONGEST_LINE = 8192
# UtilAll.jstack: "%-40sTID: %d STATE: %s%n", then "%-40s%s%n" for each frame; a long name has no blank behind it
_HEAD = re.compile(r"(?P<name>.*?)\s*TID: (?P<id>\d{1,18}) STATE: (?P<state>[A-Z_]{1,20})\s*$")
NAME_WIDTH = 40


def as_thread_dump(lines: Iterable[str]) -> Iterator[str]:
    """The same threads as a JMX thread dump has them; nothing where there are none."""
    name: str | None = None
    begun = False
    for line in lines:
        text = line.rstrip("\r\n")[:LONGEST_LINE]
        if text.startswith(MARK):
            begun, name = True, None
        elif begun and (head := _HEAD.match(text)) is not None:
            if name is None:
                yield f"{DUMP_MARK} RocketMQ consumerStatus:\n\n"
            name = head["name"]
            yield f'"{name}" - Thread t@{head["id"]}\n   {STATE_MARK}{head["state"]}\n'
        elif begun and name is not None and not text.strip():
            yield "\n"
        elif begun and name is not None and text.startswith(name):
            frame = text[max(len(name), NAME_WIDTH if len(name) <= NAME_WIDTH else 0) :].strip()
            yield f"\tat {frame}\n"
