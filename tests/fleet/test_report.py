"""The fleet in text, its progress line, and options that are refused before Spark starts."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import Mock

import msgspec
import pytest

from mqdiag.cli import run
from mqdiag.cli.common.session import exit_code
from mqdiag.config import Settings
from mqdiag.errors import EXIT_CLEAN, EXIT_INTERNAL, EXIT_INTERRUPTED, UsageError
from mqdiag.facts import Input
from mqdiag.facts.fleet import (
    CommonTrait,
    FleetFacts,
    FleetFailure,
    FleetPlan,
    FleetTotals,
    GroupCapacity,
    HostsByRule,
    HostState,
    PlannedIncident,
    ServiceState,
    SharedCause,
)
from mqdiag.facts.vocabulary import LossKind
from mqdiag.fail_on import FailOn
from mqdiag.findings import Confidence, Failed, Finding, Report, Severity, Subject
from mqdiag.fleet.analysis.services import OneService
from mqdiag.fleet.faults import INCIDENT_ANALYSIS, rule_reason
from mqdiag.fleet.files.storage import storage
from mqdiag.fleet.options import FleetOptions
from mqdiag.fleet.session import lost_executors, spark_cause, start_cause
from mqdiag.fleet.status import Status, status_line
from mqdiag.fleet.tables.compact import Keep, compact
from mqdiag.fleet.tables.layout import Layout, check_run_name
from mqdiag.fleet.tables.lock import output_lock
from mqdiag.fleet.tables.run_totals import with_trend
from mqdiag.fleet.verdict import fleet_verdict, service_verdict
from mqdiag.fleet.work.child_main import needs_more
from mqdiag.fleet.work.warm_nodes import output_trouble
from mqdiag.language import english
from mqdiag.progress import Silent
from mqdiag.render import View
from mqdiag.render.text import render
from mqdiag.text import Text, say
from tests.fleet.made_output import write_output
from tests.layers import CHECK


def _cause(rule: str, hosts: int) -> SharedCause:
    return SharedCause(
        rule=rule,
        cause="c",
        severity="error",
        services=1,
        hosts=hosts,
        groups=1,
        incidents=hosts,
        findings=hosts,
        host_share=0.5,
        example_hosts=("orders/h1",),
        example_title="t",
    )


def _finding(rule: str, severity: Severity, service: str) -> Finding:
    return Finding(
        rule=rule,
        severity=severity,
        cause="c",
        confidence=Confidence.HIGH,
        fingerprint=rule + service,
        title=say("{rule} in {service}", rule=rule, service=service),
        subject=Subject(service=service),
        evidence={},
        remedy=(),
    )


FLEET = FleetFacts(
    run="r1",
    out="/out",
    totals=FleetTotals(incidents=3, analysed=2, known=1, failed=1, failures=1, services=2, hosts=3, causes=2),
    services=(
        ServiceState(service="orders", hosts=2, incidents=2, failed=0, errors=4, warnings=1),
        ServiceState(service="p\x1b[2Jay", hosts=1, incidents=1, failed=1, lost=1, errors=1, warnings=0),
    ),
    causes=(_cause("offset-stuck-at-head", 4), _cause("retry-storm", 1)),
    common=(
        CommonTrait(
            rule="offset-stuck-at-head",
            cause="c",
            kind="group",
            value="g",
            severity="error",
            services=1,
            hosts=4,
            incidents=4,
            findings=4,
            fault_hosts=4,
        ),
    ),
    hosts_by_rule=(
        HostsByRule(service="orders", rule="offset-stuck-at-head", hosts=4),
        HostsByRule(service="pay", rule="retry-storm", hosts=1),
    ),
    capacity=(
        GroupCapacity(
            group="g",
            instances=2,
            heap_bytes_least=512 << 20,
            bound_bytes_most=256 << 20,
            bound_share_most=0.5,
            threshold_least=100,
            threshold_most=1000,
        ),
    ),
    failures=(FleetFailure(service="pay", host="h", path="a\nb", kind="unreadable", reason=say("is empty")),),
)


def test_text() -> None:
    text = render(Report(mqdiag="0", inputs=(), fleet=FLEET), View(width=100, detail="full"))
    assert "2 in this run, 1 was known" in text
    assert "offset-stuck-at-head" in text
    assert "100 to 1,000" in text
    assert "(1) offset-stuck-at-head, (2) retry-storm" in text
    assert "\x1b" not in text
    assert "a\nb" not in text
    assert "tried again" not in text


def test_tasks_that_were_tried_again_and_lost_executors_are_told() -> None:
    totals = msgspec.structs.replace(FLEET.totals, tried_again=2, lost_executors=1)
    told = render(
        Report(mqdiag="0", inputs=(), fleet=msgspec.structs.replace(FLEET, totals=totals)), View(width=100)
    )
    assert "2 tasks, 1 executor was lost" in told


def test_the_short_form_begins_with_the_overview_and_fits_a_screen_or_two() -> None:
    """However many services, faults and lost files there are."""
    many = msgspec.structs.replace(
        FLEET,
        services=tuple(msgspec.structs.replace(FLEET.services[0], service=f"s{place}") for place in range(200)),
        failures=FLEET.failures * 200,
    )
    lone = [_finding(f"rule-{place}", Severity.ERROR, f"s{place}") for place in range(50)]
    report = fleet_verdict(many, (), lone, Settings()).report
    lines = render(report, View(width=80)).splitlines()
    assert len(lines) <= 60
    headings = [
        line for line in lines if line.startswith(("Run r1", "Services, the worst first", "Also found"))
    ]
    assert [line.split(",")[0] for line in headings] == ["Run r1", "Services", "Also found"]
    assert len(render(report, View(width=80, detail="full")).splitlines()) > 200


def test_a_service_is_judged_by_its_own_evidence() -> None:
    """Evidence that could not be read leaves the answer open; a rule that was checked is not listed as unchecked."""
    state = ServiceState(service="pay", hosts=2, incidents=3, failed=0, lost=1, errors=0, warnings=0)
    one = OneService(
        state=state,
        hosts=(HostState(host="h1", incidents=3, failed=0, errors=0, warnings=0),),
        findings=(),
        failures=FLEET.failures,
        failure_count=len(FLEET.failures),
        checked=("deadlock",),
    )
    report = service_verdict(FLEET, one, Settings())
    assert report.answer.state == "undecided"
    assert "deadlock" not in {skipped.rule for skipped in report.skipped}
    text = render(report, View(width=100, detail="full"))
    assert "Service pay in run r1" in text
    assert "h1" in text
    assert "is empty" in text
    whole = msgspec.structs.replace(state, lost=0)
    quiet = service_verdict(FLEET, msgspec.structs.replace(one, state=whole, failures=()), Settings())
    assert quiet.answer.state == "healthy"
    ill = msgspec.structs.replace(one, findings=(_finding("retry-storm", Severity.ERROR, "pay"),))
    assert service_verdict(FLEET, ill, Settings()).answer.state == "fault"
    nothing = msgspec.structs.replace(one, state=msgspec.structs.replace(state, failed=3))
    report = service_verdict(FLEET, nothing, Settings())
    assert english()(report.answer.text) == "No input could be read."
    (given,) = report.inputs
    assert given.error is not None
    assert english()(given.error) == "none of its files could be read; a\nb: is empty"


def test_totals_of_earlier_runs_are_the_trend(tmp_path: Path) -> None:
    layout = Layout(*storage(str(tmp_path / "out")))
    marks = []
    for place in range(1, 4):
        facts = msgspec.structs.replace(FLEET, run=f"r{place}", against=f"r{place - 1}" if place > 1 else None)
        trend = with_trend(layout, marks, facts, datetime(2026, 11, place, tzinfo=UTC)).trend
        assert [one.run for one in trend] == [f"r{number}" for number in range(1, place + 1)]
        write_output(layout, f"r{place}", [])
        marks = layout.runs()
    assert [one.new for one in trend] == [None, 0, 0]
    compact(layout, Keep(runs=1))
    kept = with_trend(layout, layout.runs(), msgspec.structs.replace(FLEET, run="r4"), datetime.now(UTC)).trend
    assert [one.run for one in kept] == ["r3", "r4"]
    assert sorted(path.name for path in (tmp_path / "out/_totals").iterdir()) == ["r3.json", "r4.json"]


def test_damaged_totals_of_a_run_do_not_end_the_next(tmp_path: Path) -> None:
    layout = Layout(*storage(str(tmp_path / "out")))
    for run_name in ("r1", "r2"):
        facts = msgspec.structs.replace(FLEET, run=run_name)
        with_trend(layout, layout.runs(), facts, datetime(2026, 11, 1, tzinfo=UTC))
        write_output(layout, run_name, [])
    (tmp_path / "out/_totals/r1.json").write_bytes(b"")
    last = msgspec.structs.replace(FLEET, run="r3")
    trend = with_trend(layout, layout.runs(), last, datetime(2026, 11, 2, tzinfo=UTC)).trend
    assert [one.run for one in trend] == ["r2", "r3"]


def test_a_page_that_cannot_be_written_does_not_lose_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from mqdiag.fleet import job

    diagnosis = fleet_verdict(FLEET, (), (), Settings())
    monkeypatch.setattr(job, "run_fleet", lambda *given, **more: diagnosis)
    (tmp_path / "pages/index.html").mkdir(parents=True)
    words = ["fleet", str(tmp_path), "--out", str(tmp_path / "out"), "--pages", str(tmp_path / "pages")]
    assert run([*words, "--format", "json", "--output", str(tmp_path / "r.json")]) == 3
    assert b"fleet" in (tmp_path / "r.json").read_bytes()
    assert "index.html could not be written" in capfd.readouterr().err


def test_pages_do_not_go_with_a_watch(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = ["fleet", str(tmp_path), "--out", str(tmp_path / "out"), "--pages", str(tmp_path / "pages")]
    for option in ("--watch", "--once", "--dry-run"):
        assert run([*words, option]) == 2
        assert "--pages does not go with" in capfd.readouterr().err
    assert not (tmp_path / "pages").exists()


def test_an_output_of_schema_1_is_refused_with_the_way_out(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    layout = Layout(*storage(str(tmp_path / "out")))
    write_output(layout, "r1", [])
    (mark,) = layout.runs()
    layout.mark(msgspec.structs.replace(mark, schema_version=1))
    assert run(["fleet", "compact", layout.root]) == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert "tables of schema 1, this version writes schema 2: name another folder" in line


def test_a_dry_run_shows_the_plan_and_no_verdict() -> None:
    plan = FleetPlan(
        out="/out",
        incidents=7,
        bytes=3 << 30,
        known=2,
        services=3,
        cores=8,
        estimate_s=90.0,
        largest=(PlannedIncident(service="orders", host="h1", bytes=1 << 30, files=("a.hprof",)),),
    )
    diagnosis = fleet_verdict(FleetFacts(run="r1", plan=plan), (), (), Settings())
    text = render(diagnosis.report, View())
    assert "7 incidents of 3 services, 3,072 MiB" in text
    assert "about 90 s on 8 cores" in text
    assert "No fault" not in text


def test_findings_of_services_stay_beside_a_common_cause() -> None:
    """A repair is made in a service, and one error on one host fails a nightly gate."""
    lone = (
        _finding("offset-stuck-at-head", Severity.ERROR, "orders"),
        _finding("retry-storm", Severity.WARNING, "pay"),
        _finding("deadlock", Severity.ERROR, "pay"),
    )
    found = fleet_verdict(FLEET, (), lone, Settings()).report.findings
    assert [one.rule for one in found] == [
        "common-cause",
        "offset-stuck-at-head",
        "deadlock",
        "input-failed",
        "retry-storm",
    ]
    assert found[0].evidence["rule"] == "offset-stuck-at-head"


def _failure(host: str, kind: LossKind, reason: Text, path: str | None = None) -> FleetFailure:
    return FleetFailure(service="orders", host=host, path=path, kind=kind, reason=reason)


def test_a_fault_of_ours_in_an_incident_is_told_and_ends_with_4() -> None:
    """The same fault in many incidents is told once; failures of the evidence are no faults of ours."""
    fault = say("internal fault: {kind}: {error}", kind="KeyError", error="'x'")
    crashed = Failed(rule="deadlock", error="ZeroDivisionError: division by zero")
    failures = (
        _failure("h1", "fault", fault, "/in/h1/1.hprof"),
        _failure("h2", "fault", fault, "/in/h2/1.hprof"),
        _failure("h3", "fault", rule_reason(crashed)),
        _failure("h4", "memory", needs_more(256 << 20), "/in/h4/1.hprof"),
    )
    given = (Input(path="/in"),)
    facts = FleetFacts(run="r1", failures=failures)
    report = fleet_verdict(facts, given, (_finding("retry-storm", Severity.ERROR, "pay"),), Settings()).report
    assert [(one.rule, one.error) for one in report.failed] == [
        (INCIDENT_ANALYSIS, "orders/h1 and 1 more: internal fault: KeyError: 'x'"),
        ("deadlock", "orders/h3: ZeroDivisionError: division by zero"),
    ]
    assert exit_code(report, FailOn()) == EXIT_INTERNAL
    assert "retry-storm" in {found.rule for found in report.findings}, "the report is still there"
    quiet = fleet_verdict(FleetFacts(run="r1", failures=failures[3:]), given, (), Settings()).report
    assert quiet.failed == ()
    assert exit_code(quiet, FailOn()) == EXIT_CLEAN


def test_the_progress_line() -> None:
    line = status_line(
        done=120,
        incidents=1000,
        failed=3,
        read_bytes=40 * 10**9,
        total_bytes=100 * 10**9,
        seconds=600,
        active=8,
        lost_tasks=1,
    )
    assert english()(line) == (
        "120 of 1,000 done, 40,000 of 100,000 MB, 3 failed, 1 tried again, 8 at work, 15 min left"
    )


@pytest.mark.parametrize(
    "options",
    [
        ("--window", "soon"),
        ("--memory", "10m"),
        ("--time-limit", "0"),
        ("--conf", "spark.x"),
        ("--limit", "0"),
        ("--run", "2026"),
        ("--run", "a/b"),
        ("--template", "{hst}/x"),
        ("--max-input", "big"),
    ],
    ids=" ".join,
)
def test_wrong_options_are_refused_before_spark_starts(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    assert run(["fleet", str(tmp_path), "--out", str(tmp_path / "out"), *options]) == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith("mqdiag: ")
    assert not (tmp_path / "out").exists()


def test_a_cluster_that_cannot_run_it_is_told_at_once(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark itself tries a dead master for a minute; through Spark Connect nothing would run."""
    words = ["fleet", str(tmp_path), "--out", str(tmp_path / "out"), "--master"]
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        dead = f"spark://127.0.0.1:{closed.getsockname()[1]}"
    for master, code, told in ((dead, 4, f"no master answers at {dead}: "), ("sc://host", 2, "sc://host: ")):
        assert run([*words, master]) == code
        assert told in capfd.readouterr().err.splitlines()[-1]
    monkeypatch.setenv("SPARK_REMOTE", "sc://other")
    assert run([*words, "local[1]"]) == 2
    assert "use spark-submit, without SPARK_REMOTE" in capfd.readouterr().err


