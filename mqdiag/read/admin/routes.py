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
    queues = {one.get("brokerName"): one for one in _objects(route.get("queueDatas"))}
    found = []
    for broker in _objects(route.get("brokerDatas")):
        name, addresses = broker.get("brokerName"), broker.get("brokerAddrs")
        if not isinstance(name, str) or not isinstance(addresses, dict):
            continue
        own = queues.get(name, {})
        found.append(
            TopicRoute(
                source=source,
                topic=topic,
                cluster=_text(broker.get("cluster")),
                broker=name,
                addresses=tuple(str(address) for _, address in sorted(addresses.items(), key=_id)),
                read_queues=_whole(own.get("readQueueNums")),
                write_queues=_whole(own.get("writeQueueNums")),
                permission=_whole(own.get("perm")),
            )
        )
    return found


def _objects(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _id(item: tuple[str, object]) -> int:
    return int(item[0]) if item[0].isdigit() else 0


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
