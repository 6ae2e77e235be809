"""Broker settings that make sends faster at a price: the same words wherever stacks or rules offer one."""

from __future__ import annotations

from mqdiag.text import say

POOL_IF_ASYNC_MASTER = say(
    "On an ASYNC_FLUSH master transientStorePoolEnable=true (needs a restart) takes the writes off the page cache."
    " The price: messages that are not committed yet are lost if the JVM dies."
)
ASYNC_MASTER = say(
    "Until the slave is well, brokerRole=ASYNC_MASTER takes it out of the send path. The price: messages that the slave"
    " does not have yet are lost with the master."
)
ASYNC_FLUSH = say(
    "ASYNC_FLUSH takes the disk out of the send path. The price: messages that are not flushed yet are lost if the host"
    " goes down."
)
