"""Clients of message brokers."""

from __future__ import annotations

from mqdiag.text import say
from mqdiag.threads.libraries.library import REMOTE, Library

MESSAGING: tuple[Library, ...] = (
    # org.apache.kafka.clients.producer.internals.FutureRecordMetadata.get / ProduceRequestResult.await,
    # KafkaProducer.waitOnMetadata, BufferPool.allocate, KafkaConsumer.poll: apache/kafka clients
    Library(
        cause=REMOTE,
        name="Kafka client",
        frames=("org.apache.kafka.",),
        remedy=(
            say(
                "Use send(record).get(timeout, unit), and set delivery.timeout.ms (120 s by default),"
                " request.timeout.ms (30 s) and max.block.ms (60 s) below consumeTimeout."
            ),
        ),
        family="rpc",
    ),
    Library(
        cause=REMOTE,
        name="RabbitMQ client",
        frames=("com.rabbitmq.",),
        remedy=(
            say("Set channelRpcTimeout and connectionTimeout on the ConnectionFactory; bound waitForConfirms."),
        ),
        family="rpc",
    ),
    # a producer or admin call inside the listener: NettyRemotingClient.invokeSync < ResponseFuture.waitResponse
    Library(
        cause=REMOTE,
        name="RocketMQ client",
        frames=(
            "org.apache.rocketmq.remoting.",
            "com.alibaba.rocketmq.remoting.",
            "org.apache.rocketmq.client.producer.",
            "org.apache.rocketmq.client.impl.producer.",
        ),
        remedy=(
            say(
                "Set sendMsgTimeout (3 s by default) and retryTimesWhenSendFailed of the producer that the listener"
                " uses; look at the broker for busy errors."
            ),
        ),
        family="rpc",
    ),
    # FutureResponse.getResult < ResponseCorrelator.request < ActiveMQConnection.syncSendPacket: apache/activemq
    Library(
        cause=REMOTE,
        name="ActiveMQ client",
        frames=("org.apache.activemq.",),
        remedy=(
            say(
                "Set jms.sendTimeout and jms.connectResponseTimeout (milliseconds; no timeout by default) in the broker"
                " URL of ActiveMQ, and timeout=… where it begins with failover:; Artemis: callTimeout (30 s)."
            ),
        ),
        family="rpc",
    ),
    # CompletableFuture.get < ProducerBuilderImpl.create: apache/pulsar
    Library(
        cause=REMOTE,
        name="Pulsar client",
        frames=("org.apache.pulsar.",),
        remedy=(
            say(
                "Set operationTimeout and lookupTimeout (30 s by default) of PulsarClient.builder(), and sendTimeout"
                " (30 s) of the producer, below consumeTimeout."
            ),
        ),
        family="rpc",
    ),
    # Object.wait < org.eclipse.paho.client.mqttv3.internal.Token.waitForResponse: eclipse/paho.mqtt.java
    Library(
        cause=REMOTE,
        name="Paho MQTT client",
        frames=("org.eclipse.paho.",),
        remedy=(
            say(
                "Call MqttClient.setTimeToWait(milliseconds) (no limit by default), and"
                " MqttConnectOptions.setConnectionTimeout (30 s)."
            ),
        ),
        family="rpc",
    ),
    # io.nats.client.impl.NatsConnection.connect, NatsRequestCompletableFuture.get: nats-io/nats.java
    Library(
        cause=REMOTE,
        name="NATS client",
        frames=("io.nats.client.",),
        remedy=(
            say(
                "Set Options.Builder.connectionTimeout (2 s by default), and use request(subject, data, timeout) of the"
                " NATS client."
            ),
        ),
        family="rpc",
    ),
    # com.ibm.mq.jmqi.remote.impl.RemoteTCPConnection.receive: IBM MQ classes, from its documentation
    Library(
        cause=REMOTE,
        name="IBM MQ client",
        frames=("com.ibm.mq.", "com.ibm.msg.", "com.ibm.disthub2."),
        remedy=(
            say(
                "Set a wait interval on every get (MQGMO_WAIT, receive(timeout)); the heartbeat interval of the channel"
                " (HBINT) bounds a dead connection."
            ),
        ),
        family="rpc",
    ),
    # org.apache.qpid.jms.provider.BalancedProviderFuture.sync: apache/qpid-jms
    Library(
        cause=REMOTE,
        name="Qpid JMS (AMQP 1.0)",
        frames=("org.apache.qpid.",),
        remedy=(
            say(
                "Set jms.requestTimeout and jms.sendTimeout (milliseconds; no limit by default) in the URI of Qpid JMS,"
                " and jms.connectTimeout (15 s)."
            ),
        ),
        family="rpc",
    ),
)
