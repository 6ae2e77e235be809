"""Clients 5.1.0 to 5.1.4: each message's property map starts with 128 slots."""

from __future__ import annotations

from mqdiag.rocketmq.layout import Layout, Mark
from mqdiag.rocketmq.layouts import v5_0

LAYOUT = Layout(
    name="5.1",
    source="apache/rocketmq tags 5.1.0 to 5.1.4: ClientConfig, MessageDecoder",
    marks=(Mark(class_suffix=".client.ClientConfig", field="socksProxyConfig"),),
    parent=v5_0.LAYOUT,
)
