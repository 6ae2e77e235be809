"""A fleet that watches: which files are complete, what is new, who is told, and how it ends. No Spark but at night."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import msgspec
import pytest

from mqdiag.cli import run
from mqdiag.config import Settings
from mqdiag.diagnose.judge import Diagnosis
from mqdiag.errors import MqdiagError, UsageError
from mqdiag.facts import Input
from mqdiag.facts.fleet import FleetFacts, FleetTotals
from mqdiag.findings import Confidence, Finding, Report, Severity, Subject
from mqdiag.fleet.files.labels import Labels
from mqdiag.fleet.files.listing import EvidenceFile, Listing
from mqdiag.fleet.files.storage import Storage, storage
from mqdiag.fleet.options import FleetOptions
from mqdiag.fleet.stoppable import Ending, SparkEndedError, StoppedError
from mqdiag.fleet.tables.compact import compact
from mqdiag.fleet.tables.layout import Layout
from mqdiag.fleet.tables.lock import BusyError
from mqdiag.fleet.watching import watch as watching
from mqdiag.fleet.watching.actions import ATTEMPTS, webhook
from mqdiag.fleet.watching.arrivals import STILL_S, Arrivals, Batches, has_end_record
from mqdiag.fleet.watching.watch import WatchOptions, tell_runs, watch
from mqdiag.language import english
from mqdiag.progress import Silent
from mqdiag.report_json import finding_values
from mqdiag.text import Text, say
from tests.fleet.made_fleet import heap
from tests.fleet.made_output import Analysed, Row, at, finding, write_output
from tests.folded import folded
from tests.layers import NIGHTLY, one_in_each_run

LABELS = Labels(service="orders", host="h1")


def listed(uri: str = "/in/a.log", size: int = 1, time_ns: int = 5, error: str | None = None) -> EvidenceFile:
    return EvidenceFile(uri=uri, bytes=size, modified_ns=time_ns, labels=LABELS, error=error)


def never(file: EvidenceFile) -> bool:
    return False


def test_a_file_is_complete_when_it_stands_still() -> None:
    arrivals = Arrivals()
    assert not arrivals.complete([listed()], 100.0, never)
    assert not arrivals.complete([listed()], 100.0 + STILL_S - 0.1, never)
    assert arrivals.complete([listed()], 100.0 + STILL_S, never) == {"/in/a.log": (1, 5)}


@pytest.mark.parametrize("changed", [listed(size=2), listed(time_ns=6), listed(size=0)])
def test_a_change_of_size_or_time_begins_the_wait_again(changed: EvidenceFile) -> None:
    arrivals = Arrivals()
    arrivals.complete([listed()], 0.0, never)
    assert not arrivals.complete([changed], STILL_S, never)
    assert not arrivals.complete([changed], 2 * STILL_S - 0.1, never)
    assert arrivals.complete([changed], 2 * STILL_S, never)


def test_a_file_that_was_away_is_new_again() -> None:
    arrivals = Arrivals()
    arrivals.complete([listed()], 0.0, never)
    arrivals.complete([], 5.0, never)
    assert not arrivals.complete([listed()], STILL_S, never)
    assert not arrivals.all_complete({})


def test_an_end_record_or_a_known_error_ends_the_wait() -> None:
    files = [listed("/in/a.hprof"), listed("/in/b", error="no permission")]
    assert set(Arrivals().complete(files, 0.0, lambda file: file.uri.endswith(".hprof"))) == {
        "/in/a.hprof",
        "/in/b",
    }


@pytest.mark.parametrize(
    ("cut", "name", "complete"),
    [
        (0, "d.hprof", True),
        (1, "d.hprof", False),
        (9, "d.hprof", False),
        (0, "d.hprof.gz", False),
        (0, "d.log", False),
    ],
)
def test_the_end_record_of_a_dump(tmp_path: Path, cut: int, name: str, complete: bool) -> None:
    dump = heap("no-rocketmq")
    path = tmp_path / name
    path.write_bytes(dump[: len(dump) - cut])
    assert has_end_record(listed(str(path), path.stat().st_size)) is complete


def test_a_dump_that_grew_since_it_was_listed_has_not_ended(tmp_path: Path) -> None:
    path = tmp_path / "d.hprof"
    path.write_bytes(heap("no-rocketmq") + b"\x1c")
    assert not has_end_record(listed(str(path), path.stat().st_size - 1))
    assert not has_end_record(listed(str(tmp_path / "gone.hprof"), 100))


def test_a_run_takes_only_files_that_are_as_they_were(tmp_path: Path) -> None:
    for name in ("same", "grown", "new"):
        (tmp_path / name).write_text("x")
    found = {file.uri: (file.bytes, file.modified_ns) for file in Listing([str(tmp_path)])}
    del found[str(tmp_path / "new")]
    (tmp_path / "grown").write_text("xy")
    assert [file.uri for file in Listing([str(tmp_path)], only=found)] == [str(tmp_path / "same")]


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(*storage(str(tmp_path / "out")))


def full(rule: str, severity: str = "error", resource: str | None = None, **more: Any) -> Row:
    """A finding with its document, whose title holds an address."""
    title = say("{remote} does not answer", remote="10.1.2.3:8080")
    found = Finding(
        rule=rule,
        severity=Severity(severity),
        cause="c",
        confidence=Confidence.HIGH,
        fingerprint=f"f-{rule}",
        title=title,
        subject=Subject(group="g", resource=resource),
        evidence={"address": "10.1.2.3:8080"},
        remedy=(),
    )
    document = msgspec.json.encode(finding_values(found)).decode()
    return finding(rule, severity, fingerprint=f"f-{rule}", document=document, consumer_group="g", **more)


def one(incident: str, day: int, *rules: str, **more: Any) -> Analysed:
    """An incident in which rules r and s were checked."""
    found = tuple(map(full, rules))
    return Analysed(
        incident=incident, host="h1", window_start=at(day), checked=("r", "s"), findings=found, **more
    )


class Heard:
    """Receives what is told."""

    def __init__(self) -> None:
        self.lines: list[dict[str, str]] = []
        self.fail_at = -1

    def __call__(self, data: bytes, key: str) -> None:
        if len(self.lines) == self.fail_at:
            raise MqdiagError(say("no answer"))
        line = json.loads(data)
        assert line["key"] == key
        self.lines.append(line)

    def take(self) -> list[tuple[str, str]]:
        """Incident and rule of what was told since the last call."""
        taken, self.lines = self.lines, []
        return [(line["incident"], line["rule"]) for line in taken]


def test_a_fault_is_told_when_it_appears_and_when_it_comes_back(layout: Layout) -> None:
    heard = Heard()
    tell_runs(layout, [heard])
    write_output(layout, "r1", [one("a", 1, "r"), one("b", 2, "r", "s")])
    tell_runs(layout, [heard])
    assert heard.take() == [("a", "r"), ("b", "s")]
    tell_runs(layout, [heard])
    assert heard.take() == [], "each run is told once"
    write_output(layout, "r2", [one("c", 3, "s")])
    write_output(layout, "r3", [one("late", 1, "r")])
    tell_runs(layout, [heard])
    assert heard.take() == [], "r has gone with c; evidence from before that tells nothing"
    write_output(layout, "r4", [one("d", 4, "r")])
    tell_runs(layout, [heard])
    assert heard.take() == [("d", "r")]


def test_a_fault_of_another_resource_of_a_host_is_another_one(layout: Layout) -> None:
    heard = Heard()
    tell_runs(layout, [heard])
    for name, incident, resources in (
        ("r1", "a", ("/iso",)),
        ("r2", "b", ("/iso", "/data")),
        ("r3", "c", ("/data",)),
    ):
        found = tuple(full("r", resource=resource) for resource in resources)
        write_output(layout, name, [msgspec.structs.replace(one(incident, 1), findings=found)])
    tell_runs(layout, [heard])
    assert heard.take() == [("a", "r"), ("b", "r")]


def test_rows_that_were_taken_over_are_not_told_again(layout: Layout) -> None:
    heard = Heard()
    tell_runs(layout, [heard])
    first = write_output(layout, "r1", [one("a", 1, "r")])
    write_output(layout, "r2", [one("b", 2, "s")], first)
    compact(layout)
    tell_runs(layout, [heard])
    assert heard.take() == [("a", "r"), ("b", "s")]


def test_a_run_without_anything_new_tells_nothing(layout: Layout) -> None:
    heard = Heard()
    tell_runs(layout, [heard])
    first = write_output(layout, "r1", [one("a", 1, "r")])
    write_output(layout, "r2", [], first)
    write_output(layout, "r3", [])
    tell_runs(layout, [heard])
    assert heard.take() == [("a", "r")]


def test_a_clock_of_an_executor_that_is_behind_hides_nothing(layout: Layout) -> None:
    """After a compaction too, when only times could say which run has analysed an incident."""
    heard = Heard()
    tell_runs(layout, [heard])
    first = write_output(layout, "r1", [one("a", 1, "r")])
    write_output(layout, "r2", [one("b", 2, "r", "s", more={"analysed_at": at(1)})], first)
    compact(layout)
    tell_runs(layout, [heard])
    assert heard.take() == [("a", "r"), ("b", "s")]


def test_information_is_not_told(layout: Layout) -> None:
    heard = Heard()
    tell_runs(layout, [heard])
    quiet = Analysed(incident="a", host="h1", window_start=at(1), checked=("r",), findings=(full("r", "info"),))
    write_output(layout, "r1", [quiet])
    tell_runs(layout, [heard])
    assert heard.take() == []


def test_what_was_there_before_the_first_watch_is_known(layout: Layout) -> None:
    heard = Heard()
    write_output(layout, "r1", [one("a", 1, "r")])
    tell_runs(layout, [heard])
    write_output(layout, "r2", [one("b", 2, "r", "s")])
    tell_runs(layout, [heard])
    assert heard.take() == [("b", "s")]


def test_what_could_not_be_sent_is_sent_again_under_the_same_key(layout: Layout) -> None:
    heard = Heard()
    tell_runs(layout, [heard])
    write_output(layout, "r1", [one("a", 1, "r", "s")])
    heard.fail_at = 1
    with pytest.raises(MqdiagError):
        tell_runs(layout, [heard])
    (sent,) = heard.lines
    heard.lines, heard.fail_at = [], -1
    tell_runs(layout, [heard])
    assert [line["rule"] for line in heard.lines] == ["r", "s"]
    assert heard.lines[0] == sent
    assert len({line["key"] for line in heard.lines}) == 2


def test_a_message_is_redacted(layout: Layout) -> None:
    heard = Heard()
    tell_runs(layout, [heard])
    write_output(layout, "r1", [one("a", 1, "r")])
    tell_runs(layout, [heard])
    (line,) = heard.lines
    assert "10.1.2.3" not in json.dumps(line)
    assert line["fingerprint"] == "f-r"
    assert (line["service"], line["host"], line["run"], line["severity"]) == ("orders", "h1", "r1", "error")


Answer = tuple[int, Mapping[str, str]]


@contextmanager
def server(answers: list[Answer]) -> Iterator[tuple[str, list[tuple[str, str, bytes]]]]:
    """A server on loopback that gives these answers, the last one from then on; and what it was asked."""
    asked: list[tuple[str, str, bytes]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            asked.append((self.path, self.headers["Idempotency-Key"], body))
            code, headers = answers[min(len(asked), len(answers)) - 1]
            self.send_response(code)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_POST

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing on standard error."""

    found = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=found.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{found.server_port}", asked
    finally:
        found.shutdown()
        found.server_close()
        thread.join()


