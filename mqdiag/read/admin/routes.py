"""The JSON that `topicRoute` prints."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from mqdiag.facts.admin import TopicRoute

_BARE_KEY = re.compile(r"([{,]\s*)(\d{1,10})(\s*:)")


def routes_of(source: str, topic: str | None, text: str) -> list[TopicRoute]:
    """One row for each broker; nothing of damaged text.

    Broker ids are keys without quotation signs, as fastjson writes numbers.
    """
    try:
        route = msgspec.json.decode(_BARE_KEY.sub(r'\1"\2"\3', text))
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return []
    if not isinstance(route, dict):
        return []
    queues = {one.get("brokerName"): one for one in objects(route.get("queueDatas"))}
    found = []
    for broker in objects(route.get("brokerDatas")):
        name, addresses = broker.get("brokerName"), broker.get("brokerAddrs")
        if not isinstance(name, str) or not isinstance(addresses, dict):
            continue
        own = queues.get(name, {})
        found.append(
            TopicRoute(
                source=source,
                topic=topic,
                cluster=text_in(broker.get("cluster")),
                broker=name,
                addresses=tuple(str(address) for _, address in sorted(addresses.items(), key=_id)),
                read_queues=whole(own.get("readQueueNums")),
                write_queues=whole(own.get("writeQueueNums")),
                permission=whole(own.get("perm")),
            )
        )
    return found


def objects(value: object) -> list[dict[str, Any]]:
    """The objects of a list; none of another value."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _id(item: tuple[str, object]) -> int:
    return int(item[0]) if item[0].isdigit() else 0


def whole(value: object) -> int | None:
    """A whole number of 64 bits; None for all else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63 else None


def text_in(value: object) -> str | None:
    """A text that is not empty; None for all else."""
    return value if isinstance(value, str) and value else None
