"""Clients 5.0.0: pop consumption beside pull."""

from __future__ import annotations

from mqdiag.rocketmq.layout import Layout, Mark
from mqdiag.rocketmq.layouts import v4_9

LAYOUT = Layout(
    name="5.0",
    source="apache/rocketmq tag 5.0.0: RebalanceImpl, PopProcessQueue",
    marks=(Mark(class_suffix=".client.impl.consumer.RebalanceImpl", field="popProcessQueueTable"),),
    names={
        "RebalanceImpl.pop_table": "popProcessQueueTable",
    },
    parent=v4_9.LAYOUT,
)
