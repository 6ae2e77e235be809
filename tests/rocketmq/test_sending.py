"""What is read of the sending side: a real client (healthy-busy-*), and written ones with what it did not do."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.facts.producers import SendingFacts
from mqdiag.graph import open_heap
from mqdiag.rocketmq.view import rocketmq_facts
from tests.layers import one_in_each_run
from tests.rocketmq.broker.written_broker import ObjectMaker, Ref
from tests.rocketmq.written import WrittenClient, view_of
from tests.writers.hprof_records import BYTE, INT, LONG, OBJECT, STICKY_CLASS
from tests.writers.hprof_writer import CAPTURED_AT_MS, DumpWriter

FIXTURES = Path(__file__).parents[2] / "fixtures" / "heap"
NOW = CAPTURED_AT_MS


@one_in_each_run(3)
@pytest.mark.parametrize(
    ("case", "permits", "backpressure"),
    [
        ("healthy-busy-3.2.6-alibaba", 2048, None),
        ("healthy-busy-4.3.2", 65_535, None),
        ("healthy-busy-5.3.3", 65_535, 10_000),
    ],
)
def test_a_real_client(case: str, permits: int, backpressure: int | None) -> None:
    """Each request on the way has taken one permit: two readings that must agree."""
    sending = rocketmq_facts(open_heap(str(FIXTURES / case / "dump.hprof.gz"))).sending
    assert sending is not None
    (remoting,) = sending.remoting
    assert remoting.async_permits_max == permits
    assert remoting.async_permits == permits - remoting.in_flight
    assert remoting.in_flight >= 2
    assert (remoting.overdue, remoting.dead_channels) == (0, 0)
    assert remoting.channels >= 2
    (producer,) = sending.producers
    assert (producer.group, producer.client_id) == ("CLIENT_INNER_PRODUCER", remoting.client_id)
    assert producer.backpressure_permits == backpressure
    assert producer.config["sendMsgTimeout"] == 3000


class _Sender(ObjectMaker):
    def future(self, kind: str, began_ms: int, timeout_ms: int) -> int:
        known = self.dump.known(f"{self.root}/{kind}", beginTimestamp=LONG, timeoutMillis=LONG)
        return self.dump.instance(known, beginTimestamp=began_ms, timeoutMillis=timeout_ms)

    def wrapper(self, *, closed: bool) -> int:
        """A ChannelWrapper: the channel's close future has a result once it is closed."""
        done = self.make(
            "io/netty/channel/AbstractChannel$CloseFuture",
            result=Ref(self.java.string("SUCCESS") if closed else 0),
        )
        channel = self.make("io/netty/channel/socket/nio/NioSocketChannel", closeFuture=Ref(done))
        promise = self.make("io/netty/channel/DefaultChannelPromise", channel=Ref(channel))
        return self.ours("remoting/netty/NettyRemotingClient$ChannelWrapper", channelFuture=Ref(promise))

    def semaphore(self, permits: int) -> Ref:
        sync = self.make("java/util/concurrent/Semaphore$NonfairSync", state=permits)
        return Ref(self.make("java/util/concurrent/Semaphore", sync=Ref(sync)))


def _sending(dump: DumpWriter, folder: Path) -> SendingFacts:
    found = view_of(dump, folder).sending
    assert found is not None
    return found