def test_a_webhook_is_tried_again_and_names_the_key() -> None:
    waits: list[float] = []
    with server([(503, {}), (429, {}), (204, {})]) as (url, asked):
        webhook(f"{url}/hook", waits.append)(b'{"a": 1}', "key-1")
    assert asked == [("/hook", "key-1", b'{"a": 1}')] * 3
    assert waits == [1.0, 2.0]


@pytest.mark.parametrize(("code", "times"), [(500, ATTEMPTS), (400, 1), (401, 1)])
def test_a_webhook_that_refuses_is_an_error(code: int, times: int) -> None:
    with server([(code, {})]) as (url, asked), pytest.raises(MqdiagError, match=str(code)):
        webhook(url, lambda seconds: None)(b"{}", "k")
    assert len(asked) == times


def test_a_webhook_is_not_followed_to_another_place() -> None:
    with server([(204, {})]) as (other, asked_there), server([(302, {"Location": other})]) as (url, asked):
        with pytest.raises(MqdiagError, match="302"):
            webhook(url, lambda seconds: None)(b"{}", "k")
        assert asked_there == []
        assert len(asked) == 1


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://x", "hook"])
def test_a_webhook_of_another_kind_is_refused(url: str) -> None:
    with pytest.raises(UsageError):
        webhook(url)


