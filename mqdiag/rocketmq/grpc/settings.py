"""What all gRPC clients have: an id, a version, a state, and the settings of their configuration."""

from __future__ import annotations

from mqdiag.facts.heap import ConfigValue
from mqdiag.graph.heap import Heap
from mqdiag.rocketmq import fields


def client_id(heap: Heap, client: int) -> str | None:
    """Host, process, number of the client in its process, and time: a ClientId since 5.0.2, a string before."""
    found = fields.ref(heap, client, "GrpcClient.id")
    text = fields.text(heap, found, "GrpcClientId.text")
    return text if text is not None or found < 0 else heap.string(found)


def client_version(heap: Heap, root: str) -> str | None:
    """The version that the library's UserAgent tells the server."""
    agents = fields.instances(heap, root, "UserAgent")
    return fields.text(heap, int(agents[0]), "UserAgent.version") if agents.size else None


def service_state(heap: Heap, client: int) -> str | None:
    """RUNNING, TERMINATED, ...: clients are services of guava."""
    return fields.constant(heap, client, "GrpcClient.service", "GuavaService.snapshot", "GuavaSnapshot.state")


def duration_ms(heap: Heap, duration: int) -> int | None:
    """A java.time.Duration in milliseconds; None for -1."""
    seconds = fields.number(heap, duration, "Duration.seconds")
    nanos = fields.number(heap, duration, "Duration.nanos")
    return None if seconds is None or nanos is None else 1000 * seconds + nanos // 1_000_000


def client_settings(heap: Heap, client: int) -> dict[str, ConfigValue]:
    """Plain fields of a client and of its configuration under their Java names; durations in milliseconds."""
    configuration = fields.ref(heap, client, "GrpcClient.settings")
    return {
        **fields.plain_fields(heap, configuration),
        **fields.plain_fields(heap, client),
        "endpoints": fields.text(heap, client, "GrpcClient.endpoints", "Endpoints.text"),
        "requestTimeout": duration_ms(
            heap, fields.ref(heap, configuration, "ClientConfiguration.request_timeout")
        ),
    }
