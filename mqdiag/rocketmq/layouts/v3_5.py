"""Clients 3.5.3 to 3.5.8 (com.alibaba): messages expire after consumeTimeout."""

from __future__ import annotations

from mqdiag.rocketmq.layout import Layout, Mark
from mqdiag.rocketmq.layouts import v3_2

LAYOUT = Layout(
    name="3.5",
    source="com.alibaba 3.5.3, 3.5.5, 3.5.8: DefaultMQPushConsumer, ConsumeMessageConcurrentlyService",
    marks=(Mark(class_suffix=".client.consumer.DefaultMQPushConsumer", field="consumeTimeout"),),
    names={
        "ConcurrentlyService.cleaner": "CleanExpireMsgExecutors",
    },
    parent=v3_2.LAYOUT,
)