def test_requests_and_channels(tmp_path: Path) -> None:
    dump = DumpWriter()
    made = _Sender(dump)
    WrittenClient(dump).hold(WrittenClient(dump).queue())
    table = made.java.concurrent_hash_map(
        [
            (made.java.boxed(1), made.future("remoting/netty/ResponseFuture", NOW - 500, 3000)),
            (made.java.boxed(2), made.future("remoting/netty/ResponseFuture", NOW - 9000, 3000)),
        ]
    )
    channels = made.java.concurrent_hash_map(
        [
            (made.java.string("10.0.0.1:10911"), made.wrapper(closed=False)),
            (made.java.string("10.0.0.2:10909"), made.wrapper(closed=True)),
        ]
    )
    config = made.ours(
        "remoting/netty/NettyClientConfig", clientAsyncSemaphoreValue=65_535, clientOnewaySemaphoreValue=65_535
    )
    remoting = made.ours(
        "remoting/netty/NettyRemotingClient",
        responseTable=Ref(table),
        channelTables=Ref(channels),
        nettyClientConfig=Ref(config),
        semaphoreAsync=made.semaphore(65_533),
    )
    api = made.ours("client/impl/MQClientAPIImpl", remotingClient=Ref(remoting))
    instance = made.ours(
        "client/impl/factory/MQClientInstance", mQClientAPIImpl=Ref(api), clientId="10.0.0.7@1"
    )
    dump.root(STICKY_CLASS, instance)
    dump.known("org/apache/rocketmq/client/consumer/DefaultMQPushConsumer", consumerGroup=OBJECT)
    (found,) = _sending(dump, tmp_path).remoting
    assert (found.client_id, found.in_flight, found.overdue) == ("10.0.0.7@1", 2, 1)
    assert found.oldest_in_flight_ms == 9000
    assert (found.async_permits, found.async_permits_max) == (65_533, 65_535)
    assert (found.channels, found.dead_channels) == (2, 1)
    assert found.dead_addresses == ("10.0.0.2:10909",)


@pytest.mark.parametrize("static", [False, True])
def test_request_futures(static: bool, tmp_path: Path) -> None:
    """An instance of RequestFutureHolder since 4.9.3, the static map of RequestFutureTable before."""
    dump = DumpWriter()
    made = _Sender(dump)
    dump.known("org/apache/rocketmq/client/consumer/DefaultMQPushConsumer", consumerGroup=OBJECT)
    futures = [made.future("client/producer/RequestResponseFuture", NOW - age, 3000) for age in (100, 63_000)]
    table = made.java.concurrent_hash_map(
        [(made.java.string(f"id{at}"), future) for at, future in enumerate(futures)]
    )
    if static:
        owner = dump.java_class(
            "org/apache/rocketmq/client/producer/RequestFutureTable",
            statics={"requestFutureTable": (OBJECT, table)},
            superclass=dump.known("java/lang/Object"),
        )
        dump.root(STICKY_CLASS, owner.id)
    else:
        holder = made.ours("client/producer/RequestFutureHolder", requestFutureTable=Ref(table))
        dump.root(STICKY_CLASS, holder)
    found = _sending(dump, tmp_path).request_futures
    assert found is not None
    assert (found.pending, found.overdue) == (2, 1)
    assert (found.oldest_ms, found.longest_overdue_ms) == (63_000, 60_000)


def test_messages_to_be_sent(tmp_path: Path) -> None:
    """What was received is no message to be sent, though its class extends Message."""
    dump = DumpWriter()
    client = WrittenClient(dump)
    client.hold(client.message(1))
    body = dump.primitive_array(BYTE, bytes(50))
    known = dump.known("org/apache/rocketmq/common/message/Message", topic=OBJECT, flag=INT)
    for _ in range(3):
        client.hold(dump.instance(known, body=body))
    found = _sending(dump, tmp_path)
    assert (found.messages, found.body_bytes) == (3, 50)


def test_producer_with_a_queue(tmp_path: Path) -> None:
    dump = DumpWriter()
    made = _Sender(dump)
    dump.known("org/apache/rocketmq/client/consumer/DefaultMQPushConsumer", consumerGroup=OBJECT)
    queue = made.queue([made.java.string("task") for _ in range(7)], 50_000)
    implementation = made.ours(
        "client/impl/producer/DefaultMQProducerImpl",
        asyncSenderThreadPoolQueue=Ref(queue),
        semaphoreAsyncSendNum=made.semaphore(12),
    )
    producer = made.ours(
        "client/producer/DefaultMQProducer",
        producerGroup="PID_orders",
        defaultMQProducerImpl=Ref(implementation),
        enableBackpressureForAsyncMode=True,
    )
    dump.root(STICKY_CLASS, producer)
    (found,) = _sending(dump, tmp_path).producers
    assert (found.group, found.async_queue, found.async_queue_capacity) == ("PID_orders", 7, 50_000)
    assert found.backpressure_permits == 12
    assert found.config["enableBackpressureForAsyncMode"] is True
