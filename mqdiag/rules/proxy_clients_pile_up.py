"""One process opens more and more clients at a proxy."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import HeapFacts
from mqdiag.rules.rule import Rule
from mqdiag.rules.said import Limits, Said

RULE = Rule("proxy-clients-pile-up")


@RULE.graph
def in_heap(heap: HeapFacts, limits: Limits) -> Iterator[Said]:
    """One finding for each process."""
    proxy = heap.proxy
    if proxy is None:
        return
    for process in proxy.client_processes:
        if process.clients < limits["clients"]:
            yield RULE.margin("clients", process.clients, limits["clients"])
            return
        yield RULE.case("clients-not-closed", process, proxy, evidence={"clients_of_proxy": proxy.clients})
