"""Clients 4.6.0 to 4.8.0: lite pull, whose requests name their messages otherwise."""

from __future__ import annotations

from mqdiag.rocketmq.layout import Layout, Mark
from mqdiag.rocketmq.layouts import v4_2

LAYOUT = Layout(
    name="4.6",
    source="apache/rocketmq tags 4.6.0, 4.8.0: ClientConfig, DefaultLitePullConsumerImpl",
    marks=(Mark(class_suffix=".client.ClientConfig", field="pullTimeDelayMillsWhenException"),),
    names={
        "LitePullRequest.messages": "messageExts",
    },
    parent=v4_2.LAYOUT,
)
