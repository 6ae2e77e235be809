"""The verdict over reports made by hand: what is joined, what is not, and what is said when evidence disagrees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from mqdiag.causes.agreement import time_gap
from mqdiag.causes.build_verdict import build_verdict
from mqdiag.causes.link import Depths, link, order
from mqdiag.causes.missing_evidence import missing_evidence
from mqdiag.diagnose.answer import answered
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.facts import HeapFacts, Input, LogsFacts, StacksFacts
from mqdiag.facts.heap import QueueFacts
from mqdiag.facts.heap_threads import HeapThread, ListenerCall, MessageInHand
from mqdiag.facts.logs import LogFile
from mqdiag.facts.stacks import ThreadAt, ThreadFacts
from mqdiag.facts.verdict import Verdict
from mqdiag.facts.vocabulary import ServerKind
from mqdiag.findings import Confidence, Finding, Report, Severity, Subject
from mqdiag.fingerprints import fingerprint
from mqdiag.language import english
from mqdiag.render import View, renderer
from mqdiag.rules.catalogue import rule_files
from mqdiag.text import Text, say
from tests.folded import folded
from tests.layers import one_in_each_run
from tests.render import samples

LOGS = Path(__file__).parents[2] / "fixtures" / "logs"
WORKER = "ConsumeMessageThread_CID_1"
FRAME = "com.acme.Inventory.reserve(Inventory.java:48)"


def finding(rule: str, severity: Severity = Severity.ERROR, seen_in: str = "heap", **more: Any) -> Finding:
    subject = more.pop("subject", Subject(group="CID"))
    cause = more.pop("cause", "c")
    own = next((one for one in rule_files() if one.name == rule), None)
    made = msgspec.structs.replace(
        Finding(
            rule=rule,
            severity=severity,
            cause=cause,
            confidence=more.pop("confidence", Confidence.HIGH),
            fingerprint=fingerprint(rule, cause, subject),
            title=say("title of {rule}", rule=rule),
            subject=subject,
            evidence=more.pop("evidence", {}),
            remedy=(),
            seen_in=(seen_in,),
            lies_at="client" if own is None else own.texts.lies_at,
            undecides=own is not None and own.texts.undecides,
        ),
        **more,
    )
    if own is None:
        return made
    in_chain = say(own.texts.in_chain) if own.texts.in_chain else made.title
    return msgspec.structs.replace(made, in_chain=in_chain.filled(_known(made)))


def _known(made: Finding) -> dict[str, Any]:
    unknown = dict.fromkeys(("diff_total", "queueMaxSpanFlowControlTimes", "refused"))
    return {**unknown, **msgspec.structs.asdict(made.subject), **made.evidence}


CARDS = {rule.name: rule.card for rule in rule_files()}


def written(texts: tuple[Text, ...]) -> list[str]:
    return [english()(text) for text in texts]


def linked(*findings: Finding) -> tuple[Finding, ...]:
    """As a diagnosis links and orders them."""
    return order(link(findings, CARDS))


def report(*findings: Finding, **parts: Any) -> Report:
    return Report(
        mqdiag="1",
        inputs=(Input(path="x", kind="heap"),),
        findings=findings,
        checked=("a", "b"),
        **parts,
        rule_cards=tuple(CARDS.values()),
    )


def verdict(*findings: Finding, **parts: Any) -> Verdict:
    reached = build_verdict(report(*linked(*findings), **parts))
    assert reached is not None
    return reached


def rules_of(reached: Verdict, *findings: Finding) -> list[str]:
    names = {one.fingerprint: one.rule for one in findings}
    return [names[step.fingerprint] for step in reached.chain]


IN_HEAP = finding(
    "stuck-consumer-thread",
    Severity.WARNING,
    confidence=Confidence.MEDIUM,
    confidence_reason=say("a slow call looks the same in one dump"),
    evidence={"threads": (WORKER,), "msg_id": "M1"},
)
IN_STACKS = finding("stuck-socket-read", seen_in="stacks", evidence={"threads": (WORKER,)})
HELD_BACK = finding(
    "offset-stuck-at-head",
    subject=Subject(group="CID", topic="orders", broker="b", queue_id=3),
    evidence={"msg_id": "M1", "min_offset": 7, "finished_beyond_head": 2000},
)


def heap(**more: Any) -> HeapFacts:
    return HeapFacts(
        objects=1,
        shallow_bytes=1,
        unreachable_objects=0,
        unreachable_bytes=0,
        process_queues=1,
        captured_at="2026-11-21T08:00:00.000+00:00",
        threads=(
            HeapThread(
                name=WORKER,
                tid="0x7f01",
                message=MessageInHand(group="CID", age_ms=90_000),
                call=ListenerCall(listener=FRAME, frame=FRAME, doing="socket-read", cause="c"),
            ),
        ),
        queues=(QueueFacts(group="CID", topic="orders", broker="b", queue_id=3, lag=5000),),
        **more,
    )


def stacks(state: str) -> StacksFacts:
    thread = ThreadFacts(
        name=WORKER,
        tid="0x00007f01",
        role="consume-worker",
        group="CID",
        state=state,
        frame=FRAME,
        samples=(ThreadAt(state="RUNNABLE"),),
    )
    return StacksFacts(samples=5, judged=True, threads=(thread,))


def test_cards_name_rules_that_exist() -> None:
    for card in CARDS.values():
        roots = {root.partition(":")[0] for root in card.explained_by}
        assert {*card.leads_to, *card.same_as, *roots} <= set(CARDS), card.name


def test_what_two_kinds_of_evidence_show_is_one_link_and_surer() -> None:
    reached = verdict(IN_HEAP, IN_STACKS, HELD_BACK, heap=heap(), stacks=stacks("stuck"))
    assert rules_of(reached, IN_HEAP, IN_STACKS, HELD_BACK) == ["stuck-socket-read", "offset-stuck-at-head"]
    root, effect = reached.chain
    assert root.also == (IN_HEAP.fingerprint,)
    assert written(effect.tied_by) == ["group CID", "message M1"]
    assert reached.confidence == "high"
    assert english()(reached.confidence_reason) == "a heap dump and thread dumps show it independently"
    (agreement,) = written(reached.agreements)
    assert "by name and address" in agreement
    assert "both in com.acme.Inventory.reserve:" in agreement
    assert written(reached.consequences) == [
        "5,000 messages wait on the brokers for the 1 queue of group CID that this process has, as of the last pulls"
    ]


def test_of_queues_without_a_known_backlog_nothing_is_said() -> None:
    """The evidence says 3 queues: 2 of them without the third would contradict it."""
    read = heap()
    retry = QueueFacts(group="CID", topic="%RETRY%CID", broker="b", queue_id=0)
    read = msgspec.structs.replace(read, queues=(*read.queues, retry))
    (told,) = written(verdict(IN_HEAP, IN_STACKS, HELD_BACK, heap=read, stacks=stacks("stuck")).consequences)
    assert "5,000 messages wait on the brokers for 1 of the 2 queues of group CID" in told
    assert told.endswith("how many wait for the rest, mostly %RETRY%, is unknown")


def test_two_that_are_half_sure_of_the_same_are_sure() -> None:
    half = msgspec.structs.replace(IN_STACKS, confidence=Confidence.MEDIUM)
    assert verdict(IN_HEAP, half, heap=heap(), stacks=stacks("stuck")).confidence == "high"
    doubtful = msgspec.structs.replace(IN_STACKS, confidence=Confidence.LOW)
    vague = msgspec.structs.replace(IN_HEAP, confidence=Confidence.LOW)
    assert verdict(vague, doubtful, heap=heap(), stacks=stacks("stuck")).confidence == "medium"


def test_one_kind_alone_is_as_sure_as_its_finding() -> None:
    reached = verdict(IN_HEAP, HELD_BACK, heap=heap())
    assert rules_of(reached, IN_HEAP, HELD_BACK) == ["stuck-consumer-thread", "offset-stuck-at-head"]
    assert reached.confidence == "medium"
    assert reached.agreements == ()


@pytest.mark.parametrize("state", ["progressing", "idle"])
def test_a_thread_that_moves_in_the_thread_dumps_is_not_called_stuck(state: str) -> None:
    reached = verdict(IN_HEAP, heap=heap(), stacks=stacks(state))
    assert reached.confidence is None
    assert reached.chain == ()
    (line,) = written(reached.contradictions)
    answer = answered(report(heap=heap(), stacks=stacks(state), verdict=reached)).answer
    assert answer.state == "undecided"
    assert english()(answer.reason).startswith("The evidence disagrees: ")
    assert WORKER in line
    assert state in line


def test_a_contradiction_lowers_what_remains() -> None:
    reached = verdict(IN_HEAP, HELD_BACK, heap=heap(), stacks=stacks("progressing"))
    assert rules_of(reached, HELD_BACK) == ["offset-stuck-at-head"]
    assert reached.confidence == "medium"
    assert english()(reached.confidence_reason).startswith("the evidence disagrees: ")


def test_what_is_contradicted_is_not_shown_as_the_cause() -> None:
    found = linked(IN_HEAP, HELD_BACK)
    assert [one.caused_by for one in found if one.caused_by] == [(IN_HEAP.fingerprint,)]
    reached = verdict(IN_HEAP, HELD_BACK, heap=heap(), stacks=stacks("progressing"))
    whole = answered(report(*found, heap=heap(), stacks=stacks("progressing"), verdict=reached))
    text = renderer("text")(whole, View())
    assert text.startswith("ERROR title of offset-stuck-at-head")
    assert "The cause:" not in text


def test_thread_dumps_that_cannot_tell_contradict_nothing() -> None:
    series = msgspec.structs.replace(stacks("progressing"), judged=False)
    assert verdict(IN_HEAP, heap=heap(), stacks=series).contradictions == ()


def test_other_groups_and_other_threads_are_not_joined() -> None:
    other = finding(
        "stuck-socket-read", seen_in="stacks", subject=Subject(group="CID_other"), evidence={"threads": ("x",)}
    )
    pool = finding(
        "stuck-wait", seen_in="stacks", subject=Subject(thread="report-pool"), evidence={"threads": ("y",)}
    )
    found = linked(HELD_BACK, other, pool)
    assert all(one.caused_by == () for one in found)
    reached = verdict(other, pool, HELD_BACK, heap=heap())
    assert len(reached.chain) == 1
    assert reached.agreements == ()


def test_memory_is_followed_from_the_setting_to_the_lost_pull() -> None:
    findings = (
        finding("config-not-in-force", subject=Subject(group="CID", key="pullThresholdForQueue")),
        finding("consumer-cache-exceeds-heap"),
        finding(
            "out-of-memory-thread",
            Severity.INFO,
            subject=Subject(thread="NettyClientWorkerThread_2"),
            cause="out-of-memory",
        ),
        finding("pull-service-dead", subject=Subject()),
        finding("pull-loop-lost", subject=Subject(group="CID", topic="orders", queue_id=1)),
    )
    reached = verdict(*findings, heap=heap())
    assert rules_of(reached, *findings)[:3] == [
        "config-not-in-force",
        "consumer-cache-exceeds-heap",
        "out-of-memory-thread",
    ]
    assert "pull-loop-lost" in rules_of(reached, *findings)
    assert "until the JVM runs out of memory" in english()(reached.statement)


def test_a_broker_is_followed_from_its_disk_to_its_producers() -> None:
    broker = Subject(broker="broker-a")
    findings = (
        finding("producer-backlog", Severity.WARNING, subject=Subject(group="PID")),
        finding("send-busy", Severity.WARNING, "logs", subject=broker),
        finding("page-cache-busy", seen_in="logs", subject=broker),
        finding("slow-writes", seen_in="logs", subject=broker),
    )
    reached = verdict(*findings)
    assert rules_of(reached, *findings) == ["slow-writes", "page-cache-busy", "send-busy", "producer-backlog"]
    assert any(
        "brokerStatus" in english()(line)
        for one in reached.missing_evidence
        for each in one.commands
        for line in each.lines
    )


def test_several_queues_are_one_link() -> None:
    queues = [
        finding(
            "offset-stuck-at-head", subject=Subject(group="CID", topic="orders", broker="b", queue_id=number)
        )
        for number in range(3)
    ]
    reached = verdict(IN_STACKS, *queues, heap=heap())
    assert len(reached.chain) == 2
    assert english()(reached.chain[1].says).endswith(" (and 2 more queues like it)")


def test_a_cut_input_is_no_fault_and_no_all_clear() -> None:
    cut = finding("input-incomplete", Severity.WARNING, subject=Subject())
    assert verdict(cut).chain == ()
    assert answered(report(cut)).answer.state == "undecided"
    healthy = answered(report()).answer
    assert healthy.state == "healthy"
    assert english()(healthy.text) == "No fault found."


def test_a_report_of_nothing_has_no_verdict() -> None:
    lost = Report(mqdiag="1", inputs=(Input(path="x", error=say("no")), Input(path="y", skipped=say("junk"))))
    assert build_verdict(lost) is None


def log(first: str, last: str, offset: str | None) -> LogsFacts:
    file = LogFile(path="l", kind="client", format="plain", bytes=1, lines=2, event_lines=0)
    file = msgspec.structs.replace(file, first=first, last=last, utc_offset=offset)
    return LogsFacts(files=(file,), lines=2)


@folded(
    "first, last, said",
    [
        ("2026-11-21T07:00:00+00:00", "2026-11-21T07:30:00+00:00", None),
        ("2026-11-21T16:00:00+08:00", "2026-11-21T16:30:00+08:00", None),
        ("2026-11-20T07:00:00+00:00", "2026-11-20T08:00:00+00:00", "the logs end 24 h before"),
        ("2026-11-26T08:00:00+00:00", "2026-11-26T09:00:00+00:00", "the logs begin 5 days after"),
        # without a zone half a day more is possible
        ("2026-11-20T20:00:00", "2026-11-20T21:00:00", None),
        ("2026-11-18T20:00:00", "2026-11-18T21:00:00", "the logs end "),
    ],
)
def test_times_that_do_not_fit_are_said(first: str, last: str, said: str | None) -> None:
    gap = time_gap(report(heap=heap(), logs=log(first, last, "+00:00" if "+" in first else None)))
    assert gap is None if said is None else gap is not None and english()(gap).startswith(said)


def test_a_log_is_tied_to_the_only_process_of_its_group() -> None:
    stuck = msgspec.structs.replace(IN_STACKS, processes=("pid 1",))
    flow = finding("flow-control", Severity.INFO, "logs", cause="count")
    _, tied = link([stuck, flow], CARDS)
    assert tied.caused_by == (stuck.fingerprint,)
    both = msgspec.structs.replace(stuck, processes=("pid 1", "pid 2"))
    other = msgspec.structs.replace(flow, subject=Subject(group="CID_other"))
    nameless = msgspec.structs.replace(flow, subject=Subject())
    for cause, effect in ((both, flow), (stuck, other), (stuck, nameless)):
        assert link([cause, effect], CARDS)[1].caused_by == ()


def test_the_findings_of_a_circle_lie_equally_deep() -> None:
    causes = {
        "root": (),
        "first": ("root", "third"),
        "second": ("first",),
        "third": ("second",),
        "last": ("third",),
    }
    prints = {name: finding(name).fingerprint for name in causes}
    findings = [
        finding(name, caused_by=tuple(prints[one] for one in before)) for name, before in causes.items()
    ]
    depths = Depths(findings)
    assert [depths.of(one) for one in findings] == [0, 4, 4, 4, 5]


@folded(
    "servers, words",
    [
        (("name-server",), "namesrv.log"),
        (("broker",), "broker.log"),
        (("controller",), "controller.log"),
        (("proxy-local", "broker"), "proxy.log"),
        ((), "rocketmq_client.log"),
    ],
)
def test_the_missing_log_is_that_of_the_process(servers: tuple[ServerKind, ...], words: str) -> None:
    heap = msgspec.structs.replace(samples.ARTICLE_HEAP, servers=servers)
    report = msgspec.structs.replace(samples.ARTICLE, heap=heap, logs=None)
    assert any(words in english()(one.what) for one in missing_evidence(report, ()))


def test_nobody_takes_dumps_of_a_process_that_has_ended() -> None:
    report = msgspec.structs.replace(samples.ARTICLE, heap=None, stacks=None, logs=None)
    assert missing_evidence(report, (finding("jvm-crash", seen_in="crash"),)) == ()
    assert missing_evidence(report, (finding("gc-thrashing", seen_in="logs"),))


@one_in_each_run(2)
@pytest.mark.parametrize(("case", "asked"), [("disk-full-5.3.3", False), ("page-cache-busy-4.9.7", True)])
def test_thread_dumps_are_asked_for_where_they_may_tell_more(case: str, asked: bool) -> None:
    verdict = diagnose_incident([LOGS / case]).report.verdict
    assert verdict is not None
    assert any("thread dumps" in english()(one.what) for one in verdict.missing_evidence) is asked
