from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.servers import ClientProcess
from tests.rules.examples.proxy import example


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
