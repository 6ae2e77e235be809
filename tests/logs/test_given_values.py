"""Faults that a client writes into the names which it gives: RocketMQ prints them in its own files."""

from __future__ import annotations

import pytest

from mqdiag.logs.catalogue import entries
from mqdiag.logs.given_values import names_its_values
from tests.logs.given import facts, line

FAULTS = ("java.io.IOException: No space left on device", "java.lang.OutOfMemoryError: Java heap space")
USUAL = "".join(line("register broker to name server OK", second=second) for second in range(20))


def events(text: str) -> list[str]:
    return [event.kind for event in facts(USUAL + line(text)).events]


def faults_of(text: str) -> list[str]:
    return [kind for kind in events(text) if kind in ("out-of-memory", "no-space-left")]


def test_statements_whose_values_are_names_and_numbers() -> None:
    """Most statements that print a group, a topic or a key print nothing but such values."""
    named = {entry.pattern for entry in entries() if names_its_values(entry)}
    assert len(named) > 400
    assert "the consumer's group info not exist, group: {}" in named
    for reason in (
        "getMessage Failed. cid: {}, topic: {}, queueId: {}, offset: {}, minOffset: {}, maxOffset: {}, {}",
        "flush Failed. {}, {}",
        "notifyConsumerIdsChanged exception. group={}, error={}",
        "Calc bit map error! topic={}, offset={}, queueId={}, {}",
    ):
        assert reason not in named


def test_no_name_is_a_fault() -> None:
    texts = sorted(
        entry.pattern.partition("\n")[0].replace("{}", f"CID {fault}")
        for entry in entries()
        if names_its_values(entry)
        for fault in FAULTS
    )
    told = facts(USUAL + "".join(map(line, texts))).events
    if {event.kind for event in told} & {"out-of-memory", "no-space-left"}:
        for text in texts:
            assert not faults_of(text), text


@pytest.mark.parametrize("fault", FAULTS)
def test_no_property_of_a_message_is_a_fault(fault: str) -> None:
    for properties in (
        f"{{KEYS=o-1 {fault}, WAIT=true}}",
        f"{{TEXT=orders, {fault}, TAGS=a}}",
        f"{{a={{b}}, error={fault}}}",
    ):
        text = f"Message Filter error, ConsumerFilterData{{topic='orders', bloomFilterData=null}}, {properties}"
        assert not faults_of(text), properties


@pytest.mark.parametrize("fault", FAULTS)
def test_what_a_broker_says_of_a_failure_stays(fault: str) -> None:
    for text in (
        f"getMessage Failed. cid: CID, topic: orders, queueId: 0, offset: 1, minOffset: 0, maxOffset: 2, {fault}",
        f"flush Failed. /data/store, {fault}",
        f"notifyConsumerIdsChanged exception. group=CID, error={fault}",
        f"LockBatchMQ exception, group=CID_a#012{fault}#012#011at java.io.X.y(X.java:1)",
        f"LockBatchMQ exception, group=CID_a {fault} at java.io.X.y(X.java:1)",
        f"create file failed, options {{a=1}}, {fault}",
        fault,
    ):
        assert faults_of(text), text
