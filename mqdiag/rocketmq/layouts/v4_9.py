"""Clients 4.9.0 to 4.9.8: the locks of a ProcessQueue are renamed."""

from __future__ import annotations

from mqdiag.rocketmq.layout import Layout, Mark
from mqdiag.rocketmq.layouts import v4_6

LAYOUT = Layout(
    name="4.9",
    source="apache/rocketmq tags 4.9.0 to 4.9.8: ProcessQueue",
    marks=(Mark(class_suffix=".client.impl.consumer.ProcessQueue", field="treeMapLock"),),
    names={
        "ProcessQueue.tree_lock": "treeMapLock",
    },
    parent=v4_6.LAYOUT,
)
