"""busy-workaround from logs: the settings that a broker prints when it starts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogsFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.broker._logs import each_broker, number, subject
from mqdiag.rules.log_events import is_set
from mqdiag.rules.registry import Draft
from mqdiag.text import say

FAST_FAILURE = "brokerFastFailureEnable"
KNOWN_SINCE_3_5_8 = "waitTimeMillsInSendQueue"
"""printed by the versions that have the lower defaults"""


def in_logs(
    facts: Facts, defaults: Mapping[str, int], hides: Mapping[str, str], remedy: tuple[str, ...]
) -> Iterator[Draft]:
    """One finding for each broker whose settings the logs print.

    Args:
        facts: the evidence.
        defaults: what versions from 3.5.8 on come with.
        hides: what each setting hides, in words.
        remedy: of the rule.
    """
    for own in each_broker(facts):
        if own.logs is not None and KNOWN_SINCE_3_5_8 in own.logs.settings:
            yield from _of_one(own.logs, defaults, hides, remedy)


def _of_one(
    logs: LogsFacts, defaults: Mapping[str, int], hides: Mapping[str, str], remedy: tuple[str, ...]
) -> Iterator[Draft]:
    changed: dict[str, int | bool] = {}
    for name, default in defaults.items():
        value = number(logs, name)
        if value is not None and value > default:
            changed[name] = value
    said = [
        say(
            "{name}={value:count} (default {defaults:count}): {hides}.",
            name=name,
            value=value,
            defaults=defaults[name],
            hides=hides[name],
        )
        for name, value in changed.items()
    ]
    if is_set(logs, FAST_FAILURE, "false"):
        changed[FAST_FAILURE] = False
        said.append(
            say(
                "{fast_failure}=false (default true): {hides}.",
                fast_failure=FAST_FAILURE,
                hides=hides[FAST_FAILURE],
            )
        )
    if changed:
        yield Draft(
            severity=Severity.WARNING,
            cause="symptom-hidden",
            confidence=Confidence.HIGH,
            title=say(
                "{changed} of the broker {hides} that it is busy",
                changed=say(" and ").join(changed),
                hides=say("hides") if len(changed) == 1 else say("hide"),
            ),
            subject=subject(logs, []),
            evidence=changed,
            explanation=(*said, say("The broker printed these settings when it started.")),
            remedy=remedy,
        )
