"""Settings that differ: of consumers, brokers and the JVM."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mqdiag.facts import HeapFacts
from mqdiag.facts.diff import SettingChange, Value

OF_A_RUN = frozenset({"instanceName", "clientIP", "consumeTimestamp", "consumerGroup"})
"""differ from run to run by their nature"""
JVM = "JVM"


def setting_changes(before: HeapFacts, after: HeapFacts) -> tuple[SettingChange, ...]:
    """All settings that both sides know and that differ."""
    old, new = dict(_settings(before)), dict(_settings(after))
    return tuple(
        SettingChange(of=owner, key=key, before=old[owner][key], after=new[owner][key])
        for owner in old
        if owner in new
        for key in old[owner]
        if key in new[owner] and old[owner][key] != new[owner][key]
    )


def _settings(heap: HeapFacts) -> Iterator[tuple[str, Mapping[str, Value]]]:
    """What is set, by whose it is; of several consumers of a group those settings that they share."""
    yield JVM, {key: value for key, value in (("version", heap.jvm), ("heap limit", heap.heap_bytes)) if value}
    for group in dict.fromkeys(consumer.group for consumer in heap.consumers):
        own = [consumer for consumer in heap.consumers if consumer.group == group]
        first, *others = own
        shared: dict[str, Value] = {
            key: value
            for key, value in first.config.items()
            if key not in OF_A_RUN and all(other.config.get(key) == value for other in others)
        }
        if first.client_version is not None:
            shared["client version"] = first.client_version
        yield f"group {group}", shared
    broker = heap.broker
    if broker is not None:
        yield f"broker {broker.name or ''}".rstrip(), {**broker.config, **broker.store_config}
