"""Settings of the RocketMQ consumers, by their Java field names, as `--expect` takes them.

Fields of ClientConfig, DefaultMQPushConsumer, DefaultLitePullConsumer and DefaultMQPullConsumer that hold a
plain value, of clients 3.2.6 to 5.3.3; and settings of the gRPC client 5.0.0 to 5.2.0. A key that no version
has is a typing error and is refused.
"""

from __future__ import annotations

SETTING_NAMES = frozenset(
    {
        # DefaultMQPushConsumer
        "adjustThreadPoolNumsThreshold",
        "awaitTerminationMillisWhenShutdown",
        "clientRebalance",
        "consumeConcurrentlyMaxSpan",
        "consumeFromWhere",
        "consumeMessageBatchMaxSize",
        "consumeThreadMax",
        "consumeThreadMin",
        "consumeTimeout",
        "consumeTimestamp",
        "maxReconsumeTimes",
        "messageModel",
        "popBatchNums",
        "popInvisibleTime",
        "popThresholdForQueue",
        "postSubscriptionWhenPull",
        "pullBatchSize",
        "pullBatchSizeInBytes",
        "pullInterval",
        "pullThresholdForQueue",
        "pullThresholdForTopic",
        "pullThresholdSizeForQueue",
        "pullThresholdSizeForTopic",
        "suspendCurrentQueueTimeMillis",
        # DefaultLitePullConsumer, DefaultMQPullConsumer
        "autoCommit",
        "autoCommitIntervalMillis",
        "brokerSuspendMaxTimeMillis",
        "consumeMaxSpan",
        "consumerPullTimeoutMillis",
        "consumerTimeoutMillisWhenSuspend",
        "pollTimeoutMillis",
        "pullThreadNums",
        "pullThresholdForAll",
        "topicMetadataCheckIntervalMillis",
        # ClientConfig
        "accessChannel",
        "clientCallbackExecutorThreads",
        "clientIP",
        "decodeDecompressBody",
        "decodeReadBody",
        "detectInterval",
        "detectTimeout",
        "enableHeartbeatChannelEventListener",
        "enableMsgTrace",
        "enableStreamRequestType",
        "enableTrace",
        "heartbeatBrokerInterval",
        "instanceName",
        "language",
        "mqClientApiTimeout",
        "namespace",
        "namespaceV2",
        "namesrvAddr",
        "persistConsumerOffsetInterval",
        "pollNameServerInteval",  # as clients before 5.0 period it
        "pollNameServerInterval",
        "pullTimeDelayMillsWhenException",
        "sendLatencyEnable",
        "socksProxyConfig",
        "startDetectorEnable",
        "traceMsgBatchNum",
        "traceTopic",
        "unitMode",
        "unitName",
        "useHeartbeatV2",
        "useTLS",
        "vipChannelEnabled",
        # the gRPC client: PushConsumerBuilder, SimpleConsumerBuilder, ClientConfiguration; durations in milliseconds
        "awaitDuration",
        "consumptionThreadCount",
        "enableFifoConsumeAccelerator",
        "enableMessageInterceptorFiltering",
        "endpoints",
        "longPollingTimeout",
        "maxAttempts",
        "maxCacheMessageCount",
        "maxCacheMessageSizeInBytes",
        "maxStartupAttempts",
        "receiveBatchSize",
        "requestTimeout",
        "sslEnabled",
    }
)

SWITCHES = frozenset(
    {
        "autoCommit",
        "clientRebalance",
        "decodeDecompressBody",
        "decodeReadBody",
        "enableFifoConsumeAccelerator",
        "enableMessageInterceptorFiltering",
        "enableHeartbeatChannelEventListener",
        "enableMsgTrace",
        "enableStreamRequestType",
        "enableTrace",
        "postSubscriptionWhenPull",
        "sendLatencyEnable",
        "sslEnabled",
        "startDetectorEnable",
        "unitMode",
        "useHeartbeatV2",
        "useTLS",
        "vipChannelEnabled",
    }
)
"""settings that are true or false"""

TEXTS = frozenset(
    {
        "accessChannel",
        "clientIP",
        "consumeFromWhere",
        "consumeTimestamp",
        "endpoints",
        "instanceName",
        "language",
        "messageModel",
        "namespace",
        "namespaceV2",
        "namesrvAddr",
        "socksProxyConfig",
        "traceTopic",
        "unitName",
    }
)
"""settings that are words; all others are numbers"""
