"""A pool of consume threads that are all at work."""

from __future__ import annotations

from mqdiag.facts.thread_pools import WorkerPool

BUSY = WorkerPool(
    role="consume-worker",
    pool="ConsumeMessageThread_CID",
    group="CID",
    threads=tuple(f"ConsumeMessageThread_CID_{number}" for number in range(1, 21)),
    progressing=20,
    busy=(20, 20, 19, 20, 20),
    shared_frame="com.acme.orders.InventoryClient.reserve(InventoryClient.java:48)",
    shared_doing="socket-read",
    shared_share=0.97,
)
