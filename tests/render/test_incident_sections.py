"""The sections of crash reports, stores, mqadmin output, fleets and differences: what they say in words."""

from __future__ import annotations

from mqdiag.facts.admin import AdminFacts, BrokerStatus, GroupOverview, GroupProgress, QueueProgress
from mqdiag.facts.crash import CrashFacts, CrashMemory, CrashReport
from mqdiag.facts.diff import ConsumerGrowth, DiffFacts, DiffSide, FindingChange, Growth
from mqdiag.facts.fleet import FleetFacts, FleetTotals, HostsByRule, ServiceState
from mqdiag.facts.stores import StoreFacts, StorePair, StoreQueue, StoresFacts
from mqdiag.findings import Report
from mqdiag.render import Detail, View, renderer
from mqdiag.text import say

_NOTHING = Growth()


def _text(report: Report, detail: Detail = "normal") -> str:
    return " ".join(renderer("text")(report, View(width=250, detail=detail)).split())


def _report(**facts: object) -> Report:
    return Report(mqdiag="0", inputs=(), **facts)  # type: ignore[arg-type]


def test_a_crash_is_told_without_what_its_report_does_not_have() -> None:
    crash = CrashReport(
        source="hs_err_pid7.log",
        signal="SIGBUS",
        signal_code="BUS_ADRERR",
        fault_address="0x00007f",
        native_frames=("C [libc.so.6+0x1]",),
        memory=CrashMemory(physical_bytes=2 << 30),
    )
    text = _text(_report(crash=CrashFacts(reports=(crash,))))
    assert "Crash report hs_err_pid7.log" in text
    assert "signal SIGBUS (BUS_ADRERR) at address 0x00007f" in text
    assert "memory of the machine 2,048 MiB" in text
    assert "C [libc.so.6+0x1]" in text
    assert "internal error" not in text
    assert "the last line of the report is missing" in text


def test_only_queues_that_end_at_different_offsets_are_listed() -> None:
    def store(path: str, *ends: int) -> StoreFacts:
        queues = tuple(
            StoreQueue(topic="orders", queue_id=place, min_offset=0, max_offset=end)
            for place, end in enumerate(ends)
        )
        return StoreFacts(path=path, queues=queues, stopped_in_order=False)

    stores = StoresFacts(
        stores=(store("node/a", 75, 9), store("node/b", 1326, 9)),
        pairs=(StorePair(first="node/a", second="node/b", proof=say("their queues begin alike")),),
    )
    text = _text(_report(stores=stores))
    assert "orders 0 75 1326" in text
    assert "orders 1" not in text
    assert "a: the file abort is there" in text
    assert "All of them are in node/" in text


def test_backlogs_are_sorted_and_empty_retry_topics_are_left_out() -> None:
    def queue(topic: str, diff: int) -> QueueProgress:
        return QueueProgress(
            topic=topic, broker="broker-a", queue_id=0, broker_offset=diff, consumer_offset=0, diff=diff
        )

    admin = AdminFacts(
        groups=(
            GroupProgress(group="CID_small", source="a.txt", queues=(queue("orders", 5), queue("%RETRY%x", 0))),
            GroupProgress(group="CID_large", source="b.txt", queues=(queue("orders", 1_500),)),
        ),
        overview=(GroupOverview(group="CID_total", source="c.txt", diff_total=70),),
        broker_statuses=(
            BrokerStatus(source="d.txt", version="V5_3_3", values={"sendThreadPoolQueueSize": "12"}),
        ),
    )
    text = _text(_report(admin=admin))
    places = [
        text.index(row)
        for row in ("CID_large orders 1 1,500 1,500", "CID_total - - 70 -", "CID_small orders 1")
    ]
    assert places == sorted(places)
    assert "%RETRY%" not in text
    assert "d.txt 5.3.3 12 unknown" in text


def test_a_consumer_that_one_side_does_not_have_has_no_numbers_there() -> None:
    one = Growth(before=None, after=1)
    consumer = ConsumerGrowth(
        group="CID_orders",
        kind="push",
        consumers=one,
        messages=Growth(before=None, after=1_200),
        body_bytes=_NOTHING,
        retained_bytes=_NOTHING,
        bound_bytes=_NOTHING,
        queued_requests=_NOTHING,
        lag=_NOTHING,
    )
    gone = FindingChange(
        fingerprint="f",
        rule="flow-control",
        title=say("It held back pulls"),
        severity_before="warning",
        checked=False,
    )
    diff = DiffFacts(
        before=DiffSide(path="old.hprof", kinds=("heap",)),
        after=DiffSide(path="new.hprof", kinds=("heap",)),
        seconds=3600.0,
        heap_bytes=Growth(before=1 << 20, after=3 << 20, grown=2 << 20),
        objects=_NOTHING,
        consumers=(consumer,),
        gone=(gone,),
    )
    text = _text(_report(diff=diff))
    assert "CID_orders push messages - 1,200 -" in text
    assert "bodies" not in text
    assert "reachable 1 MiB to 3 MiB" in text
    assert "growth in an hour 2 MiB" in text
    assert "warning It held back pulls the later side has no evidence for this rule" in text


def test_services_by_rules_in_text() -> None:
    fleet = FleetFacts(
        run="r1",
        totals=FleetTotals(services=3),
        services=(ServiceState(service="orders", hosts=5, incidents=6, failed=1, errors=3, warnings=2),),
        hosts_by_rule=(
            HostsByRule(service="orders", rule="a-rule", hosts=3),
            HostsByRule(service="bills", rule="b-rule", hosts=1),
        ),
    )
    text = _text(_report(fleet=fleet), detail="full")
    assert "orders 3 · bills · 1 (1) a-rule, (2) b-rule" in text
    assert "orders 5 6 1 0 3 2 The run's tables have 2 more." in text