@pytest.mark.parametrize("name", ["r1", "night-2026.11", "A_b"])
def test_run_names(name: str) -> None:
    check_run_name(name)


def test_runs_of_one_second_have_names_of_their_own(tmp_path: Path) -> None:
    layout = Layout(*storage(str(tmp_path / "out")))
    names = set[str]()
    for _ in range(3):
        names.add(name := layout.new_name("r"))
        check_run_name(name)
        write_output(layout, name, [])
    assert len(names) == 3


def test_one_run_at_a_time(tmp_path: Path) -> None:
    layout = Layout(*storage(str(tmp_path / "out")))
    with output_lock(layout), pytest.raises(UsageError, match="another run"), output_lock(layout):
        pass
    with output_lock(layout):
        pass


def test_spark_is_not_imported_before_it_is_needed() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from mqdiag.cli import run; run(['fleet', '--help']); print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"pyspark", "pyarrow", "pandas", "numpy"} & set(done.stderr.split())


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (
            "org.apache.spark.api.python.PythonException: Traceback (most recent call last):\n"
            "ModuleNotFoundError: No module named 'numpy'\n\tat java.base/java.lang.Thread.run(Thread.java:840)\n",
            "ModuleNotFoundError: No module named 'numpy'",
        ),
        (
            "An error occurred while calling z:org.apache.spark.api.python.PythonRDD.collectAndServe.\n"
            ": org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 0.0 failed 4 times,"
            " most recent failure: Lost task 0.3 in stage 0.0 (TID 3) (192.0.2.2 executor driver):"
            ' java.io.IOException: Cannot run program "/nowhere/python": error=2, No such file or directory\n'
            "\tat java.base/java.lang.Thread.run(Thread.java:840)\n"
            "Caused by: java.io.IOException: error=2, No such file or directory\n\t... 20 more\n",
            'java.io.IOException: Cannot run program "/nowhere/python": error=2, No such file or directory',
        ),
        (
            "An error occurred while calling z:org.apache.spark.api.python.PythonRDD.collectAndServe.\n"
            ": org.apache.spark.SparkException: Job 3 cancelled because SparkContext was shut down\n"
            "\tat org.apache.spark.scheduler.DAGScheduler.$anonfun$cleanUp$1(DAGScheduler.scala:1253)\n"
            "\tat java.base/java.lang.Thread.run(Thread.java:840)\n",
            "org.apache.spark.SparkException: Job 3 cancelled because SparkContext was shut down",
        ),
    ],
)
def test_of_an_error_of_spark_the_line_that_names_what_happened_is_told(text: str, cause: str) -> None:
    assert spark_cause(Exception(text)) == cause


