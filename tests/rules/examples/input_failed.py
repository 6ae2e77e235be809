from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.fleet import FleetFacts, FleetFailure, ServiceState
from mqdiag.text import say


def fires() -> Facts:
    """One dump of a service is empty."""
    failure = FleetFailure(
        service="orders",
        host="h1",
        path="s3://dumps/orders/h1/1.hprof",
        kind="unreadable",
        reason=say("is empty"),
    )
    service = ServiceState(service="orders", hosts=2, incidents=3, failed=1, lost=1, errors=0, warnings=0)
    return Facts(fleet=FleetFacts(run="r1", services=(service,), failures=(failure,)))


def silent() -> Facts:
    """All evidence was read."""
    service = ServiceState(service="orders", hosts=2, incidents=3, failed=0, errors=0, warnings=0)
    return Facts(fleet=FleetFacts(run="r1", services=(service,)))
