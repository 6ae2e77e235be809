"""Settings that hide a busy broker instead of helping it."""

from __future__ import annotations

from collections.abc import Mapping

from mqdiag.facts.broker import BrokerFacts
from mqdiag.facts.logs import LogsFacts
from mqdiag.findings import EvidenceValue, Subject
from mqdiag.log_events import is_set, number_set
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.brokers import called, setting, subject, subject_of_logs

SINCE_3_5_8 = {"osPageCacheBusyTimeOutMills": 1000, "sendThreadPoolQueueCapacity": 10_000}
BEFORE_3_5_8 = {"osPageCacheBusyTimeOutMills": 2000, "sendThreadPoolQueueCapacity": 100_000}
ONLY_SINCE_3_5_8 = "waitTimeMillsInSendQueue"
"""a setting that came with the lower defaults"""
FAST_FAILURE = "brokerFastFailureEnable"

RULE = Rule("busy-workaround")


@RULE.brokers
def in_heap(broker: BrokerFacts, limits: Limits) -> Findings:
    """One finding for each broker of the dump, with all such settings."""
    # The lower defaults and waitTimeMillsInSendQueue came with the same version.
    defaults = SINCE_3_5_8 if ONLY_SINCE_3_5_8 in broker.config else BEFORE_3_5_8
    values = {name: setting(broker, name) for name in defaults}
    not_fast = broker.config.get(FAST_FAILURE) is False
    yield from _said(values, defaults, subject(broker), not_fast=not_fast, printed=False)


@RULE.broker_logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each broker, by the settings that it prints when it starts."""
    if ONLY_SINCE_3_5_8 in logs.settings:
        values = {name: number_set(logs, name) for name in SINCE_3_5_8}
        not_fast = is_set(logs, FAST_FAILURE, "false")
        yield from _said(values, SINCE_3_5_8, subject_of_logs(logs, []), not_fast=not_fast, printed=True)


def _said(
    values: Mapping[str, int | None],
    defaults: Mapping[str, int],
    broker: Subject,
    *,
    not_fast: bool,
    printed: bool,
) -> Findings:
    raised: dict[str, EvidenceValue] = {
        name: value for name, value in values.items() if value is not None and value > defaults[name]
    }
    normal = {f"default_{name}": defaults[name] for name in raised}
    changed = {**raised, FAST_FAILURE: False} if not_fast else raised
    if changed:
        yield RULE.case(
            "symptom-hidden",
            subject=broker,
            evidence={**changed, **normal},
            words={
                "called": called(None if printed else broker.broker),
                "settings": tuple(changed),
                "only_one": len(changed) == 1,
                "not_fast": not_fast,
                "printed": printed,
            },
        )