@pytest.mark.parametrize(
    ("error", "log", "cause"),
    [
        (
            "An error occurred while calling None.org.apache.spark.api.java.JavaSparkContext.\n"
            ": io.fabric8.kubernetes.client.KubernetesClientException: An error has occurred.\n\tat x.y(Z.java:1)\n"
            "Caused by: java.io.IOException: Connection refused: /127.0.0.1:1\n\t... 20 more\n"
            "Caused by: java.net.ConnectException: Connection refused\n",
            "2026-11-28T20:32:06.126 ERROR Utils: Uncaught exception in thread Thread-3\n",
            "java.io.IOException: Connection refused: /127.0.0.1:1",
        ),
        (
            "An error occurred while calling None.org.apache.spark.api.java.JavaSparkContext.\n"
            ": java.lang.IllegalArgumentException: System memory 9 must be at least 471859200.\n\tat x.y(Z.java:1)\n",
            "2026-11-28T20:32:06.126 ERROR SparkContext: Error initializing SparkContext.\n",
            "java.lang.IllegalArgumentException: System memory 9 must be at least 471859200.",
        ),
        (
            "[JAVA_GATEWAY_EXITED] Java gateway process exited before sending its port number.",
            "WARNING: Using incubator modules: jdk.incubator.vector\n"
            'Exception in thread "main" org.apache.spark.SparkException: Master must be yarn or spark\n',
            "org.apache.spark.SparkException: Master must be yarn or spark",
        ),
        ("[JAVA_GATEWAY_EXITED] Java exited.\nmore", "", "[JAVA_GATEWAY_EXITED] Java exited."),
    ],
)
def test_of_a_start_that_fails_the_cause_is_told(error: str, log: str, cause: str) -> None:
    assert start_cause(error, log) == cause


