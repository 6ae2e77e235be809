"""What a heap dump says about sending: producers, requests on the way, connections."""

from __future__ import annotations

import msgspec

from mqdiag.facts.redaction import Address, ClientId, Public, Setting

ConfigValue = int | float | bool | Setting | None


class ProducerFacts(msgspec.Struct, frozen=True, kw_only=True):
    """One DefaultMQProducer, those that the client makes for itself included; or one Producer of the gRPC client."""

    group: Public
    """empty for a producer of the gRPC client, which has none"""
    object_id: Public = ""
    client_id: ClientId | None = None
    client_version: Public | None = None
    service_state: Public | None = None
    config: dict[str, ConfigValue] = {}
    """every setting of the producer object under its Java field name"""
    async_queue: int | None = None
    """sends that wait in asyncSenderThreadPoolQueue; None before 4.4.0"""
    async_queue_capacity: int | None = None
    backpressure_permits: int | None = None
    """semaphoreAsyncSendNum, since 5.0.0: asynchronous sends that may still begin where backpressure is on"""
    backpressure_bytes: int | None = None
    """semaphoreAsyncSendSize: bytes of messages that may still be on the way"""
    transaction_checker: bool | None = None
    """a producer of the gRPC client has a checker for its transactions; None for the remoting client"""


class RemotingFacts(msgspec.Struct, frozen=True, kw_only=True):
    """One NettyRemotingClient: the connections of a client instance, or of a broker to its name servers."""

    object_id: Public = ""
    client_id: ClientId | None = None
    """client id of the MQClientInstance; None for any other owner"""
    in_flight: int = 0
    """requests without an answer: responseTable"""
    overdue: int = 0
    """requests among them that were sent longer ago than their own timeout"""
    oldest_in_flight_ms: int | None = None
    async_permits: int | None = None
    """semaphoreAsync: asynchronous requests that may still begin"""
    async_permits_max: int | None = None
    oneway_permits: int | None = None
    oneway_permits_max: int | None = None
    channels: int = 0
    """channelTables"""
    broker_channels: int | None = None
    """channels among them that are open and to others than the name servers; None where these are not known"""
    dead_channels: int = 0
    """closed ones among the channels"""
    dead_addresses: tuple[Address, ...] = ()
    """the first of them"""
    retained_bytes: int | None = None


class RequestFutures(msgspec.Struct, frozen=True, kw_only=True):
    """Requests of the request-reply API (since 4.6.0) that wait for their reply."""

    pending: int = 0
    overdue: int = 0
    """requests among them that began longer ago than their own timeout"""
    oldest_ms: int | None = None
    longest_overdue_ms: int | None = None
    retained_bytes: int | None = None


class SendingFacts(msgspec.Struct, frozen=True, kw_only=True):
    """All that sends in this JVM."""

    producers: tuple[ProducerFacts, ...] = ()
    remoting: tuple[RemotingFacts, ...] = ()
    request_futures: RequestFutures | None = None
    """None where no request was ever sent: the class is not loaded"""
    messages: int = 0
    """reachable messages that were made to be sent: Message and subclasses but MessageExt

    Of the gRPC client, distinct bodies of MessageImpl: it copies a message when it sends it, with the same body.
    """
    body_bytes: int = 0
    """lengths of their distinct bodies"""
