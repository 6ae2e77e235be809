"""Clients 4.2.0 to 4.5.2: the size of cached bodies is counted and limited."""

from __future__ import annotations

from mqdiag.rocketmq.layout import Layout, Mark
from mqdiag.rocketmq.layouts import v4_0

LAYOUT = Layout(
    name="4.2",
    source="apache/rocketmq tags 4.2.0, 4.3.2: ProcessQueue",
    marks=(Mark(class_suffix=".client.impl.consumer.ProcessQueue", field="msgSize"),),
    names={
        "ProcessQueue.size": "msgSize",
        "ProcessQueue.in_flight": "consumingMsgOrderlyTreeMap",
    },
    parent=v4_0.LAYOUT,
)
