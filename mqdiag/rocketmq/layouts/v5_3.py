"""Clients 5.3.0 to 5.3.3: tracing moved into ClientConfig; caches as in 5.2."""

from __future__ import annotations

from mqdiag.rocketmq.layout import Layout, Mark
from mqdiag.rocketmq.layouts import v5_2

LAYOUT = Layout(
    name="5.3",
    source="apache/rocketmq tags 5.3.0 to 5.3.3: ClientConfig",
    marks=(Mark(class_suffix=".client.ClientConfig", field="enableTrace"),),
    parent=v5_2.LAYOUT,
)
