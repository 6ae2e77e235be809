from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.fleet import FleetChange, FleetFacts
from mqdiag.facts.vocabulary import ChangeKind
from mqdiag.text import say


def _fleet(kind: ChangeKind) -> Facts:
    change = FleetChange(
        kind=kind,
        service="orders",
        rule="retry-storm",
        cause="failing-listener",
        severity="warning",
        fingerprint="0123456789abcdef",
        group="orders",
        title=say("380 of 400 cached messages of group orders failed before"),
        hosts=4,
    )
    return Facts(fleet=FleetFacts(run="r2", against="r1", changes=(change,)))


def fires() -> Facts:
    """Messages fail now that did not fail last night."""
    return _fleet("regression")


def silent() -> Facts:
    """They failed last night, and do not fail now."""
    return _fleet("recovery")