def test_what_a_start_needs_is_looked_for_before_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["fleet", str(tmp_path), "--out", str(tmp_path / "out")]
    (tmp_path / "file").touch()
    assert run([*words, "--spark-log", str(tmp_path / "file/spark.log")]) == 2
    assert f"--spark-log {tmp_path}/file/spark.log: " in capfd.readouterr().err
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert run(words) == 2
    assert f"JAVA_HOME={tmp_path}: no program bin/java is there" in capfd.readouterr().err
    monkeypatch.setattr("mqdiag.fleet.job.output_lock", Mock(side_effect=OSError("bucket b: access denied")))
    assert run(words) == 4
    assert "could not be read or written: bucket b: access denied" in capfd.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_told_to_end_says_so_in_one_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Whatever the gateway makes of the interrupt."""

    def interrupted(options: FleetOptions) -> None:
        try:
            signal.raise_signal(number)
        except KeyboardInterrupt:
            raise ConnectionRefusedError("of the gateway") from None

    monkeypatch.setattr("mqdiag.fleet.job.spark_context", interrupted)
    (tmp_path / "in").mkdir()
    before = signal.getsignal(number)
    assert run(["fleet", str(tmp_path / "in"), "--out", str(tmp_path / "out")]) == EXIT_INTERRUPTED
    assert capfd.readouterr().err.splitlines() == [
        "mqdiag: stopped; what is done is kept, run the same again to go on"
    ]
    assert signal.getsignal(number) is before


def test_an_executor_that_does_not_share_the_output_is_told_before_any_analysis(tmp_path: Path) -> None:
    layout = Layout(*storage(str(tmp_path / "out")))

    def told() -> str:
        trouble = output_trouble(layout.uri)
        return "" if trouble is None else english()(trouble)

    assert "the folder of the driver is not there" in told()
    with output_lock(layout):
        assert told() == ""
        assert list((tmp_path / "out/_staging").iterdir()) == []
        (tmp_path / "out/_staging").rmdir()
        (tmp_path / "out/_staging").touch()
        assert f"cannot write to --out {tmp_path}/out: " in told()


@CHECK
@pytest.mark.usefixtures("_java")
@pytest.mark.parametrize(
    ("python", "told"),
    [("bare/bin/python", "the Python of executors lacks mqdiag, "), ("none", "executors have no such Python")],
)
def test_executors_without_mqdiag_are_told_before_anything_is_tried_again(
    tmp_path: Path, python: str, told: str
) -> None:
    """Each task would fail there, and Spark would try it again tens of times."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "bare")], check=True)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "1.log").write_text("2026-11-22 10:00:00 INFO started\n")
    done = subprocess.run(
        [
            *(
                str(Path(sys.executable).parent / "mqdiag"),
                "fleet",
                str(tmp_path / "in"),
                "--out",
                str(tmp_path / "out"),
            ),
            *("--master", "local[1]", "--conf", f"spark.pyspark.python={tmp_path / python}"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert told in done.stderr


def test_lost_executors_are_those_that_spark_did_not_give_back() -> None:
    context, every = Mock(), [
        (True, "None"),
        (False, "Some(Command exited with code 137)"),
        (False, "Some(Executor killed by driver.)"),
        (False, "None"),
    ]  # fmt: skip
    told = context._jsc.sc.return_value.statusStore.return_value.executorList.return_value
    told.size.return_value = len(every)
    told.apply.side_effect = [
        Mock(**{"isActive.return_value": active, "removeReason.return_value": reason})
        for active, reason in every
    ]
    assert lost_executors(context) == 2


def test_tasks_that_were_tried_again_are_counted_over_all_stages() -> None:
    """Spark tells the failures of a stage while it runs, each time all of them."""
    context = Mock()
    tracker = context.statusTracker.return_value
    looks = [(1, 1), (1, 3), (2, 2), None]
    tracker.getActiveJobsIds.side_effect = [[] if look is None else [look[0]] for look in looks]
    tracker.getJobInfo.side_effect = lambda job: Mock(stageIds=[job])
    tracker.getStageInfo.side_effect = [
        Mock(numFailedTasks=look[1], numActiveTasks=1) for look in looks if look is not None
    ]
    context.accumulator.return_value.value = 0
    status = Status(context, Silent(), 10, 100)
    for _ in looks:
        status.look()
    assert status.tried_again == 5
