"""An all-clear names settings that are not RocketMQ's defaults, where nobody said what was intended."""

from __future__ import annotations

from typing import Any

import msgspec

from mqdiag.diagnose.changed_settings import changed_settings
from mqdiag.facts.admin import AdminFacts, BrokerStatus
from mqdiag.facts.expectations import NOT_GIVEN
from mqdiag.findings import Report, Skipped
from mqdiag.language import english
from tests.render.samples import ARTICLE_HEAP, CONSUMER

ASKED_NOTHING = Skipped(rule="config-not-in-force", reason=NOT_GIVEN)


def said(*, skipped: tuple[Skipped, ...] = (ASKED_NOTHING,), **config: Any) -> str:
    consumer = msgspec.structs.replace(CONSUMER, config={**CONSUMER.config, **config})
    heap = msgspec.structs.replace(ARTICLE_HEAP, consumers=(consumer,))
    return english()(changed_settings(Report(mqdiag="0", inputs=(), heap=heap, skipped=skipped)))


def test_a_setting_that_is_not_the_default_is_named() -> None:
    assert said(pullThresholdForQueue=1000) == ""
    assert said(pullThresholdForQueue=100, consumeThreadMin=5) == (
        f"Group {CONSUMER.group} runs with pullThresholdForQueue=100 and consumeThreadMin=5, not with RocketMQ's"
        " defaults. If you set another value, --expect pullThresholdForQueue=VALUE shows it."
    )


def test_what_was_compared_with_an_intention_needs_no_hint() -> None:
    assert said(pullThresholdForQueue=100, skipped=()) == ""


def test_a_short_send_queue_of_a_broker_is_named() -> None:
    def of_broker(capacity: str) -> str:
        status = BrokerStatus(source="status.txt", values={"sendThreadPoolQueueCapacity": capacity})
        return english()(
            changed_settings(Report(mqdiag="0", inputs=(), admin=AdminFacts(broker_statuses=(status,))))
        )

    assert of_broker("10000") == of_broker("many") == ""
    assert of_broker("12").startswith("The broker's send queue takes 12 requests, not 10,000 as by default")