@folded(
    "url",
    [
        "http://",
        "http:///hook",
        "http://h:abc",
        "http://h:99999",
        "http://[",
        "http://u:p@h",
        "http://h/a b",
        "http://h/\xe4",
    ],
)
def test_a_webhook_that_cannot_be_asked_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="HOST"):
        webhook(url)


def test_an_answer_that_is_not_http_is_no_internal_fault() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            for _ in range(ATTEMPTS):
                connection, _address = listener.accept()
                with connection:
                    connection.recv(65536)
                    connection.sendall(b"SSH-2.0-x\r\n")

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with pytest.raises(MqdiagError, match="BadStatusLine"):
            webhook(url, lambda seconds: None)(b"{}", "k")
        thread.join(10)


@pytest.fixture
def batches(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What each run was to take; none is made."""
    taken: list[dict[str, Any]] = []

    def fake(options: FleetOptions, settings: Settings, progress: object, **more: Any) -> Diagnosis:
        taken.append({Path(uri).name: identity for uri, identity in more["only"].items()})
        fleet = FleetFacts(run="r1", totals=FleetTotals(analysed=2, failed=1))
        return Diagnosis(report=Report(mqdiag="1", inputs=(), fleet=fleet))

    monkeypatch.setattr(watching, "run_fleet", fake)
    monkeypatch.setattr(watching, "STILL_S", 0.0)
    monkeypatch.setattr("mqdiag.fleet.watching.arrivals.STILL_S", 0.0)
    return taken


def options(tmp_path: Path) -> FleetOptions:
    (tmp_path / "in").mkdir(exist_ok=True)
    return FleetOptions(paths=(str(tmp_path / "in"),), out=str(tmp_path / "out"))


def at_sleep(monkeypatch: pytest.MonkeyPatch, *steps: Callable[[], object]) -> None:
    """Do these things instead of waiting for the next listing; after the last one SIGTERM comes.

    It is raised in this thread: `os.kill` may leave it to another one, and a second one could come before it is seen.
    """
    left = list(steps)

    def sleep(ending: Any, seconds: float) -> bool:
        if left:
            left.pop(0)()
        else:
            signal.raise_signal(signal.SIGTERM)
        return not ending.told

    monkeypatch.setattr(Ending, "sleep", sleep)


def test_each_batch_of_new_files_is_a_run_and_sigterm_ends_it(
    tmp_path: Path, batches: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = options(tmp_path)
    (tmp_path / "in/a").write_text("x")
    at_sleep(monkeypatch, lambda: (tmp_path / "in/b").write_text("y"))
    before = signal.getsignal(signal.SIGTERM)
    watch(given, Settings(), Silent(), WatchOptions(interval_s=0.001, every_s=0.0))
    assert [set(batch) for batch in batches][:1] == [{"a"}]
    assert set(batches[-1]) <= {"a", "b"}
    assert signal.getsignal(signal.SIGTERM) is before


def test_files_that_come_one_by_one_are_one_run(
    tmp_path: Path, batches: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = options(tmp_path)
    (tmp_path / "in/a").write_text("x")
    more = [lambda name=name: (tmp_path / "in" / name).write_text("y") for name in "bcd"]
    at_sleep(monkeypatch, *more, lambda: None, lambda: (tmp_path / "in/e").write_text("z"), lambda: None)
    watch(given, Settings(), Silent(), WatchOptions())
    assert [set(batch) for batch in batches] == [{"a", "b", "c", "d"}], "e is too early for a run of its own"


def test_a_batch_waits_for_a_listing_without_more_and_never_longer_than_the_time_between_two() -> None:
    """A listing each 30 s, a file with each: a run every five minutes; after a quiet time the first one soon."""
    batches, begun, new = Batches(300.0), [], {}
    for now in range(0, 930, 30):
        new[f"/in/{now}"] = (1, 1)
        if batches.is_due(new, float(now)):
            batches.begin(float(now))
            begun.append((now, len(new)))
            new = {}
    assert begun == [(300, 11), (630, 11)]
    assert not batches.is_due({}, 5000.0)
    assert not batches.is_due({"/in/late": (1, 1)}, 5030.0)
    assert batches.is_due({"/in/late": (1, 1)}, 5060.0)
    assert batches.is_due({"/in/late": (1, 1)}, 5090.0), "of a run that failed the files are still due"
    batches.begin(5090.0)
    assert not batches.is_due({}, 5120.0)


def test_nothing_new_is_no_run(
    tmp_path: Path, batches: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = options(tmp_path)
    (tmp_path / "in/a").write_text("x")
    at_sleep(monkeypatch)
    watch(given, Settings(), Silent(), WatchOptions(interval_s=5.0, every_s=0.0))
    assert len(batches) == 1


def test_sigterm_lets_a_run_finish_and_a_second_one_does_not(
    tmp_path: Path, batches: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = []

    def killed(times: int) -> Callable[..., Diagnosis]:
        def fake(*arguments: object, **more: object) -> Diagnosis:
            for _ in range(times):
                signal.raise_signal(signal.SIGTERM)
            ended.append(times)
            return Diagnosis(report=Report(mqdiag="1", inputs=()))

        return fake

    given = options(tmp_path)
    (tmp_path / "in/a").write_text("x")
    monkeypatch.setattr(watching, "run_fleet", killed(1))
    watch(given, Settings(), Silent(), WatchOptions(interval_s=60.0, every_s=0.0))
    monkeypatch.setattr(watching, "run_fleet", killed(2))
    with pytest.raises(StoppedError, match=r"what is done is kept, run the same again to go on"):
        watch(given, Settings(), Silent(), WatchOptions(interval_s=60.0, every_s=0.0))
    assert ended == [1]


class _Notes(Silent):
    """Keeps the lines."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def note(self, text: Text) -> None:
        """Keep it."""
        self.lines.append(english()(text))


@pytest.mark.parametrize("is_told", [False, True])
@pytest.mark.parametrize("once", [False, True])
def test_a_batch_under_which_spark_ends_is_tried_again_unless_the_watch_was_told_to_end(
    tmp_path: Path, batches: list[Any], monkeypatch: pytest.MonkeyPatch, is_told: bool, once: bool
) -> None:
    """A signal to all processes ends the JVM while the watch lets the run finish."""
    runs: list[None] = []

    def run(*arguments: object, **more: object) -> Diagnosis:
        runs.append(None)
        if len(runs) > 1:
            return Diagnosis(report=Report(mqdiag="1", inputs=()))
        if is_told:
            signal.raise_signal(signal.SIGTERM)
        raise SparkEndedError(say("Spark ended"))

    given, notes = options(tmp_path), _Notes()
    (tmp_path / "in/a").write_text("x")
    monkeypatch.setattr(watching, "run_fleet", run)
    at_sleep(monkeypatch, *[lambda: None] * 3)
    how = WatchOptions(interval_s=0.001, every_s=0.0, once=once)
    if is_told or once:
        with pytest.raises(StoppedError if is_told else SparkEndedError):
            watch(given, Settings(), notes, how)
        assert (len(runs), notes.lines) == (1, [])
        return
    watch(given, Settings(), notes, how)
    assert len(runs) == 2
    assert "Spark ended; mqdiag tries again after the next --interval" in notes.lines


def test_once_is_one_batch(tmp_path: Path, batches: list[dict[str, Any]]) -> None:
    given = options(tmp_path)
    (tmp_path / "in/a").write_text("x")
    watch(given, Settings(), Silent(), WatchOptions(once=True))
    assert [set(batch) for batch in batches] == [{"a"}]


class _Killed(BaseException):
    """The process is gone."""


def _run_of_new_files(options: FleetOptions, settings: Settings, progress: object, **more: Any) -> Diagnosis:
    """A run without Spark: what no earlier run has is analysed, and each file has a fault of its own."""
    layout = Layout(*storage(options.out))
    runs = {mark.run for mark in layout.runs()}
    known = {row["incident"]: row for row in layout.rows("incidents", runs).to_table().to_pylist()}
    names = sorted(Path(uri).name for uri in more["only"])
    new = [one(name, day, name) for day, name in enumerate(names, 1) if name not in known]
    write_output(layout, f"r{len(runs) + 1}", new, [known[name] for name in names if name in known])
    return Diagnosis(report=Report(mqdiag="1", inputs=()))


def _kill(*given: object, **more: object) -> None:
    raise _Killed


@one_in_each_run(4)
@pytest.mark.parametrize(
    ("point", "told_before"),
    [("run_fleet", 0), ("tell", 0), ("second line", 1), ("write", 2)],
    ids=["after the listing", "between commit and actions", "between two actions", "after the actions"],
)
def test_a_killed_watch_tells_each_finding_under_one_key(
    tmp_path: Path, batches: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, point: str, told_before: int
) -> None:
    given, heard = options(tmp_path), Heard()
    monkeypatch.setattr(watching, "run_fleet", _run_of_new_files)
    monkeypatch.setattr(watching, "print_line", heard)
    watch(given, Settings(), Silent(), WatchOptions(once=True))
    for name in ("a", "b"):
        (tmp_path / "in" / name).write_text("x")
    with monkeypatch.context() as killing:
        if point == "second line":
            killing.setattr(watching, "print_line", lambda *line: _kill() if heard.lines else heard(*line))
        elif point == "write":
            # The state is written once after the actions of the run.
            told = Storage.write
            killing.setattr(
                Storage, "write", lambda *to, **more: _kill() if "_actions" in to[1] else told(*to, **more)
            )
        else:
            killing.setattr(watching, point, _kill)
        with pytest.raises(_Killed):
            watch(given, Settings(), Silent(), WatchOptions(once=True))
    before = [line["key"] for line in heard.lines]
    assert len(before) == told_before
    watch(given, Settings(), Silent(), WatchOptions(once=True))
    after = [line["key"] for line in heard.lines][told_before:]
    assert sorted({line["incident"] for line in heard.lines}) == ["a", "b"]
    assert len(set(after)) == len(after) == 2, "each is told by the next start, and once"
    assert set(before) <= set(after), "what was told before the kill comes again under its key"


@pytest.mark.parametrize(
    "more",
    [
        ("--watch", "--run", "r1"),
        ("--watch", "--dry-run"),
        ("--webhook", "http://x"),
        ("--once", "--webhook", "x"),
        ("--once", "--format", "json"),
        ("--once", "--write-baseline", "-"),
    ],
)
def test_options_that_do_not_go_together(tmp_path: Path, more: tuple[str, ...]) -> None:
    assert run(["fleet", str(tmp_path), "--out", str(tmp_path / "out"), *more]) == 2


def test_once_with_dry_run_names_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fleet", str(tmp_path), "--out", str(tmp_path / "out"), "--once", "--dry-run"]) == 2
    said = capsys.readouterr().err
    assert "--once" in said
    assert "--watch" not in said


@pytest.mark.parametrize(
    "more",
    [
        ("--also", "openmetrics=m.prom"),
        ("--output", "r.json"),
        ("--format", "json"),
        ("--open",),
        ("--detail", "full"),
        ("--fail-on", "error"),
        ("--write-baseline", "b.toml"),
    ],
)
def test_watch_refuses_what_it_would_not_do(
    tmp_path: Path, more: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["fleet", str(tmp_path), "--out", str(tmp_path / "out"), "--watch", *more]) == 2
    assert more[0] in capsys.readouterr().err


@pytest.fixture
def _an_error(batches: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each run finds an error."""
    title = say("it hangs")
    found = Finding(
        rule="stuck-consumer-thread",
        severity=Severity.ERROR,
        cause="c",
        confidence=Confidence.HIGH,
        fingerprint="f",
        title=title,
        subject=Subject(group="g"),
        evidence={},
        remedy=(),
    )
    report = Report(mqdiag="1", inputs=(Input(path="in", complete=True),), findings=(found,))
    monkeypatch.setattr(watching, "run_fleet", lambda *given, **more: Diagnosis(report=report))


@pytest.mark.usefixtures("_an_error")
def test_once_writes_the_reports_and_the_exit_code_of_its_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = options(tmp_path)
    (tmp_path / "in/a").write_text("x")
    words = ["fleet", *given.paths, "--out", given.out, "--once"]
    assert run([*words, "--output", str(tmp_path / "r.json"), "--also", f"junit={tmp_path / 'r.xml'}"]) == 1
    assert json.loads((tmp_path / "r.json").read_text())["findings"][0]["rule"] == "stuck-consumer-thread"
    assert "stuck-consumer-thread" in (tmp_path / "r.xml").read_text()
    assert run([*words, "--fail-on", "never"]) == 0
    assert capsys.readouterr().out == "", "lines of new findings alone"


@pytest.mark.usefixtures("_an_error")
def test_once_without_a_complete_file_is_clean_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = options(tmp_path)
    assert run(["fleet", *given.paths, "--out", given.out, "--once"]) == 0
    assert "no file is complete" in capsys.readouterr().err


class Notes(Silent):
    """Keeps the notes."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def note(self, text: Text) -> None:
        self.lines.append(english()(text))


def failing(monkeypatch: pytest.MonkeyPatch, name: str, *errors: Exception) -> None:
    """Let the first calls of a function of the watch fail."""
    left, whole = list(errors), getattr(watching, name)

    def fake(*given: Any, **more: Any) -> Any:
        if left:
            raise left.pop(0)
        return whole(*given, **more)

    monkeypatch.setattr(watching, name, fake)


FAILURES: list[tuple[str, Exception]] = [
    ("listing_of", OSError("no route")),
    ("run_fleet", BusyError(say("another run is at work there"))),
]
UNTOLD: list[Exception] = [MqdiagError(say("no answer")), FileNotFoundError(2, "gone")]


@pytest.mark.parametrize(("name", "error"), [*FAILURES, *(("tell_runs", error) for error in UNTOLD)])
def test_a_watch_goes_on_after_what_passes(
    tmp_path: Path,
    batches: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    error: Exception,
) -> None:
    given, notes = options(tmp_path), Notes()
    (tmp_path / "in/a").write_text("x")
    tell_runs(Layout(*storage(given.out)), ())  # not the first start in this output
    failing(monkeypatch, name, error)
    at_sleep(monkeypatch, lambda: None)
    watch(given, Settings(), notes, WatchOptions(interval_s=0.001, every_s=0.0))
    assert notes.lines[1:] == ["batch r1: 1 new file, 2 incidents analysed, 1 failed"]
    assert [set(batch) for batch in batches] == [{"a"}]


@pytest.mark.parametrize(("name", "error"), FAILURES)
def test_once_ends_with_the_error(
    tmp_path: Path,
    batches: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    error: Exception,
) -> None:
    given = options(tmp_path)
    (tmp_path / "in/a").write_text("x")
    failing(monkeypatch, name, error)
    with pytest.raises(MqdiagError):
        watch(given, Settings(), Silent(), WatchOptions(once=True))


@pytest.mark.parametrize("error", UNTOLD)
@pytest.mark.usefixtures("_an_error")
def test_once_writes_its_report_when_nobody_could_be_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The exit code is that of an error, and the next start tells what is missing."""
    given = options(tmp_path)
    (tmp_path / "in/a").write_text("x")
    tell_runs(Layout(*storage(given.out)), ())  # not the first start in this output
    failing(monkeypatch, "tell_runs", error, error)
    words = ["fleet", *given.paths, "--out", given.out, "--once", "--output", str(tmp_path / "r.json")]
    assert run(words) == 4
    assert json.loads((tmp_path / "r.json").read_text())["findings"][0]["rule"] == "stuck-consumer-thread"
    said = capsys.readouterr().err
    assert "no answer" in said or "gone" in said


@pytest.mark.parametrize("once", [True, False])
def test_no_run_is_made_before_telling_has_begun(
    tmp_path: Path, batches: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, once: bool
) -> None:
    """What a run finds would count as known, and nobody would be told."""
    given = options(tmp_path)
    (tmp_path / "in/a").write_text("x")
    failing(monkeypatch, "tell_runs", *[OSError("read-only")] * 9)
    at_sleep(monkeypatch)
    with contextlib.nullcontext() if not once else pytest.raises(MqdiagError):
        watch(given, Settings(), Silent(), WatchOptions(once=once, interval_s=5.0, every_s=0.0))
    assert batches == []


@pytest.mark.parametrize("error", [UsageError(say("no such template")), BrokenPipeError()])
def test_a_watch_ends_at_what_does_not_pass(
    tmp_path: Path, batches: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    given = options(tmp_path)
    (tmp_path / "in/a").write_text("x")
    failing(monkeypatch, "tell_runs", error)
    with pytest.raises(type(error)):
        watch(given, Settings(), Silent(), WatchOptions())


@NIGHTLY
@pytest.mark.xdist_group("fleet")
@pytest.mark.usefixtures("_java")
def test_a_watched_folder_is_analysed_and_told_once(tmp_path: Path) -> None:
    import subprocess

    from tests.fleet.conftest import TEMPLATE
    from tests.fleet.made_fleet import put
    from tests.fleet.runs import command, environment

    put(tmp_path, "in/payments/p1/20261121-080000.hprof", heap("stuck-one-4.9.8"))
    words = command(str(tmp_path / "in"), "--out", str(tmp_path / "out"), *TEMPLATE, "--once")
    told = []
    for _ in range(2):
        done = subprocess.run(words, capture_output=True, text=True, env=environment(), timeout=900)
        assert done.returncode in (0, 1), done.stderr
        told.append([json.loads(line)["rule"] for line in done.stdout.splitlines()])
    assert "stuck-consumer-thread" in told[0]
    assert told[1] == []
