from __future__ import annotations

import msgspec

from mqdiag.facts import Facts
from mqdiag.facts.heap import ClientInstance
from tests.rules.examples.consumer import example


def _facts(groups: list[str]) -> Facts:
    facts = example()
    assert facts.heap is not None
    made = tuple(
        ClientInstance(
            object_id=hex(at), service_state="RUNNING", producer_groups=("CLIENT_INNER_PRODUCER", group)
        )
        for at, group in enumerate(groups)
    )
    return msgspec.structs.replace(facts, heap=msgspec.structs.replace(facts.heap, instances=made))


def fires() -> Facts:
    """Forty instances with a producer of the same group."""
    return _facts(["PID_orders"] * 40)


def silent() -> Facts:
    """Forty tenants with a group each."""
    return _facts([f"PID_{number}" for number in range(40)])
