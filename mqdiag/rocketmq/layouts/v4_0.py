"""Clients 4.0.0 and 4.1.0: the move to org.apache, nothing else that is read here."""

from __future__ import annotations

from mqdiag.rocketmq.layout import Layout, Mark
from mqdiag.rocketmq.layouts import v3_5

LAYOUT = Layout(
    name="4.0",
    source="apache/rocketmq tags 4.0.0-incubating, 4.1.0-incubating: ConsumeMessageConcurrentlyService",
    marks=(
        Mark(
            class_suffix=".client.impl.consumer.ConsumeMessageConcurrentlyService",
            field="cleanExpireMsgExecutors",
        ),
    ),
    names={
        "ConcurrentlyService.cleaner": "cleanExpireMsgExecutors",
    },
    parent=v3_5.LAYOUT,
)
