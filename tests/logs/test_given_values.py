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


ENDS = {
    "rsyslog": ("#012", "#011"),
    "rsyslog, lines of Windows": ("#015#012", "#011"),
    "JSON": ("\\n", "\\t"),
    "JSON in JSON": ("\\\\n", "\\\\t"),
    "JSON by numbers": ("\\u000a", "\\u0009"),
    "escapes of a shell": ("\\x0a", "\\x09"),
    "escapes by octets": ("\\012", "\\011"),
    "a page": ("<br>", ""),
    "a page of XHTML": ("<br />", "&nbsp;&nbsp;"),
    "entities": ("&#10;", "&#9;"),
    "entities by letters": ("&#xA;", "&#x9;"),
    "an editor": ("\u2424", "\t"),
    "a terminal": ("^J", "^I"),
    "bars": (" | ", ""),
    "bars and tabs": ("|", "\t"),
    "tabs": ("\t", "\t"),
}


@pytest.mark.parametrize("ends", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("fault", FAULTS)
def test_an_exception_behind_a_name_on_the_same_line_is_believed(fault: str, ends: tuple[str, str]) -> None:
    end, tab = ends
    frame = f"{end}{tab}at java.io.X.y(X.java:1)"
    for stack in (
        f"{fault}{frame}",
        f"{fault}{frame}{frame}{end}{tab}... 3 more",
        f"java.lang.RuntimeException: {fault}{frame}{end}Caused by: {fault}{frame}",
        f"java.lang.RuntimeException: x{frame}{end}Caused by: {fault}{end}{tab}... 12 more",
    ):
        assert faults_of(f"LockBatchMQ exception, group=CID_a{end}{stack}"), stack


@pytest.mark.parametrize("fault", FAULTS)
def test_a_name_is_no_fault_where_another_value_may_be(fault: str) -> None:
    for text in (
        f"sendMessageBack exception, group: CID_a msg: {fault}",
        f"sendMessageBack exception, group: {fault} msg: MessageExt [brokerName=a]",
        f"[reset-offset] reset offset exception. topic={fault}, group=CID ,error=none",
        f"[reset-offset] reset offset exception. topic=T, group=CID ,error={fault} ,error=none",
        f"notifyConsumerIdsChanged exception. group={fault}, error=none",
        f"parse error: expr=TAGS {fault}, topic=T, group=CID, error=none",
        f"consumeMessage exception: none Group: CID {fault} Msgs: [] MQ: MessageQueue [topic=T]",
        f"consumeMessage exception: none Group: CID Msgs: [] MQ: {fault}",
        f"changePopInvisibleTimeAsync fail, group:CID {fault} msg:MessageExt errorInfo:none",
        f"Skipping message due to unknown error, msg: {fault}",
        f"getMessage Failed. cid: {fault}, topic: T, queueId: 0, offset: 1, minOffset: 0, maxOffset: 2, none",
    ):
        assert not faults_of(text), text


@pytest.mark.parametrize("fault", FAULTS)
def test_what_a_statement_says_of_a_failure_beside_names_is_believed(fault: str) -> None:
    for text in (
        f"[reset-offset] reset offset exception. topic=T, group=CID ,error={fault}",
        f"parse error: expr=a, topic=T, group=CID, error={fault}",
        f"consumeMessage exception: {fault} Group: CID Msgs: [] MQ: MessageQueue [topic=T]",
        f"getMessage Failed. cid: CID, topic: T, queueId: 0, offset: 1, minOffset: 0, maxOffset: 2, a, b, {fault}",
        f"changePopInvisibleTimeAsync fail, group:CID msg:MessageExt errorInfo:{fault}",
        f"Ack message fail. extraInfo: 1 2 3  error message: {fault}",
    ):
        assert faults_of(text), text
