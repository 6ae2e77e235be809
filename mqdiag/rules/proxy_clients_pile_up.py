"""One process opens more and more clients at a proxy."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.servers import ClientProcess
from mqdiag.findings import Confidence, Margin, Severity
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.example_proxy import example
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.text import say

RULE = Rule(
    name="proxy-clients-pile-up",
    title="One process has opened very many gRPC clients at the proxy",
    why=(
        "A gRPC client is made once and used for the life of its process. A process that makes one for each call, and"
        " closes none, keeps connections, telemetry streams, channels and settings in the proxy for each of them, and"
        " some threads for each in itself."
    ),
    causes=("clients-not-closed",),
    severities=(Severity.WARNING,),
    remedy=(
        "Make one Producer, PushConsumer or SimpleConsumer in the process that the finding names, and close() it at the"
        " end.",
        "Take a heap dump of that process: it shows what made its clients.",
    ),
    references=("GrpcChannelManager.clientIdChannelMap", "ClientImpl of rocketmq-client-java"),
    limits={"clients": 100},
    lies_at="client",
    same_as=("client-leak",),
)


def _facts(clients: int) -> Facts:
    return example(
        clients=clients + 12, client_processes=(ClientProcess(process="shop-7@4711", clients=clients),)
    )


def fires() -> Facts:
    """600 clients of one process."""
    return _facts(600)


def silent() -> Facts:
    """Ten clients of one process."""
    return _facts(10)


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each process."""
    assert facts.heap is not None
    proxy = facts.heap.proxy
    if proxy is None:
        return
    for process in proxy.client_processes:
        if process.clients < limits["clients"]:
            yield Margin(
                rule="",
                label=say("gRPC clients of one process at the proxy"),
                value=process.clients,
                limit=limits["clients"],
                kind="count",
            )
            return
        yield Draft(
            severity=Severity.WARNING,
            cause="clients-not-closed",
            confidence=Confidence.HIGH,
            title=say("Process {process} has {clients:count} gRPC clients at the proxy"),
            evidence={
                "process": process.process,
                "clients": process.clients,
                "clients_of_proxy": proxy.clients,
                "grpc_connections": proxy.grpc_connections,
                "grpc_streams": proxy.grpc_streams,
            },
            explanation=(
                say(
                    "GrpcChannelManager has {clients_of_proxy:count} clients in all, over {grpc_connections:count}"
                    " {grpc_connections:connection|connections} with {grpc_streams:count} open"
                    " {grpc_streams:stream|streams}."
                ),
            ),
            remedy=RULE.remedy,
        )
