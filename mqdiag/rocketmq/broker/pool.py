"""TransientStorePool and whether the broker asks it."""

from __future__ import annotations

from mqdiag.facts.broker import ConfigValue, TransientStorePoolFacts
from mqdiag.graph.collections import items
from mqdiag.rocketmq.broker.commit_log import buffers_in_use
from mqdiag.rocketmq.broker.controllers import Controller, one


def pool_facts(
    broker: Controller, config: dict[str, ConfigValue], store_config: dict[str, ConfigValue]
) -> TransientStorePoolFacts | None:
    """None where the version has no pool (before 4.0.0)."""
    enabled = store_config.get("transientStorePoolEnable")
    if not isinstance(enabled, bool):
        return None
    pool = broker.first(broker.store, "transientStorePool")
    buffers = broker.first(pool, "availableBuffers")
    return TransientStorePoolFacts(
        enabled=enabled,
        pool_size=broker.number(pool, "poolSize"),
        available_buffers=int(items(broker.heap, one(buffers))[1].size) if buffers >= 0 else None,
        in_force=enabled and _asked(broker, config, store_config),
        buffers_in_use=buffers_in_use(broker),
    )


def _asked(broker: Controller, config: dict[str, ConfigValue], store_config: dict[str, ConfigValue]) -> bool:
    """As isTransientStorePoolEnable answers: of MessageStoreConfig up to 4.9.8, of DefaultMessageStore since 5.1.0.

    Up to 4.9.8 it asks for ASYNC_FLUSH; brokers with a ConsumeQueueStore (since 5.0.0) do not. In controller mode
    a slave has a pool as well.
    """
    master = store_config.get("brokerRole") != "SLAVE" or config.get("enableControllerMode") is True
    any_flush = broker.first(broker.store, "consumeQueueStore") >= 0
    return master and (any_flush or store_config.get("flushDiskType") == "ASYNC_FLUSH")
