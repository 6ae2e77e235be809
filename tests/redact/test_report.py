"""`--redact` on reports: nothing personal is left, and every text of a report has been thought about."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec
import pytest

from mqdiag.causes.collect_commands import client_log, server_logs
from mqdiag.causes.places import Place
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.facts import HeapFacts, Input, StacksFacts
from mqdiag.facts.admin import AdminFacts, BrokerConfig, BrokerStatus
from mqdiag.facts.crash import CrashFacts, CrashReport
from mqdiag.facts.heap import ConsumerFacts, QueueFacts
from mqdiag.facts.heap_classes import Suspect
from mqdiag.facts.heap_threads import HeapThread, MessageInHand
from mqdiag.facts.logs import Connections, LogEvent, LogsFacts, LogSubject
from mqdiag.facts.processes import ProcessFacts
from mqdiag.facts.redaction import HIDDEN, Redact
from mqdiag.facts.shown import Shown, ShownObject, ShownValue
from mqdiag.facts.stacks import ThreadAt, ThreadFacts
from mqdiag.facts.verdict import MissingEvidence, Verdict
from mqdiag.findings import Confidence, Finding, Report, Severity, Subject
from mqdiag.language import english
from mqdiag.redact.report import ADDRESS, redact_report, treatments
from mqdiag.render import View, renderer
from mqdiag.rules.discovery import all_rules
from mqdiag.rules.engine import run_rules
from mqdiag.text import say
from tests.folded import folded
from tests.layers import one_in_each_run
from tests.rules.examples import example_of

SECRETS = ("alice@example.org", "7F0001A2", "10.1.2.3@4711", "job-of-alice", "10.1.2.3:9876", "card 4711")
WORKER, GROUP, TOPIC = "ConsumeMessageThread_orders_3", "orders", "payments"


def report() -> Report:
    key, message, client, thread, address, text = SECRETS
    in_hand = MessageInHand(topic=TOPIC, queue_id=1, offset=7, msg_id=message, keys=key, group=GROUP)
    consumer = ConsumerFacts(
        group=GROUP,
        kind="push",
        client_id=client,
        config={
            "namesrvAddr": address,
            "messageModel": "CLUSTERING",
            "consumeThreadMin": 20,
            "unitName": GROUP,
        },
    )
    heap = HeapFacts(
        objects=1,
        shallow_bytes=1,
        unreachable_objects=0,
        unreachable_bytes=0,
        consumers=(consumer,),
        queues=(
            QueueFacts(group=GROUP, topic=TOPIC, broker="b", queue_id=1, head_keys=key, head_msg_id=message),
        ),
        threads=(HeapThread(name=WORKER, message=in_hand), HeapThread(name=thread), HeapThread(name="main")),
        suspects=(
            Suspect(
                class_name="X",
                object_id="0x1",
                retained_bytes=1,
                share=0.5,
                path=(f'java.lang.Thread "{thread}"',),
            ),
        ),
    )
    finding = Finding(
        rule="stuck-consumer-thread",
        severity=Severity.ERROR,
        cause="x",
        confidence=Confidence.HIGH,
        fingerprint="0" * 16,
        title=say("{thread} holds {keys} for {client_id}", thread=thread, keys=key, client_id=client),
        subject=Subject(group=GROUP, thread=thread),
        evidence={"keys": key, "msg_id": message, "threads": (WORKER, thread), "offset": 7, "held_by": thread},
        remedy=(say("Ask {owner}.", owner=key),),
        explanation=(say("{keys:and}; and {inner}", keys=(key, key), inner=say("of {pool}", pool=thread)),),
    )
    stacks = StacksFacts(
        samples=1,
        threads=(
            ThreadFacts(
                name=thread, role="other", state="idle", samples=(ThreadAt(state="RUNNABLE", top="A.b"),)
            ),
        ),
    )
    logs = LogsFacts(events=(LogEvent(kind="x", count=1, example=f"keys={key} {text}"),))
    shown = Shown(
        object=ShownObject(
            object_id="0x1",
            class_name="app.Order",
            shallow_bytes=1,
            retained_bytes=1,
            reachable=True,
            fields=(
                ShownValue(name="owner", type="reference", value=text, class_name="java.lang.String"),
                ShownValue(name="initial", type="char", value="Z"),
                ShownValue(name="count", type="int", value=4),
                ShownValue(name="state", type="reference", value="PAID", class_name="app.State"),
            ),
        )
    )
    return Report(
        mqdiag="0",
        inputs=(Input(path="dump.hprof", kind="heap", format="hprof 1.0.2", bytes=1),),
        findings=(finding,),
        heap=heap,
        stacks=stacks,
        logs=logs,
        process=ProcessFacts(name="pid 1", settings={"app.partner": text, "user.timezone": "true"}),
        show=shown,
    )


def test_no_secret_is_in_any_format() -> None:
    given = report()
    hidden = redact_report(given)
    seen = set()
    for name in ("text", "json"):
        for shows in ((given.show, hidden.show), (None, None)):
            before = renderer(name)(msgspec.structs.replace(given, show=shows[0]), View(all_threads=True))
            after = renderer(name)(msgspec.structs.replace(hidden, show=shows[1]), View(all_threads=True))
            seen.update(secret for secret in SECRETS if secret in before)
            assert [secret for secret in SECRETS if secret in after] == []
    assert seen == set(SECRETS)


def test_names_and_numbers_stay_and_equal_texts_have_one_placeholder() -> None:
    hidden = redact_report(report())
    assert hidden.heap is not None
    assert hidden.stacks is not None
    consumer, queue, finding = hidden.heap.consumers[0], hidden.heap.queues[0], hidden.findings[0]
    assert consumer.config == {
        "namesrvAddr": "text-1", "messageModel": "CLUSTERING", "consumeThreadMin": 20, "unitName": GROUP
    }  # fmt: skip
    assert [thread.name for thread in hidden.heap.threads] == [WORKER, "thread-1", "main"]
    assert hidden.stacks.threads[0].name == "thread-1"
    assert hidden.heap.threads[0].message == MessageInHand(
        topic=TOPIC, queue_id=1, offset=7, msg_id="message-1", keys="key-1", group=GROUP
    )
    assert (queue.head_keys, queue.head_msg_id, queue.topic) == ("key-1", "message-1", TOPIC)
    assert finding.subject == Subject(group=GROUP, thread="thread-1")
    assert finding.evidence["threads"] == (WORKER, "thread-1")
    assert finding.evidence["offset"] == 7
    assert english()(finding.title) == "thread-1 holds key-1 for client-1"
    assert english()(finding.remedy[0]) == "Ask key-1."
    assert english()(finding.explanation[0]) == "key-1 and key-1; and of thread-1"
    assert hidden.heap.suspects[0].path == ('java.lang.Thread "thread-1"',)
    assert hidden.logs is not None
    assert hidden.logs.events[0].example == HIDDEN


def test_what_an_object_shows() -> None:
    shown = redact_report(report()).show
    assert shown is not None
    assert shown.object is not None
    assert [field.value for field in shown.object.fields] == [HIDDEN, HIDDEN, 4, "PAID"]


def test_redacting_twice_changes_nothing_more() -> None:
    once = redact_report(report())
    assert redact_report(once).findings[0].evidence == once.findings[0].evidence


def addressed() -> Report:
    """Addresses where brokers have their names, and among other values that stay."""
    broker = "10.1.2.3:10911"
    finding = Finding(
        rule="connection-lost",
        severity=Severity.WARNING,
        cause="x",
        confidence=Confidence.HIGH,
        fingerprint="0" * 16,
        title=say("{broker} and {other} are away", broker=broker, other="broker-10.1.2.4"),
        subject=Subject(broker=broker),
        evidence={"broker": broker, "peer": broker, "brokers": (broker, "broker-a", "broker-10.1.2.4")},
        remedy=(),
    )
    status = BrokerStatus(
        source="brokerStatus.txt", values={"haMaster": "node1.example:10912", "bootTime": "Sat 10:00:00"}
    )
    config = BrokerConfig(source="x", settings={"brokerName": "10.1.2.3", "brokerClusterName": "cluster-a"})
    return Report(
        mqdiag="0",
        inputs=(),
        findings=(finding,),
        logs=LogsFacts(
            events=(
                LogEvent(
                    kind="x",
                    count=3,
                    subjects=tuple(
                        LogSubject(broker=name, count=1) for name in (broker, "broker-a", "broker-10.1.2.4")
                    ),
                ),
            ),
            connections=(Connections(path="x.log", address=broker, incoming=False, opened=1, closed=1),),
        ),
        admin=AdminFacts(broker_statuses=(status,), broker_configs=(config,)),
        crash=CrashFacts(reports=(CrashReport(source="x", host="[fe80::1]:22, Intel(R) Xeon(R), 4 cores"),)),
    )


def test_an_address_in_the_place_of_a_name_is_hidden_and_names_stay() -> None:
    hidden = redact_report(addressed())
    finding = hidden.findings[0]
    assert finding.subject.broker == finding.evidence["broker"] == finding.evidence["peer"] == "address-1"
    assert finding.evidence["brokers"] == ("address-1", "broker-a", "broker-address-2")
    assert english()(finding.title) == "address-1 and broker-address-2 are away"
    assert hidden.logs is not None
    assert [subject.broker for subject in hidden.logs.events[0].subjects] == [
        "address-1",
        "broker-a",
        "broker-address-2",
    ]
    assert hidden.logs.connections[0].address == "address-1"
    assert hidden.admin is not None
    assert hidden.admin.broker_statuses[0].values == {"haMaster": "address-3", "bootTime": "Sat 10:00:00"}
    assert hidden.admin.broker_configs[0].settings == {
        "brokerName": "address-4",
        "brokerClusterName": "cluster-a",
    }
    assert hidden.crash is not None
    assert hidden.crash.reports[0].host == "address-5, Intel(R) Xeon(R), 4 cores"


def test_every_name_of_a_broker_is_declared_as_one() -> None:
    undeclared = [
        kind.__name__
        for kind in structs(Report, set())
        for name, treatment in treatments(kind)
        if name == "broker" and get_type_hints(kind)[name] in (str, str | None) and treatment is not Redact.NAME
    ]
    assert undeclared == []


@folded(
    "text, left",
    [
        ("127.0.0.1:10911", "?"),
        ("/10.1.2.3:5000", "/?"),
        ("10.1.2.3@4711", "?@4711"),
        ("node1.example:9876, 4 cores", "?, 4 cores"),
        ("[2001:db8::2]:10911", "?"),
        ("2001:db8:0:0:0:0:0:1", "?"),
        ("::ffff:10.0.0.1", "?"),
        ("broker-a.example", "broker-a.example"),
        ("V5_3_3 5.3.3 17.0.9+9", "V5_3_3 5.3.3 17.0.9+9"),
        ("Sat Nov 21 10:00:00 UTC 2026", "Sat Nov 21 10:00:00 UTC 2026"),
        ("[<=0ms]:3958 [0~10ms]:109 [3~4s]:0", "[<=0ms]:3958 [0~10ms]:109 [3~4s]:0"),
        ("Total : 252.0 GiB, Free : 222.2 GiB.", "Total : 252.0 GiB, Free : 222.2 GiB."),
    ],
)
def test_what_an_address_is(text: str, left: str) -> None:
    assert ADDRESS.sub("?", text) == left


@one_in_each_run(4)
@pytest.mark.parametrize("part", ["a", "a-", "1.", "a:", "[a:", "::", "1.1.1.", "ab::"])
def test_long_texts_without_an_address_take_no_time(part: str) -> None:
    text = part * 100_000
    began = time.process_time()
    ADDRESS.sub("", text)
    assert time.process_time() - began < 2


def structs(hint: Any, found: set[type[msgspec.Struct]]) -> set[type[msgspec.Struct]]:
    """All types of a report."""
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct) and hint not in found:
        found.add(hint)
        for inner in get_type_hints(hint).values():
            structs(inner, found)
    for part in get_args(hint):
        structs(part, found)
    return found


def holds_plain_text(hint: Any) -> bool:
    if get_origin(hint) is Annotated and any(isinstance(part, Redact) for part in hint.__metadata__):
        return False
    if get_origin(hint) is Literal:
        return False
    if get_origin(hint) is dict:
        return holds_plain_text(get_args(hint)[1])
    return hint is str or hint is Any or any(holds_plain_text(part) for part in get_args(hint))


@folded("kind", sorted(structs(Report, set()), key=lambda kind: kind.__name__))
def test_every_text_of_a_report_says_what_it_may_tell(kind: type[msgspec.Struct]) -> None:
    """A plain str is hidden: take a type of mqdiag/facts/redaction.py."""
    hints = get_type_hints(kind, include_extras=True)
    undeclared = [name for name, hint in hints.items() if holds_plain_text(hint)]
    assert undeclared == ([] if kind is not Finding else ["evidence"])


def test_the_host_of_a_process_is_hidden_wherever_its_name_stands() -> None:
    name = "pid 42 on bobs-laptop"
    row = ProcessFacts(name=name, pid=42)
    found = Finding(
        rule="deadlock",
        severity=Severity.ERROR,
        cause="deadlock",
        confidence=Confidence.HIGH,
        fingerprint="1",
        title=say("{process} hangs", process=name),
        subject=Subject(),
        evidence={},
        remedy=(),
        processes=(name,),
    )
    report = redact_report(Report(mqdiag="1", inputs=(), findings=(found,), other_processes=(row,)))
    assert report.other_processes[0].name == "pid 42 on host-1"
    assert report.findings[0].processes == ("pid 42 on host-1",)
    assert english()(report.findings[0].title) == "pid 42 on host-1 hangs"


def test_a_text_under_a_key_that_nobody_declared_is_hidden() -> None:
    """Unless it is a public text of the facts, a constant, a number or a time."""
    given = report()
    open_ones = {
        "server": "redis.shop.internal:6379",
        "host": "redis.shop.internal",
        "odd": "prod-db-1",
        "many": ("bob",),
        "net": "10.0.0.0/24",
    }
    times = {"x": "5.3.3", "y": "2026-11-28T10:00:00+08:00"}
    harmless = {**times, "z": "nginx", "w": "com.acme.Job", "doing": "socket-read"}
    stated = {**open_ones, **harmless}
    finding = msgspec.structs.replace(
        given.findings[0], title=say("{odd} at {server}", **stated), evidence=stated
    )
    thread = ThreadFacts(name="main", role="other", state="idle", samples=(), listener="com.acme.Job")
    facts = StacksFacts(samples=1, threads=(thread,))
    made = msgspec.structs.replace(given, findings=(finding,), stacks=facts)
    hidden = redact_report(made).findings[0]
    assert {key: hidden.evidence[key] for key in harmless} == harmless
    assert hidden.evidence["server"] == f"{hidden.evidence['host']}:6379"
    assert not re.search("redis|prod|bob|10[.]0", f"{hidden.evidence} {english()(hidden.title)}")
    assert redact_report(redact_report(made)) == redact_report(made)


def test_texts_of_our_own_stay() -> None:
    """Names under which rules state them are declared in `mqdiag/knowledge/redaction.toml`."""
    of_others, lost = {"actual", "expected", "argument", "user"}, {}
    for rule in all_rules():
        found = run_rules([rule], example_of(rule).fires()).findings
        (hidden,) = redact_report(Report(mqdiag="1", inputs=(), findings=found)).findings
        words = {} if of_others & hidden.evidence.keys() else {"words": (hidden.title, *hidden.explanation)}
        told = {key: str(value) for key, value in hidden.evidence.items() if key not in of_others}
        told |= {key: " ".join(map(english(), texts)) for key, texts in words.items()}
        lost |= {(rule.name, key): text for key, text in told.items() if "text-" in text}
    assert not lost


def test_a_finding_shows_no_address_of_a_server_whatever_its_evidence_is_called() -> None:
    given = report()
    stated = {"server": "10.77.3.9:6379", "host": "10.77.3.9", "six": "[fd00::9]:6379", "version": "5.3.3"}
    finding = msgspec.structs.replace(given.findings[0], title=say("at {server}", **stated), evidence=stated)
    hidden = redact_report(msgspec.structs.replace(given, findings=(finding,))).findings[0]
    host, other = hidden.evidence["host"], hidden.evidence["six"]
    assert hidden.evidence == {"server": f"{host}:6379", "host": host, "six": other, "version": "5.3.3"}
    assert english()(hidden.title) == f"at {host}:6379"
    assert not ({"10.77.3.9", "[fd00::9]:6379"} & {host, other})


def test_the_field_of_the_application_that_holds_a_consumer_stays_as_other_classes_do() -> None:
    found = msgspec.structs.replace(
        report().findings[0],
        evidence={
            "owner_field": "com.acme.Push.consumers",
            "equal_fields": ("com.acme.Push.batch",),
            "secret": "a.b",
        },
    )
    hidden = redact_report(Report(mqdiag="1", inputs=(), findings=(found,))).findings[0].evidence
    assert hidden["owner_field"] == "com.acme.Push.consumers"
    assert hidden["equal_fields"] == ("com.acme.Push.batch",)
    assert hidden["secret"] != "a.b"


def test_a_path_in_a_command_that_takes_evidence_is_no_name_of_a_thread() -> None:
    of_files = (*client_log(Place()), *server_logs(Place()))
    asked = MissingEvidence(what=say("logs"), why=say("they tell"), commands=of_files)
    made = msgspec.structs.replace(report(), verdict=Verdict(missing_evidence=(asked,)))
    verdict = redact_report(made).verdict
    assert verdict is not None
    (shown,) = verdict.missing_evidence
    assert [english()(line) for one in shown.commands for line in one.lines] == [
        english()(line) for one in of_files for line in one.lines
    ]


@pytest.mark.parametrize("given", ["10.77.66.55:9876", "db.secret.internal:3306", "AKIAIOSFODNN7EXAMPLE"])
def test_no_address_or_key_stays_in_the_place_of_a_topic_or_group(given: str, tmp_path: Path) -> None:
    path = tmp_path / "client.log"
    path.write_text(
        "".join(
            f"2026-11-21 20:{minute:02}:01,123 WARN RocketmqClient - {text}\n"
            for minute in range(30)
            for text in (
                f"org.apache.rocketmq.client.exception.MQClientException: No route info of this topic: {given}",
                f"the cached message count exceeds the threshold 1000, so do flow control, minOffset=0, maxOffset=9,"
                f" count=1000, size=100 MiB, pullRequest=PullRequest [consumerGroup={given}, messageQueue="
                f"MessageQueue [topic={given}, brokerName=b, queueId=1], nextOffset=10], flowControlTimes=1000",
            )
        )
    )
    whole = diagnose_incident([path]).report
    redacted = redact_report(whole)
    assert whole.findings
    for form in ("text", "json", "html", "sarif", "junit"):
        assert given.split(":")[0] in renderer(form)(whole, View()), form
        assert given.split(":")[0] not in renderer(form)(redacted, View()), form
