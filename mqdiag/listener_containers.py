"""What runs a listener in place of the plain client, and its own words for what the client calls settings and results.

The analysis of threads finds the container of a listener; rules and remedies name its settings.
"""

from __future__ import annotations

import msgspec

from mqdiag.text import Text, say


class ListenerContainer(msgspec.Struct, frozen=True, kw_only=True):
    """A framework or vendor's client that calls the application's listener."""

    name: str
    frames: tuple[str, ...]
    """prefixes of "package.Class.method" between the client and the listener"""
    more_threads: Text
    """where the number of consume threads is set"""
    consume_later: Text
    """how a listener says that it wants the message again"""


CONTAINERS: tuple[ListenerContainer, ...] = (
    # DefaultRocketMQListenerContainer$DefaultMessageListenerConcurrently.consumeMessage: apache/rocketmq-spring
    ListenerContainer(
        name="rocketmq-spring",
        frames=("org.apache.rocketmq.spring.support.DefaultRocketMQListenerContainer",),
        more_threads=say(
            "rocketmq-spring: raise consumeThreadNumber of @RocketMQMessageListener (consumeThreadMax before 2.2.3),"
            " where the downstream can take it; or add instances up to the number of queues."
        ),
        consume_later=say(
            "rocketmq-spring: let onMessage throw to consume the message again later; the container then answers"
            " RECONSUME_LATER. consumeTimeout of @RocketMQMessageListener is in minutes."
        ),
    ),
    # RocketMQInboundChannelAdapter.consumeMessage: alibaba/spring-cloud-alibaba
    ListenerContainer(
        name="Spring Cloud Stream",
        frames=("com.alibaba.cloud.stream.binder.rocketmq.",),
        more_threads=say(
            "Spring Cloud Stream: raise spring.cloud.stream.bindings.NAME.consumer.concurrency, where the downstream"
            " can take it; or add instances up to the number of queues."
        ),
        consume_later=say(
            "Spring Cloud Stream: let the function throw to consume the message again later. It is first tried again"
            " in the same thread, spring.cloud.stream.bindings.NAME.consumer.max-attempts times (3 by default)."
        ),
    ),
    # FluxMessageChannel.doSend, between the binder and a Function of Flux: spring-projects/spring-integration
    ListenerContainer(
        name="reactive Spring Cloud Stream",
        frames=("org.springframework.integration.channel.FluxMessageChannel.",),
        more_threads=say(
            "Spring Cloud Stream: a function of Flux takes one message after the other, whatever its concurrency. Use a"
            " Consumer of Message, move the call to other threads in the stream (flatMap, subscribeOn), or add"
            " instances up to the number of queues."
        ),
        consume_later=say(
            "Spring Cloud Stream: handle errors inside the stream (retryWhen, onErrorResume). The binder does not try a"
            " message of a function of Flux again."
        ),
    ),
    # ConsumerImpl$MessageListenerImpl.consumeMessage: com.aliyun.openservices:ons-client, from its published classes
    ListenerContainer(
        name="ONS",
        frames=("com.aliyun.openservices.ons.api.impl.",),
        more_threads=say(
            "ONS: raise PropertyKeyConst.ConsumeThreadNums, where the downstream can take it; or add instances."
        ),
        consume_later=say(
            "ONS: return Action.ReconsumeLater (OrderAction.Suspend when orderly) to consume the message again later."
            " PropertyKeyConst.ConsumeTimeout is in minutes."
        ),
    ),
    # ConsumeTask.call: apache/rocketmq-clients
    ListenerContainer(
        name="rocketmq-client-java",
        frames=("org.apache.rocketmq.client.java.impl.consumer.ConsumeTask.",),
        # a listener gets one message at a time, so no batch helps
        more_threads=say(
            "Give the consumer more threads with setConsumptionThreadCount of its PushConsumerBuilder, where the"
            " downstream can take it; or add instances."
        ),
        consume_later=say(
            "Client of RocketMQ 5: return ConsumeResult.FAILURE to consume the message again later."
        ),
    ),
)
_BY_NAME = {container.name: container for container in CONTAINERS}


def container_named(name: str | None) -> ListenerContainer | None:
    """The container of this name; None for the plain client, and for a name that is not known."""
    return None if name is None else _BY_NAME.get(name)


def container_of(methods: tuple[str, ...]) -> ListenerContainer | None:
    """The container on a stack, the one nearest to the listener; None for the plain client."""
    for method in methods:
        for container in CONTAINERS:
            if method.startswith(container.frames):
                return container
    return None
