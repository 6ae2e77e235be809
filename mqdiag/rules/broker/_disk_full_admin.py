"""disk-full from brokerStatus: commitLogDiskRatio."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.broker._counters import counters
from mqdiag.rules.registry import Draft, Limits
from mqdiag.text import say


def in_admin(facts: Facts, limits: Limits, remedy: tuple[str, ...]) -> Iterator[Draft]:
    """One finding for each broker whose disk is beyond a watermark."""
    for broker in counters(facts):
        ratio = broker.status.disk_ratio
        if ratio is None or ratio * 100 <= limits["forced_percent"]:
            continue
        full = ratio * 100 > limits["full_percent"]
        yield Draft(
            severity=Severity.ERROR if full else Severity.WARNING,
            cause="disk-full" if full else "disk-nearly-full",
            confidence=Confidence.HIGH,
            title=say("The disk of {broker} is {ratio:percent} full", broker=broker.called, ratio=ratio),
            subject=broker.subject,
            evidence={"disk_ratio": round(ratio, 4)},
            explanation=(
                say(
                    (
                        "brokerStatus: commitLogDiskRatio {ratio:decimal}; beyond 0.85 the oldest files are"
                        " deleted, beyond 0.90 all messages are refused, unless diskSpaceCleanForciblyRatio and"
                        " diskSpaceWarningLevelRatio are set."
                    ),
                    ratio=ratio,
                ),
            ),
            remedy=remedy,
            when=broker.when,
            weight=ratio,
        )
