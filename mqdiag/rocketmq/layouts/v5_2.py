"""Clients 5.2.0: a stored offset is an object that can be frozen."""

from __future__ import annotations

from mqdiag.rocketmq.layout import Layout, Mark
from mqdiag.rocketmq.layouts import v5_1

LAYOUT = Layout(
    name="5.2",
    source="apache/rocketmq tag 5.2.0: ClientConfig, ControllableOffset",
    marks=(Mark(class_suffix=".client.ClientConfig", field="namespaceV2"),),
    names={
        "OffsetTable.value": "value.value",
    },
    parent=v5_1.LAYOUT,
)
