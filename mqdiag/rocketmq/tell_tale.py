"""Classes by which a RocketMQ client is known, whatever package it was moved to."""

from __future__ import annotations

PROCESS_QUEUE = ".client.impl.consumer.ProcessQueue"
MESSAGE = ".common.message.MessageExt"
TELL_TALE = (
    PROCESS_QUEUE,
    ".client.consumer.DefaultMQPushConsumer",
    ".client.consumer.DefaultLitePullConsumer",
    ".client.consumer.DefaultMQPullConsumer",
    MESSAGE,
)
"""classes of the remoting client that relocation keeps the simple names of"""
