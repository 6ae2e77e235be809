"""Settings that hide a busy broker instead of helping it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogsFacts
from mqdiag.findings import Confidence, EvidenceValue, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said, Skip
from mqdiag.rules.shared.brokers import (
    brokers_of_heap,
    brokers_of_logs,
    called,
    setting,
    subject,
    subject_of_logs,
)
from mqdiag.rules.shared.busy_remedies import SCALE_OUT, STRONGER_HOST
from mqdiag.rules.shared.example_broker import BROKER, example
from mqdiag.rules.shared.log_events import is_set, number_set
from mqdiag.text import Text, say

SINCE_3_5_8 = {"osPageCacheBusyTimeOutMills": 1000, "sendThreadPoolQueueCapacity": 10_000}
BEFORE_3_5_8 = {"osPageCacheBusyTimeOutMills": 2000, "sendThreadPoolQueueCapacity": 100_000}
ONLY_SINCE_3_5_8 = "waitTimeMillsInSendQueue"
"""a setting that came with the lower defaults"""
FAST_FAILURE = "brokerFastFailureEnable"

RULE = Rule(
    name="busy-workaround",
    title="A setting hides that the broker is busy",
    why=(
        "A busy broker refuses sends quickly: senders go to another broker, and this one recovers. With a longer"
        " osPageCacheBusyTimeOutMills, a longer send queue or brokerFastFailureEnable=false the errors disappear and"
        " the senders wait, but the page cache stays as slow as it was."
    ),
    causes=("symptom-hidden",),
    severities=(Severity.WARNING,),
    remedy=(
        "Set the values back to the version's defaults, and fix what made the broker busy.",
        SCALE_OUT,
        STRONGER_HOST,
    ),
    references=(
        "article 001: system busy and broker busy",
        "MessageStoreConfig.osPageCacheBusyTimeOutMills, BrokerConfig.sendThreadPoolQueueCapacity",
    ),
    lies_at="broker",
)


def fires() -> Facts:
    """The limit for a busy page cache is five seconds."""
    store_config = BROKER["store_config"]
    assert isinstance(store_config, dict)
    return example(store_config={**store_config, "osPageCacheBusyTimeOutMills": 5000})


def silent() -> Facts:
    """All settings have the version's defaults."""
    return example()


@RULE.sees("heap")
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker of the dump, with all such settings."""
    for broker in brokers_of_heap(facts):
        if isinstance(broker, Skip):
            yield broker
            continue
        # The lower defaults and waitTimeMillsInSendQueue came with the same version.
        defaults = SINCE_3_5_8 if ONLY_SINCE_3_5_8 in broker.config else BEFORE_3_5_8
        changed = _raised({name: setting(broker, name) for name in defaults}, defaults)
        if broker.config.get(FAST_FAILURE) is False:
            changed[FAST_FAILURE] = False
        if changed:
            yield _draft(changed, defaults, subject(broker), called(broker.name))


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker, by the settings that it prints when it starts."""
    for logs in brokers_of_logs(facts):
        if ONLY_SINCE_3_5_8 in logs.settings:
            yield from _by_logs(logs)


def _by_logs(logs: LogsFacts) -> Iterator[Draft]:
    changed = _raised({name: number_set(logs, name) for name in SINCE_3_5_8}, SINCE_3_5_8)
    if is_set(logs, FAST_FAILURE, "false"):
        changed[FAST_FAILURE] = False
    if changed:
        printed = say("The broker printed these settings when it started.")
        yield _draft(changed, SINCE_3_5_8, subject_of_logs(logs, []), called(None), printed)


def _raised(values: Mapping[str, int | None], defaults: Mapping[str, int]) -> dict[str, EvidenceValue]:
    return {name: value for name, value in values.items() if value is not None and value > defaults[name]}


def _draft(
    changed: Mapping[str, EvidenceValue],
    defaults: Mapping[str, int],
    broker: Subject,
    called_broker: Text,
    *further: Text,
) -> Draft:
    explained = {
        "osPageCacheBusyTimeOutMills": say(
            "osPageCacheBusyTimeOutMills={osPageCacheBusyTimeOutMills} (default"
            " {default_osPageCacheBusyTimeOutMills}): senders wait for that long before the broker takes its page"
            " cache for busy."
        ),
        "sendThreadPoolQueueCapacity": say(
            "sendThreadPoolQueueCapacity={sendThreadPoolQueueCapacity} (default"
            " {default_sendThreadPoolQueueCapacity}): more sends wait, and each waits longer, until the senders"
            " give up."
        ),
        FAST_FAILURE: say(
            "brokerFastFailureEnable=false (default true): sends wait in the queue of a busy broker instead of going to"
            " another one."
        ),
    }
    title = (
        say("{settings:and} of {called} hides that it is busy", settings=tuple(changed), called=called_broker)
        if len(changed) == 1
        else say(
            "{settings:and} of {called} hide that it is busy", settings=tuple(changed), called=called_broker
        )
    )
    return Draft(
        severity=Severity.WARNING,
        cause="symptom-hidden",
        confidence=Confidence.HIGH,
        title=title,
        subject=broker,
        evidence={**changed, **{f"default_{name}": defaults[name] for name in changed if name in defaults}},
        explanation=(*(explained[name] for name in changed), *further),
        remedy=RULE.remedy,
    )
