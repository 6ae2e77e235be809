"""Every class and field of RocketMQ that is read from a heap: its role, its Java name, the versions that have it.

Code asks by role, such as "ProcessQueue.in_flight". All names of a role are tried, the newest first: the structure of
an object decides what is read, never a version string. A new version of RocketMQ is added here and nowhere else.

Read in the sources of the releases: com.alibaba.rocketmq below 4.0.0, org.apache.rocketmq from there on to 5.5.0; of
JDK 7 to 25 and Netty 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from mqdiag.lazy_pattern import lazy_pattern


class JavaName(NamedTuple):
    """One row: what a role is called in some versions."""

    role: str
    """"Class" for a class, "Class.meaning" for a field"""
    versions: str
    """"4.2.0+", or "3.2.6-4.1.0" with the last version that has the name"""
    name: str
    """the field; or the class: behind the package root for one of RocketMQ, in full for any other"""
    source: str
    """module and release in which it was read"""

    def is_in(self, version: str) -> bool:
        """True when this version of RocketMQ has the name."""
        first, _, last = self.versions.rstrip("+").partition("-")
        return version_key(first) <= version_key(version) and not (
            last and version_key(version) > version_key(last)
        )


class Family(NamedTuple):
    """Versions of the client whose objects look alike; recognised by a field that no older family has."""

    name: str
    since: str
    """its first version"""
    mark_class: str
    mark_field: str
    source: str


FAMILIES = (
    Family("5.3", "5.3.0", ".client.ClientConfig", "enableTrace", "client 5.3.0"),
    Family("5.2", "5.2.0", ".client.ClientConfig", "namespaceV2", "client 5.2.0"),
    Family("5.1", "5.1.0", ".client.ClientConfig", "socksProxyConfig", "client 5.1.0"),
    Family("5.0", "5.0.0", ".client.impl.consumer.RebalanceImpl", "popProcessQueueTable", "client 5.0.0"),
    Family("4.9", "4.9.0", ".client.impl.consumer.ProcessQueue", "treeMapLock", "client 4.9.0"),
    Family("4.6", "4.6.0", ".client.ClientConfig", "pullTimeDelayMillsWhenException", "client 4.6.0"),
    Family("4.2", "4.2.0", ".client.impl.consumer.ProcessQueue", "msgSize", "client 4.2.0"),
    Family(
        "4.0",
        "4.0.0",
        ".client.impl.consumer.ConsumeMessageConcurrentlyService",
        "cleanExpireMsgExecutors",
        "client 4.0.0-incubating",
    ),
    Family("3.5", "3.5.3", ".client.consumer.DefaultMQPushConsumer", "consumeTimeout", "client 3.5.3"),
    Family("3.2", "3.2.6", ".client.impl.consumer.ProcessQueue", "msgTreeMap", "client 3.2.6"),
)
"""newest first: the first whose mark is in the dump is taken"""

ROWS = tuple(
    JavaName(*row)
    for row in (
        # Queues of a consumer
        ("ProcessQueue", "3.2.6+", ".client.impl.consumer.ProcessQueue", "client 3.2.6"),
        ("ProcessQueue.messages", "3.2.6+", "msgTreeMap", "client 3.2.6"),
        ("ProcessQueue.in_flight", "4.2.0+", "consumingMsgOrderlyTreeMap", "client 4.2.0"),
        ("ProcessQueue.in_flight", "3.2.6-4.1.0", "msgTreeMapTemp", "client 3.2.6"),
        ("ProcessQueue.count", "3.2.6+", "msgCount", "client 3.2.6"),
        ("ProcessQueue.size", "4.2.0+", "msgSize", "client 4.2.0"),
        ("TreeMap.size", "3.2.6+", "size", "JDK 17: java.util.TreeMap"),
        ("ProcessQueue.map_lock", "4.9.0+", "treeMapLock", "client 4.9.0"),
        ("ProcessQueue.map_lock", "3.2.6-4.8.0", "lockTreeMap", "client 3.2.6"),
        ("ProcessQueue.dropped", "3.2.6+", "dropped", "client 3.2.6"),
        ("ProcessQueue.locked", "3.2.6+", "locked", "client 3.2.6"),
        ("ProcessQueue.last_lock_ms", "3.2.6+", "lastLockTimestamp", "client 3.2.6"),
        ("ProcessQueue.last_pull_ms", "3.2.6+", "lastPullTimestamp", "client 3.2.6"),
        ("ProcessQueue.last_consume_ms", "3.2.6+", "lastConsumeTimestamp", "client 3.2.6"),
        ("ProcessQueue.highest_offset", "3.2.6+", "queueOffsetMax", "client 3.2.6"),
        ("ProcessQueue.left_on_broker", "3.2.6+", "msgAccCnt", "client 3.2.6"),
        ("MessageQueue.topic", "3.2.6+", "topic", "common 3.2.6"),
        ("MessageQueue.broker", "3.2.6+", "brokerName", "common 3.2.6"),
        ("MessageQueue.queue_id", "3.2.6+", "queueId", "common 3.2.6"),
        ("PullRequest", "3.2.6+", ".client.impl.consumer.PullRequest", "client 3.2.6"),
        ("PullRequest.process_queue", "3.2.6+", "processQueue", "client 3.2.6"),
        ("PullRequest.queue", "3.2.6+", "messageQueue", "client 3.2.6"),
        ("PullRequest.group", "3.2.6+", "consumerGroup", "client 3.2.6"),
        ("PullRequest.next_offset", "3.2.6+", "nextOffset", "client 3.2.6"),
        (
            "MessageQueueState",
            "4.6.0+",
            ".client.impl.consumer.AssignedMessageQueue$MessageQueueState",
            "client 4.6.0",
        ),
        ("MessageQueueState.assigned_queues", "4.6.0+", "this$0", "client 4.6.0"),
        ("MessageQueueState.process_queue", "4.6.0+", "processQueue", "client 4.6.0"),
        ("MessageQueueState.queue", "4.6.0+", "messageQueue", "client 4.6.0"),
        ("AssignedMessageQueue.rebalance", "4.6.0+", "rebalanceImpl", "client 4.6.0"),
        # Messages
        ("Message", "3.2.6+", ".common.message.Message", "common 3.2.6"),
        ("Message.topic", "3.2.6+", "topic", "common 3.2.6"),
        ("Message.body", "3.2.6+", "body", "common 3.2.6"),
        ("Message.properties", "3.2.6+", "properties", "common 3.2.6"),
        ("MessageExt", "3.2.6+", ".common.message.MessageExt", "common 3.2.6"),
        ("MessageExt.queue_id", "3.2.6+", "queueId", "common 3.2.6"),
        ("MessageExt.queue_offset", "3.2.6+", "queueOffset", "common 3.2.6"),
        ("MessageExt.broker", "4.7.1+", "brokerName", "common 4.7.1"),
        ("MessageExt.id", "3.2.6+", "msgId", "common 3.2.6"),
        ("MessageExt.stored_bytes", "3.2.6+", "storeSize", "common 3.2.6"),
        ("MessageExt.born_ms", "3.2.6+", "bornTimestamp", "common 3.2.6"),
        ("MessageExt.stored_ms", "3.2.6+", "storeTimestamp", "common 3.2.6"),
        ("MessageExt.redeliveries", "3.2.6+", "reconsumeTimes", "common 3.2.6"),
        ("MessageClientExt", "3.5.1+", ".common.message.MessageClientExt", "common 4.0.0-incubating"),
        # Consumers
        ("DefaultMQPushConsumer", "3.2.6+", ".client.consumer.DefaultMQPushConsumer", "client 3.2.6"),
        ("DefaultMQPushConsumer.implementation", "3.2.6+", "defaultMQPushConsumerImpl", "client 3.2.6"),
        ("DefaultMQPushConsumerImpl.consumer", "3.2.6+", "defaultMQPushConsumer", "client 3.2.6"),
        ("DefaultMQPushConsumerImpl.orderly", "3.2.6+", "consumeOrderly", "client 3.2.6"),
        ("DefaultMQPushConsumerImpl.service", "3.2.6+", "consumeMessageService", "client 3.2.6"),
        ("DefaultMQPushConsumerImpl.pop_service", "5.0.0+", "consumeMessagePopService", "client 5.0.0"),
        ("DefaultLitePullConsumer", "4.6.0+", ".client.consumer.DefaultLitePullConsumer", "client 4.6.0"),
        ("DefaultLitePullConsumer.implementation", "4.6.0+", "defaultLitePullConsumerImpl", "client 4.6.0"),
        ("DefaultLitePullConsumerImpl.consumer", "4.6.0+", "defaultLitePullConsumer", "client 4.6.0"),
        ("DefaultLitePullConsumerImpl.requests", "4.6.0+", "consumeRequestCache", "client 4.6.0"),
        ("DefaultMQPullConsumer", "3.2.6+", ".client.consumer.DefaultMQPullConsumer", "client 3.2.6"),
        ("DefaultMQPullConsumer.implementation", "3.2.6+", "defaultMQPullConsumerImpl", "client 3.2.6"),
        ("DefaultMQPullConsumerImpl.consumer", "3.2.6+", "defaultMQPullConsumer", "client 3.2.6"),
        # the same names in all three classes, and in their implementations
        ("Consumer.group", "3.2.6+", "consumerGroup", "client 3.2.6"),
        ("Consumer.offset_store", "3.2.6+", "offsetStore", "client 3.2.6"),
        ("ConsumerImpl.rebalance", "3.2.6+", "rebalanceImpl", "client 3.2.6"),
        ("ConsumerImpl.instance", "3.2.6+", "mQClientFactory", "client 3.2.6"),
        ("ConsumerImpl.offset_store", "3.2.6+", "offsetStore", "client 3.2.6"),
        ("ConsumerImpl.started_ms", "3.2.6+", "consumerStartTimestamp", "client 3.2.6"),
        ("RebalanceImpl", "3.2.6+", ".client.impl.consumer.RebalanceImpl", "client 3.2.6"),
        ("RebalanceImpl.group", "3.2.6+", "consumerGroup", "client 3.2.6"),
        ("RebalanceImpl.process_queues", "3.2.6+", "processQueueTable", "client 3.2.6"),
        ("RebalanceImpl.pop_queues", "5.0.0+", "popProcessQueueTable", "client 5.0.0"),
        ("RebalanceImpl.subscriptions", "3.2.6+", "subscriptionInner", "client 3.2.6"),
        ("RebalanceImpl.topic_queues", "3.2.6+", "topicSubscribeInfoTable", "client 3.2.6"),
        # an AtomicLong up to 5.1.4, a ControllableOffset around one since 5.2.0
        ("OffsetStore.offsets", "3.2.6+", "offsetTable", "client 3.2.6"),
        ("ControllableOffset.offset", "5.2.0+", "value", "client 5.2.0"),
        # Requests to consume and the services that run them
        (
            "ConsumeRequest",
            "3.2.6+",
            ".client.impl.consumer.ConsumeMessageConcurrentlyService$ConsumeRequest",
            "client 3.2.6",
        ),
        (
            "ConsumeRequest",
            "3.2.6+",
            ".client.impl.consumer.ConsumeMessageOrderlyService$ConsumeRequest",
            "client 3.2.6",
        ),
        (
            "ConsumeRequest",
            "5.0.0+",
            ".client.impl.consumer.ConsumeMessagePopConcurrentlyService$ConsumeRequest",
            "client 5.0.0",
        ),
        (
            "ConsumeRequest",
            "5.0.0+",
            ".client.impl.consumer.ConsumeMessagePopOrderlyService$ConsumeRequest",
            "client 5.0.0",
        ),
        (
            "ConsumeRequest",
            "4.6.0+",
            ".client.impl.consumer.DefaultLitePullConsumerImpl$ConsumeRequest",
            "client 4.6.0",
        ),
        ("ConsumeRequest.messages", "4.6.0+", "messageExts", "client 4.6.0"),
        ("ConsumeRequest.messages", "3.2.6+", "msgs", "client 3.2.6"),
        ("ConsumeRequest.process_queue", "3.2.6+", "processQueue", "client 3.2.6"),
        ("ConsumeRequest.queue", "3.2.6+", "messageQueue", "client 3.2.6"),
        ("ConsumeRequest.service", "3.2.6+", "this$0", "client 3.2.6"),
        (
            "ConcurrentlyService",
            "3.2.6+",
            ".client.impl.consumer.ConsumeMessageConcurrentlyService",
            "client 3.2.6",
        ),
        ("ConcurrentlyService.retry_executor", "3.2.6+", "scheduledExecutorService", "client 3.2.6"),
        ("ConcurrentlyService.cleaner", "4.0.0+", "cleanExpireMsgExecutors", "client 4.0.0-incubating"),
        ("ConcurrentlyService.cleaner", "3.5.3-3.5.8", "CleanExpireMsgExecutors", "client 3.5.3"),
        # the same names in the concurrent, orderly and pop services
        ("ConsumeService.consumer", "3.2.6+", "defaultMQPushConsumer", "client 3.2.6"),
        ("ConsumeService.group", "3.2.6+", "consumerGroup", "client 3.2.6"),
        ("ConsumeService.executor", "3.2.6+", "consumeExecutor", "client 3.2.6"),
        # Client instances and their statistics
        ("MQClientInstance", "3.2.6+", ".client.impl.factory.MQClientInstance", "client 3.2.6"),
        ("MQClientInstance.client_id", "3.2.6+", "clientId", "client 3.2.6"),
        ("MQClientInstance.state", "3.2.6+", "serviceState", "client 3.2.6"),
        ("MQClientInstance.consumers", "3.2.6+", "consumerTable", "client 3.2.6"),
        ("MQClientInstance.producers", "3.2.6+", "producerTable", "client 3.2.6"),
        ("MQClientInstance.pull_service", "3.2.6+", "pullMessageService", "client 3.2.6"),
        ("MQClientInstance.api", "3.2.6+", "mQClientAPIImpl", "client 3.2.6"),
        ("MQClientInstance.statistics", "3.2.6+", "consumerStatsManager", "client 3.2.6"),
        ("MQClientAPIImpl.remoting", "3.2.6+", "remotingClient", "client 3.2.6"),
        ("ServiceThread.thread", "3.2.6+", "thread", "common 3.2.6"),
        ("ServiceThread.stopped", "4.0.0+", "stopped", "common 4.0.0-incubating"),
        ("ServiceThread.stopped", "3.2.6-3.5.8", "stoped", "common 3.2.6"),
        ("ConsumerStatsManager.consumed", "3.2.6+", "topicAndGroupConsumeOKTPS", "client 3.2.6"),
        ("ConsumerStatsManager.failed", "3.2.6+", "topicAndGroupConsumeFailedTPS", "client 3.2.6"),
        ("ConsumerStatsManager.pulled", "3.2.6+", "topicAndGroupPullTPS", "client 3.2.6"),
        ("ConsumerStatsManager.consume_time", "3.2.6+", "topicAndGroupConsumeRT", "client 3.2.6"),
        ("StatsItemSet.items", "3.2.6+", "statsItemTable", "common 3.2.6"),
        ("StatsItem.minute_snapshots", "3.2.6+", "csListMinute", "common 3.2.6"),
        ("StatsItem.value", "3.2.6+", "value", "common 3.2.6"),
        ("StatsItem.times", "3.2.6+", "times", "common 3.2.6"),
        ("CallSnapshot", "3.2.6+", ".common.stats.CallSnapshot", "common 3.2.6"),
        ("CallSnapshot.at_ms", "3.2.6+", "timestamp", "common 3.2.6"),
        ("CallSnapshot.value", "3.2.6+", "value", "common 3.2.6"),
        ("CallSnapshot.times", "3.2.6+", "times", "common 3.2.6"),
        ("MQVersion", "3.2.6+", ".common.MQVersion", "common 3.2.6"),
        ("MQVersion.current", "4.0.0+", "CURRENT_VERSION", "common 4.0.0-incubating"),
        ("MQVersion.current", "3.2.6-3.5.8", "CurrentVersion", "common 3.2.6"),
        ("Version", "3.2.6+", ".common.MQVersion$Version", "common 3.2.6"),
        # Producers and connections
        ("DefaultMQProducer", "3.2.6+", ".client.producer.DefaultMQProducer", "client 3.2.6"),
        ("DefaultMQProducer.group", "3.2.6+", "producerGroup", "client 3.2.6"),
        ("DefaultMQProducer.implementation", "3.2.6+", "defaultMQProducerImpl", "client 3.2.6"),
        ("DefaultMQProducerImpl.state", "3.2.6+", "serviceState", "client 3.2.6"),
        ("DefaultMQProducerImpl.instance", "3.2.6+", "mQClientFactory", "client 3.2.6"),
        ("DefaultMQProducerImpl.async_queue", "4.4.0+", "asyncSenderThreadPoolQueue", "client 4.4.0"),
        ("DefaultMQProducerImpl.async_permits", "5.0.0+", "semaphoreAsyncSendNum", "client 5.0.0"),
        ("DefaultMQProducerImpl.async_bytes", "5.0.0+", "semaphoreAsyncSendSize", "client 5.0.0"),
        ("RequestFutureHolder", "4.9.3+", ".client.producer.RequestFutureHolder", "client 4.9.4"),
        ("RequestFutureHolder.futures", "4.9.3+", "requestFutureTable", "client 4.9.4"),
        ("RequestFutureTable", "4.6.0-4.9.2", ".client.producer.RequestFutureTable", "client 4.6.0"),
        ("RequestFutureTable.futures", "4.6.0-4.9.2", "requestFutureTable", "client 4.6.0"),
        ("NettyRemotingClient", "3.2.6+", ".remoting.netty.NettyRemotingClient", "remoting 3.2.6"),
        ("NettyRemotingClient.responses", "3.2.6+", "responseTable", "remoting 3.2.6"),
        ("NettyRemotingClient.channels", "3.2.6+", "channelTables", "remoting 3.2.6"),
        ("NettyRemotingClient.name_servers", "3.2.6+", "namesrvAddrList", "remoting 3.2.6"),
        ("AtomicReference.value", "JDK 7+", "value", "java.util.concurrent.atomic.AtomicReference"),
        ("NettyRemotingClient.async_permits", "3.2.6+", "semaphoreAsync", "remoting 3.2.6"),
        ("NettyRemotingClient.oneway_permits", "3.2.6+", "semaphoreOneway", "remoting 3.2.6"),
        ("NettyRemotingClient.config", "3.2.6+", "nettyClientConfig", "remoting 3.2.6"),
        ("NettyClientConfig.async_permits", "3.2.6+", "clientAsyncSemaphoreValue", "remoting 3.2.6"),
        ("NettyClientConfig.oneway_permits", "3.2.6+", "clientOnewaySemaphoreValue", "remoting 3.2.6"),
        ("ChannelWrapper.future", "3.2.6+", "channelFuture", "remoting 3.2.6"),
        # the same names in ResponseFuture and, since 4.6.0, RequestResponseFuture
        ("ResponseFuture.began_ms", "3.2.6+", "beginTimestamp", "remoting 3.2.6"),
        ("ResponseFuture.timeout_ms", "3.2.6+", "timeoutMillis", "remoting 3.2.6"),
        # The gRPC client, rocketmq-client-java
        ("GrpcClient", "5.0.0+", ".client.java.impl.ClientImpl", "client-java 5.0.0"),
        ("GrpcClient.id", "5.0.0+", "clientId", "client-java 5.0.0"),
        ("GrpcClient.endpoints", "5.0.0+", "endpoints", "client-java 5.0.0"),
        ("GrpcClient.settings", "5.0.0+", "clientConfiguration", "client-java 5.0.0"),
        ("GrpcClient.service", "5.0.0+", "delegate", "guava 31.1: AbstractIdleService"),
        ("GrpcClientId.text", "5.0.2+", "id", "client-java 5.0.2"),
        ("Endpoints.text", "5.0.0+", "facade", "client-java 5.0.0"),
        ("ClientConfiguration.request_timeout", "5.0.0+", "requestTimeout", "client-java 5.0.0"),
        ("UserAgent", "5.0.0+", ".client.java.impl.UserAgent", "client-java 5.0.0"),
        ("UserAgent.version", "5.0.0+", "version", "client-java 5.0.0"),
        ("GuavaService.snapshot", "5.0.0+", "snapshot", "guava 31.1: AbstractService"),
        ("GuavaSnapshot.state", "5.0.0+", "state", "guava 31.1: AbstractService$StateSnapshot"),
        ("GrpcPushConsumer", "5.0.0+", ".client.java.impl.consumer.PushConsumerImpl", "client-java 5.0.0"),
        ("GrpcPushConsumer.settings", "5.0.2+", "pushSubscriptionSettings", "client-java 5.0.2"),
        ("GrpcPushConsumer.settings", "5.0.0-5.0.1", "pushConsumerSettings", "client-java 5.0.0"),
        ("GrpcPushConsumer.most_messages", "5.0.0+", "maxCacheMessageCount", "client-java 5.0.0"),
        ("GrpcPushConsumer.executor", "5.0.0+", "consumptionExecutor", "client-java 5.0.0"),
        ("GrpcPushConsumer.process_queues", "5.0.0+", "processQueueTable", "client-java 5.0.0"),
        ("GrpcPushConsumer.receptions", "5.0.0+", "receptionTimes", "client-java 5.0.0"),
        ("GrpcPushConsumer.received", "5.0.0+", "receivedMessagesQuantity", "client-java 5.0.0"),
        ("GrpcPushConsumer.succeeded", "5.0.0+", "consumptionOkQuantity", "client-java 5.0.0"),
        ("GrpcPushConsumer.failed", "5.0.0+", "consumptionErrorQuantity", "client-java 5.0.0"),
        ("GrpcPushSettings.fifo", "5.0.0+", "fifo", "client-java 5.0.0"),
        ("GrpcPushSettings.batch", "5.0.0+", "receiveBatchSize", "client-java 5.0.0"),
        ("GrpcPushSettings.long_polling", "5.0.0+", "longPollingTimeout", "client-java 5.0.0"),
        ("GrpcSettings.retry", "5.0.0+", "retryPolicy", "client-java 5.0.0"),
        ("RetryPolicy.attempts", "5.0.0+", "maxAttempts", "client-java 5.0.0"),
        ("GrpcSimpleConsumer", "5.0.0+", ".client.java.impl.consumer.SimpleConsumerImpl", "client-java 5.0.0"),
        ("GrpcSimpleConsumer.await", "5.0.0+", "awaitDuration", "client-java 5.0.0"),
        # the same name in both, and in their superclass
        ("GrpcConsumer.group", "5.0.0+", "consumerGroup", "client-java 5.0.0"),
        ("GrpcProducer", "5.0.0+", ".client.java.impl.producer.ProducerImpl", "client-java 5.0.0"),
        ("GrpcProducer.checker", "5.0.0+", "checker", "client-java 5.0.0"),
        ("GrpcProcessQueue", "5.0.0+", ".client.java.impl.consumer.ProcessQueueImpl", "client-java 5.0.0"),
        ("GrpcProcessQueue.consumer", "5.0.0+", "consumer", "client-java 5.0.0"),
        ("GrpcProcessQueue.queue", "5.0.0+", "mq", "client-java 5.0.0"),
        ("GrpcProcessQueue.messages", "5.0.2+", "cachedMessages", "client-java 5.0.2"),
        ("GrpcProcessQueue.messages", "5.0.0-5.0.1", "pendingMessages", "client-java 5.0.0"),
        ("GrpcProcessQueue.in_flight", "5.0.0-5.0.1", "inflightMessages", "client-java 5.0.0"),
        ("GrpcProcessQueue.bytes", "5.0.0+", "cachedMessagesBytes", "client-java 5.0.0"),
        ("GrpcProcessQueue.dropped", "5.0.0+", "dropped", "client-java 5.0.0"),
        ("GrpcProcessQueue.lock", "5.0.2+", "cachedMessageLock", "client-java 5.0.2"),
        ("GrpcProcessQueue.lock", "5.0.0-5.0.1", "pendingMessagesLock", "client-java 5.0.0"),
        ("GrpcProcessQueue.asked_nanos", "5.0.0+", "activityNanoTime", "client-java 5.0.0"),
        ("GrpcProcessQueue.full_nanos", "5.0.2+", "cacheFullNanoTime", "client-java 5.0.2"),
        ("GrpcMessageQueue.topic", "5.0.0+", "topicResource", "client-java 5.0.0"),
        ("GrpcMessageQueue.broker", "5.0.0+", "broker", "client-java 5.0.0"),
        ("GrpcMessageQueue.queue_id", "5.0.0+", "queueId", "client-java 5.0.0"),
        ("GrpcResource.name", "5.0.0+", "name", "client-java 5.0.0: Resource and Broker"),
        ("MessageView", "5.0.0+", ".client.java.message.MessageViewImpl", "client-java 5.0.0"),
        ("MessageView.body", "5.0.0+", "body", "client-java 5.0.0"),
        ("MessageView.topic", "5.0.0+", "topic", "client-java 5.0.0"),
        ("MessageView.offset", "5.0.0+", "offset", "client-java 5.0.0"),
        ("MessageView.attempt", "5.0.0+", "deliveryAttempt", "client-java 5.0.0"),
        ("MessageView.queue", "5.0.0+", "messageQueue", "client-java 5.0.0"),
        ("MessageView.id", "5.0.0+", "messageId", "client-java 5.0.0"),
        ("MessageView.received_ms", "5.0.2+", "decodeTimestamp", "client-java 5.0.2"),
        ("GrpcMessageId.version", "5.0.0+", "version", "client-java 5.0.0"),
        ("GrpcMessageId.suffix", "5.0.0+", "suffix", "client-java 5.0.0"),
        ("GrpcMessage", "5.0.0+", ".client.java.message.MessageImpl", "client-java 5.0.0"),
        ("GrpcMessage.body", "5.0.0+", "body", "client-java 5.0.0"),
        ("ConsumeTask", "5.0.0+", ".client.java.impl.consumer.ConsumeTask", "client-java 5.0.0"),
        ("ConsumeTask.message", "5.0.0+", "messageView", "client-java 5.0.0"),
        (
            "GuavaTask",
            "5.0.0+",
            ".common.util.concurrent.TrustedListenableFutureTask$TrustedFutureInterruptibleTask",
            "guava 31.1",
        ),
        ("GuavaTask.callable", "5.0.0+", "callable", "guava 31.1"),
        ("GuavaTask.runner", "5.0.0+", "value", "guava 31.1: InterruptibleTask is an AtomicReference"),
        ("GuavaTask.future", "5.0.0+", "this$0", "guava 31.1"),
        # The broker and its store
        ("BrokerController", "3.2.6+", ".broker.BrokerController", "broker 3.2.6"),
        ("BrokerController.store", "3.2.6+", "messageStore", "broker 3.2.6"),
        ("BrokerController.config", "3.2.6+", "brokerConfig", "broker 3.2.6"),
        ("BrokerController.store_config", "3.2.6+", "messageStoreConfig", "broker 3.2.6"),
        ("BrokerController.long_polling", "3.2.6+", "pullRequestHoldService", "broker 3.2.6"),
        ("BrokerController.pop_processor", "5.0.0+", "popMessageProcessor", "broker 5.0.0"),
        ("BrokerController.statistics", "3.2.6+", "brokerStatsManager", "broker 3.2.6"),
        ("BrokerController.consumers", "3.2.6+", "consumerManager", "broker 3.2.6"),
        ("BrokerController.producers", "3.2.6+", "producerManager", "broker 3.2.6"),
        ("BrokerController.offsets", "3.2.6+", "consumerOffsetManager", "broker 3.2.6"),
        ("BrokerController.topics", "3.2.6+", "topicConfigManager", "broker 3.2.6"),
        ("PullRequestHoldService.requests", "3.2.6+", "pullRequestTable", "broker 3.2.6"),
        ("ManyPullRequest.requests", "3.2.6+", "pullRequestList", "broker 3.2.6"),
        ("PopMessageProcessor.buffer_service", "5.0.0+", "popBufferMergeService", "broker 5.0.0"),
        ("PopBufferMergeService.buffer", "5.0.0+", "buffer", "broker 5.0.0"),
        ("PopBufferMergeService.commit_offsets", "5.0.0+", "commitOffsets", "broker 5.0.0"),
        ("BrokerStatsManager.statistics", "3.2.6+", "statsTable", "store 3.2.6"),
        ("ConsumerManager.consumers", "3.2.6+", "consumerTable", "broker 3.2.6"),
        ("ProducerManager.channels", "3.2.6+", "groupChannelTable", "broker 3.2.6"),
        ("ConsumerOffsetManager.offsets", "3.2.6+", "offsetTable", "broker 3.2.6"),
        ("TopicConfigManager.topics", "3.2.6+", "topicConfigTable", "broker 3.2.6"),
        ("FutureTaskExt.task", "4.0.0+", "runnable", "broker 4.0.0-incubating"),
        ("RequestTask.created_ms", "3.5.8+", "createTimestamp", "remoting 3.5.8"),
        ("PluginMessageStore.next", "4.0.0+", "next", "broker 4.0.0-incubating"),
        ("MessageStore.commit_log", "3.2.6+", "commitLog", "store 3.2.6"),
        ("MessageStore.consume_queue_store", "5.0.0+", "consumeQueueStore", "store 5.0.0"),
        ("MessageStore.consume_queues", "3.2.6-4.9.8", "consumeQueueTable", "store 3.2.6"),
        ("ConsumeQueueStore.consume_queues", "5.0.0+", "consumeQueueTable", "store 5.0.0"),
        ("MessageStore.buffer_pool", "4.0.0+", "transientStorePool", "store 4.0.0-incubating"),
        ("MessageStore.flags", "3.2.6+", "runningFlags", "store 3.2.6"),
        ("MessageStore.replication", "3.2.6+", "haService", "store 3.2.6"),
        ("RunningFlags.bits", "3.2.6+", "flagBits", "store 3.2.6"),
        ("CommitLog.file_queue", "4.0.0+", "mappedFileQueue", "store 4.0.0-incubating"),
        ("CommitLog.file_queue", "3.2.6-3.5.8", "mapedFileQueue", "store 3.2.6"),
        ("CommitLog.lock", "4.1.0+", "putMessageLock", "store 4.1.0-incubating"),
        ("CommitLog.lock_began_ms", "4.5.2+", "beginTimeInDledgerLock", "store 4.5.2"),
        ("CommitLog.lock_began_ms", "3.4.6+", "beginTimeInLock", "store 4.0.0-incubating"),
        ("PutMessageLock.spin_flag", "4.1.0+", "putMessageSpinLock", "store 4.1.0-incubating"),
        ("PutMessageLock.reentrant", "4.1.0+", "putMessageNormalLock", "store 4.1.0-incubating"),
        ("MappedFileQueue.files", "4.0.0+", "mappedFiles", "store 4.0.0-incubating"),
        ("MappedFileQueue.files", "3.2.6-3.5.8", "mapedFiles", "store 3.2.6"),
        ("MappedFileQueue.file_bytes", "4.0.0+", "mappedFileSize", "store 4.0.0-incubating"),
        ("MappedFileQueue.file_bytes", "3.2.6-3.5.8", "mapedFileSize", "store 3.2.6"),
        # 3.x has one position only, under the name that means "in the page cache" since 4.0.0
        ("MappedFileQueue.flushed", "4.0.0+", "flushedWhere", "store 4.0.0-incubating"),
        ("MappedFileQueue.committed", "3.2.6+", "committedWhere", "store 3.2.6"),
        ("MappedFile", "5.0.0+", ".store.logfile.DefaultMappedFile", "store 5.0.0"),
        ("MappedFile", "4.0.0-4.9.8", ".store.MappedFile", "store 4.0.0-incubating"),
        ("MappedFile.first_offset", "3.2.6+", "fileFromOffset", "store 3.2.6"),
        # numbers since 5.0.0, AtomicIntegers before
        ("MappedFile.wrote", "4.0.0+", "wrotePosition", "store 4.0.0-incubating"),
        ("MappedFile.wrote", "3.2.6-3.5.8", "wrotePostion", "store 3.2.6"),
        ("MappedFile.committed", "3.2.6+", "committedPosition", "store 3.2.6"),
        ("MappedFile.buffer", "4.0.0+", "writeBuffer", "store 4.0.0-incubating"),
        ("TransientStorePool.free_buffers", "4.0.0+", "availableBuffers", "store 4.0.0-incubating"),
        ("TransientStorePool.size", "4.0.0+", "poolSize", "store 4.0.0-incubating"),
        ("HAService.connections", "3.2.6+", "connectionList", "store 3.2.6"),
        ("HAConnection.acknowledged", "3.2.6+", "slaveAckOffset", "store 3.2.6"),
        ("HAConnection.address", "5.0.0+", "clientAddress", "store 5.0.0"),
        ("HAConnection.address", "3.2.6-4.9.8", "clientAddr", "store 3.2.6"),
        ("BrokerController.acknowledgements", "5.0.0+", "ackMessageProcessor", "broker 5.0.0"),
        ("AckMessageProcessor.revive_services", "5.0.0+", "popReviveServices", "broker 5.0.0"),
        ("PopReviveService.queue_id", "5.0.0+", "queueId", "broker 5.0.0"),
        ("PopReviveService.runs", "5.0.0+", "shouldRunPopRevive", "broker 5.0.0"),
        ("PopReviveService.due_ms", "5.1.0+", "currentReviveMessageTimestamp", "broker 5.1.4"),
        ("PopReviveService.unfinished", "5.1.0+", "inflightReviveRequestMap", "broker 5.1.4"),
        ("DLedgerCommitLog", "4.5.0+", ".store.dledger.DLedgerCommitLog", "store 4.6.0"),
        # Other servers
        ("NamesrvController", "3.2.6+", ".namesrv.NamesrvController", "namesrv 3.2.6"),
        ("ControllerManager", "5.0.0+", ".controller.ControllerManager", "controller 5.0.0"),
        ("Proxy", "5.0.0+", ".proxy.processor.DefaultMessagingProcessor", "proxy 5.0.0"),
        ("Proxy.services", "5.0.0+", "serviceManager", "proxy 5.0.0"),
        ("Proxy.sends", "5.0.0+", "producerProcessorExecutor", "proxy 5.0.0"),
        ("Proxy.receives", "5.0.0+", "consumerProcessorExecutor", "proxy 5.0.0"),
        ("GrpcRequests", "5.0.0+", ".proxy.grpc.v2.GrpcMessagingApplication", "proxy 5.0.0"),
        ("GrpcRequests.routes", "5.0.0+", "routeThreadPoolExecutor", "proxy 5.0.0"),
        ("GrpcRequests.sends", "5.0.0+", "producerThreadPoolExecutor", "proxy 5.0.0"),
        ("GrpcRequests.receives", "5.0.0+", "consumerThreadPoolExecutor", "proxy 5.0.0"),
        ("GrpcRequests.clients", "5.0.0+", "clientManagerThreadPoolExecutor", "proxy 5.0.0"),
        ("GrpcRequests.transactions", "5.0.0+", "transactionThreadPoolExecutor", "proxy 5.0.0"),
        ("LocalServices", "5.0.0+", ".proxy.service.LocalServiceManager", "proxy 5.0.0"),
        ("ClusterServices", "5.0.0+", ".proxy.service.ClusterServiceManager", "proxy 5.0.0"),
        ("ProxyConfig", "5.0.0+", ".proxy.config.ProxyConfig", "proxy 5.0.0"),
        ("GrpcChannels", "5.0.0+", ".proxy.grpc.v2.channel.GrpcChannelManager", "proxy 5.0.0"),
        ("GrpcChannels.clients", "5.1.0+", "clientIdChannelMap", "proxy 5.1.0"),
        ("GrpcChannels.relayed", "5.0.0+", "resultNonceFutureMap", "proxy 5.0.0"),
        ("RelayedRequest.created_ms", "5.0.0+", "createTime", "proxy 5.0.0: GrpcChannelManager$ResultFuture"),
        ("ReceiptHandles", "5.2.0+", ".proxy.service.receipt.DefaultReceiptHandleManager", "proxy 5.2.0"),
        ("ReceiptHandles", "5.0.0-5.1.4", ".proxy.processor.ReceiptHandleProcessor", "proxy 5.0.0"),
        ("ReceiptHandles.groups", "5.0.0+", "receiptHandleGroupMap", "proxy 5.0.0"),
        ("HandlesKey.group", "5.0.0+", "group", "proxy 5.0.0"),
        ("HandlesKey.channel", "5.1.0+", "channel", "proxy 5.1.0"),
        # of the key itself in 5.0.0, of its channel since
        ("ProxyClient.id", "5.0.0+", "clientId", "proxy 5.0.0"),
        ("ReceiptHandleGroup.messages", "5.0.0+", "receiptHandleMap", "proxy 5.0.0"),
        ("HandleData.handle", "5.0.0+", "messageReceiptHandle", "proxy 5.0.0"),
        ("ReceiptHandle.topic", "5.0.0+", "topic", "proxy 5.0.0"),
        ("ReceiptHandle.received_ms", "5.2.0+", "consumeTimestamp", "proxy 5.2.0"),
        ("ReceiptHandle.received_ms", "5.0.0-5.1.4", "timestamp", "proxy 5.0.0"),
        ("ReceiptHandle.renewals", "5.2.0+", "renewTimes", "proxy 5.2.0"),
        ("GrpcServerConnection", "gRPC 1.40+", ".grpc.netty.NettyServerHandler", "grpc-netty 1.53"),
        ("GrpcServerStream", "gRPC 1.40+", ".grpc.netty.NettyServerStream", "grpc-netty 1.53"),
        # Netty, in the proxy under a second name too, as gRPC has a copy of its own
        ("NettyChunk", "Netty 4.1+", ".netty.buffer.PoolChunk", "netty 4.1.65"),
        ("NettyChunk.bytes", "Netty 4.1+", "chunkSize", "netty 4.1.65"),
        ("NettyChunk.free_bytes", "Netty 4.1+", "freeBytes", "netty 4.1.65"),
        (
            "Http2Output",
            "Netty 4.1+",
            ".netty.handler.codec.http2.DefaultHttp2RemoteFlowController$FlowState",
            "netty 4.1.65",
        ),
        ("Http2Output.unsent_bytes", "Netty 4.1+", "pendingBytes", "netty 4.1.65"),
        ("Http2Output.controller", "Netty 4.1+", "this$0", "netty 4.1.65"),
        ("OutboundBuffer", "Netty 4.1+", ".netty.channel.ChannelOutboundBuffer", "netty 4.1.65"),
        ("OutboundBuffer.unsent_bytes", "Netty 4.1+", "totalPendingSize", "netty 4.1.65"),
        ("OutboundBuffer.channel", "Netty 4.1+", "channel", "netty 4.1.65"),
        ("Http2Controller.context", "Netty 4.1+", "ctx", "netty 4.1.65"),
        ("ChannelContext.pipeline", "Netty 4.1+", "pipeline", "netty 4.1.65"),
        ("ChannelPipeline.channel", "Netty 4.1+", "channel", "netty 4.1.65"),
        ("Channel.peer", "Netty 4.1+", "remoteAddress", "netty 4.1.65"),
        ("Channel.parent", "Netty 4.1+", "parent", "netty 4.1.65"),
        ("SocketAddress.holder", "JDK 7+", "holder", "java.net.InetSocketAddress"),
        ("SocketAddress.address", "JDK 7+", "addr", "java.net.InetSocketAddress$InetSocketAddressHolder"),
        ("SocketAddress.port", "JDK 7+", "port", "java.net.InetSocketAddress$InetSocketAddressHolder"),
        ("InetAddress.holder", "JDK 7+", "holder", "java.net.InetAddress"),
        ("InetAddress.number", "JDK 7+", "address", "java.net.InetAddress$InetAddressHolder"),
        # Raft groups
        ("RaftElector", "DLedger 0.1+", ".storage.dledger.DLedgerLeaderElector", "dledger 0.1"),
        ("RaftElector.member", "DLedger 0.1+", "memberState", "dledger 0.1"),
        ("RaftElector.heard_ms", "DLedger 0.1+", "lastLeaderHeartBeatTime", "dledger 0.1"),
        ("RaftElector.answered_ms", "DLedger 0.1+", "lastSuccHeartBeatTime", "dledger 0.1"),
        ("RaftMember.group", "DLedger 0.1+", "group", "dledger 0.1"),
        ("RaftMember.id", "DLedger 0.1+", "selfId", "dledger 0.1"),
        ("RaftMember.role", "DLedger 0.1+", "role", "dledger 0.1"),
        ("RaftMember.leader", "DLedger 0.1+", "leaderId", "dledger 0.1"),
        ("RaftMember.term", "DLedger 0.1+", "currTerm", "dledger 0.1"),
        ("RaftMember.peers", "DLedger 0.1+", "peerMap", "dledger 0.1"),
        ("JRaftNode", "JRaft 1.3+", "com.alipay.sofa.jraft.core.NodeImpl", "jraft-core 1.3.14"),
        ("JRaftNode.group", "JRaft 1.3+", "groupId", "jraft-core 1.3.14"),
        ("JRaftNode.id", "JRaft 1.3+", "serverId", "jraft-core 1.3.14"),
        ("JRaftNode.state", "JRaft 1.3+", "state", "jraft-core 1.3.14"),
        ("JRaftNode.leader", "JRaft 1.3+", "leaderId", "jraft-core 1.3.14"),
        ("JRaftNode.term", "JRaft 1.3+", "currTerm", "jraft-core 1.3.14"),
        ("JRaftNode.configuration", "JRaft 1.3+", "conf", "jraft-core 1.3.14: ConfigurationEntry"),
        ("JRaftConfiguration.current", "JRaft 1.3+", "conf", "jraft-core 1.3.14: Configuration"),
        ("JRaftConfiguration.peers", "JRaft 1.3+", "peers", "jraft-core 1.3.14"),
        ("JRaftPeer.endpoint", "JRaft 1.3+", "endpoint", "jraft-core 1.3.14: PeerId"),
        ("JRaftEndpoint.host", "JRaft 1.3+", "ip", "jraft-core 1.3.14: Endpoint"),
        ("JRaftEndpoint.port", "JRaft 1.3+", "port", "jraft-core 1.3.14: Endpoint"),
        # The machine or container, as the store asked the JVM for it
        ("StoreUtil", "4.0.0+", ".store.StoreUtil", "store 4.0.0-incubating"),
        ("StoreUtil.memory_bytes", "4.0.0+", "TOTAL_PHYSICAL_MEMORY_SIZE", "store 4.0.0-incubating"),
        # The JDK
        ("Number.value", "JDK 7+", "value", "java.lang.Long, java.util.concurrent.atomic.AtomicLong"),
        ("LongAdder.base", "JDK 8+", "base", "java.util.concurrent.atomic.Striped64"),
        ("LongAdder.cells", "JDK 8+", "cells", "java.util.concurrent.atomic.Striped64"),
        ("Enum.ordinal", "JDK 7+", "ordinal", "java.lang.Enum"),
        ("Enum.name", "JDK 7+", "name", "java.lang.Enum"),
        ("ClassLoader", "JDK 7+", "java.lang.ClassLoader", "java.lang.ClassLoader"),
        ("Duration.seconds", "JDK 8+", "seconds", "java.time.Duration"),
        ("Duration.nanos", "JDK 8+", "nanos", "java.time.Duration"),
        ("Thread", "JDK 7+", "java.lang.Thread", "java.lang.Thread"),
        ("Thread.name", "JDK 7+", "name", "java.lang.Thread"),
        ("Thread.status", "JDK 7-18", "threadStatus", "java.lang.Thread"),
        ("Thread.holder", "JDK 19+", "holder", "java.lang.Thread"),
        ("FieldHolder.status", "JDK 19+", "threadStatus", "java.lang.Thread$FieldHolder"),
        ("FutureTask", "JDK 7+", "java.util.concurrent.FutureTask", "java.util.concurrent.FutureTask"),
        ("FutureTask.runner", "JDK 7+", "runner", "java.util.concurrent.FutureTask"),
        ("FutureTask.callable", "JDK 7+", "callable", "java.util.concurrent.FutureTask"),
        ("RunnableAdapter.task", "JDK 7+", "task", "java.util.concurrent.Executors$RunnableAdapter"),
        ("ThreadPool.queue", "JDK 7+", "workQueue", "java.util.concurrent.ThreadPoolExecutor"),
        ("ThreadPool.threads", "JDK 7+", "corePoolSize", "java.util.concurrent.ThreadPoolExecutor"),
        ("ThreadPool.workers", "JDK 7+", "workers", "java.util.concurrent.ThreadPoolExecutor"),
        ("ThreadPool.control", "JDK 7+", "ctl", "java.util.concurrent.ThreadPoolExecutor"),
        ("ThreadPool.wrapped", "JDK 7+", "e", "java.util.concurrent.Executors$DelegatedExecutorService"),
        ("Worker.thread", "JDK 7+", "thread", "java.util.concurrent.ThreadPoolExecutor$Worker"),
        ("Synchronizer.state", "JDK 7+", "state", "java.util.concurrent.locks.AbstractQueuedSynchronizer"),
        ("Synchronizer.owner", "JDK 7+", "exclusiveOwnerThread", "AbstractOwnableSynchronizer"),
        ("Lock.sync", "JDK 7+", "sync", "ReentrantLock, ReentrantReadWriteLock, Semaphore"),
        ("BlockingQueue.size", "JDK 7+", "count", "LinkedBlockingQueue, ArrayBlockingQueue"),
        ("BlockingQueue.capacity", "JDK 7+", "capacity", "java.util.concurrent.LinkedBlockingQueue"),
        ("BlockingQueue.array", "JDK 7+", "items", "java.util.concurrent.ArrayBlockingQueue"),
        ("BlockingQueue.head", "JDK 7+", "head", "java.util.concurrent.LinkedBlockingQueue"),
        ("DelayedWorkQueue.size", "JDK 7+", "size", "ScheduledThreadPoolExecutor$DelayedWorkQueue"),
        ("ArrayList.array", "JDK 7+", "elementData", "java.util.ArrayList"),
        ("HashMap", "JDK 7+", "java.util.HashMap", "java.util.HashMap"),
        ("HashMap.table", "JDK 7+", "table", "java.util.HashMap"),
        ("Node.hash", "JDK 7+", "hash", "java.util.HashMap$Node"),
        ("Node.key", "JDK 7+", "key", "java.util.HashMap$Node"),
        ("Node.value", "JDK 7+", "value", "java.util.HashMap$Node"),
        ("Node.next", "JDK 7+", "next", "java.util.HashMap$Node, LinkedBlockingQueue$Node"),
        ("Node.item", "JDK 7+", "item", "java.util.concurrent.LinkedBlockingQueue$Node"),
        # Netty
        ("ChannelFuture.channel", "Netty 4+", "channel", "io.netty.channel.DefaultChannelPromise"),
        ("Channel.close_future", "Netty 4+", "closeFuture", "io.netty.channel.AbstractChannel"),
        ("Promise.result", "Netty 4+", "result", "io.netty.util.concurrent.DefaultPromise"),
    )
)
"""newest name of a role first"""

REQUEST_QUEUE_ENDING = "ThreadPoolQueue"
"""fields of BrokerController that end so are the queues before its thread pools, in all versions"""
NAMING = lazy_pattern(r"(?i)(.*topic(name|key)?|.*group(name)?|broker(cluster)?name|clustername|statskey)$")
"""fields that name a topic, group, broker or cluster, or "topic@group", in any class of RocketMQ"""
KNOWN_CLASSES = (
    "ProcessQueue",
    "DefaultMQPushConsumer",
    "DefaultLitePullConsumer",
    "DefaultMQPullConsumer",
    "MessageExt",
)
"""roles of the classes by which a client is found: relocation to another package keeps their simple names"""


def _by_role() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for row in ROWS:
        found[row.role] = (*found.get(row.role, ()), row.name)
    return found


_NAMES = _by_role()


def names_of(role: str) -> tuple[str, ...]:
    """The Java names of a role, the newest first.

    Raises:
        KeyError: there is no such role.
    """
    return _NAMES[role]


def version_key(version: str) -> tuple[int, ...]:
    """4.10.0 as (4, 10, 0), for comparing."""
    return tuple(map(int, version.split(".")))
