"""Settings that hide a busy broker instead of helping it."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.broker import BrokerFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.broker._brokers import brokers, called, setting, subject
from mqdiag.rules.broker._busy_workaround_logs import in_logs
from mqdiag.rules.broker._example import BROKER, example
from mqdiag.rules.broker._remedies import SCALE_OUT, STRONGER_HOST
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.text import say

SINCE_3_5_8 = {"osPageCacheBusyTimeOutMills": 1000, "sendThreadPoolQueueCapacity": 10_000}
BEFORE = {"osPageCacheBusyTimeOutMills": 2000, "sendThreadPoolQueueCapacity": 100_000}
FAST_FAILURE = "brokerFastFailureEnable"
HIDES = {
    "osPageCacheBusyTimeOutMills": say(
        "senders wait for that long before the broker takes its page cache for busy"
    ),
    "sendThreadPoolQueueCapacity": say("more sends wait, each for longer, until their senders give up"),
    FAST_FAILURE: say("sends wait in the queue of a busy broker instead of going to another one"),
}


def fires() -> Facts:
    """The time-out for a busy page cache is five seconds."""
    store_config = BROKER["store_config"]
    assert isinstance(store_config, dict)
    return example(store_config={**store_config, "osPageCacheBusyTimeOutMills": 5000})


def silent() -> Facts:
    """All as the version comes."""
    return example()


@rule(
    name="busy-workaround",
    title="A setting hides that the broker is busy",
    why=(
        "A busy broker refuses sends quickly so that senders go to another broker and this one recovers. A longer"
        " osPageCacheBusyTimeOutMills, a longer send queue or brokerFastFailureEnable=false make the errors go away and"
        " the senders wait: the page cache stays as slow as it was."
    ),
    causes=("symptom-hidden",),
    severities=(Severity.WARNING,),
    remedy=(
        "Set the values back to what the version comes with, and cure what made the broker busy.",
        SCALE_OUT,
        STRONGER_HOST,
    ),
    references=(
        "article 001: system busy and broker busy",
        "MessageStoreConfig.osPageCacheBusyTimeOutMills, BrokerConfig.sendThreadPoolQueueCapacity",
    ),
    any_of=("heap", "logs"),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each broker of a heap, and for what a broker's start-up lines print, with all such settings."""
    for broker in brokers(facts):
        if isinstance(broker, Skip):
            yield broker
            continue
        changed = _changed(broker)
        if not changed:
            continue
        yield Draft(
            severity=Severity.WARNING,
            cause="symptom-hidden",
            confidence=Confidence.HIGH,
            title=say(
                "{changed} of {called} {hide} that it is busy",
                changed=_names(changed),
                called=called(broker),
                hide=_hide(changed),
            ),
            subject=subject(broker),
            evidence=changed,
            explanation=tuple(_said(broker, name) for name in changed),
            remedy=check.card.remedy,
        )
    yield from in_logs(facts, SINCE_3_5_8, HIDES, check.card.remedy)


def _defaults(broker: BrokerFacts) -> dict[str, int]:
    """By structure: the setting waitTimeMillsInSendQueue and the lower defaults came together, in 3.5.8."""
    return SINCE_3_5_8 if "waitTimeMillsInSendQueue" in broker.config else BEFORE


def _changed(broker: BrokerFacts) -> dict[str, int | bool]:
    changed: dict[str, int | bool] = {}
    for name, default in _defaults(broker).items():
        value = setting(broker, name)
        if value is not None and value > default:
            changed[name] = value
    if broker.config.get(FAST_FAILURE) is False:
        changed[FAST_FAILURE] = False
    return changed


def _said(broker: BrokerFacts, name: str) -> str:
    default = _defaults(broker).get(name)
    if default is None:
        return say("{name}=false (default true): {hides}.", name=name, hides=HIDES[name])
    return say(
        "{name}={setting:count} (default {default:count}): {hides}.",
        name=name,
        setting=setting(broker, name),
        default=default,
        hides=HIDES[name],
    )


def _names(changed: dict[str, int | bool]) -> str:
    names = list(changed)
    return (
        names[0]
        if len(names) == 1
        else say("{names} and {names_2}", names=", ".join(names[:-1]), names_2=names[-1])
    )


def _hide(changed: dict[str, int | bool]) -> str:
    return say("hides") if len(changed) == 1 else say("hide")
