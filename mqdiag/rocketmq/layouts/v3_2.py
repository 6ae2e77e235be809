"""Clients 3.2.6 to 3.5.1 (com.alibaba): count limit only, no expiry cleaning."""

from __future__ import annotations

from mqdiag.rocketmq.layout import Layout, Mark

LAYOUT = Layout(
    name="3.2",
    source="com.alibaba 3.2.6 and 3.4.6: ProcessQueue, PullRequest, DefaultMQPushConsumerImpl",
    marks=(Mark(class_suffix=".client.impl.consumer.ProcessQueue", field="msgTreeMap"),),
    names={
        "ProcessQueue.cached": "msgTreeMap",
        "ProcessQueue.in_flight": "msgTreeMapTemp",
        "ProcessQueue.count": "msgCount",
        "ProcessQueue.tree_lock": "lockTreeMap",
        "OffsetTable.value": "value",
        "ConsumeRequest.messages": "msgs",
    },
)
