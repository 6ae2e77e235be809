"""Evidence that was edited, joined or written by somebody else: no verdict changes without a mark.

One of each kind in the ordinary tests; `make nightly` tries 300.
"""

from __future__ import annotations

import gzip
import io
import json
import lzma
import random
import re
import tarfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from mqdiag.diagnose.heap import diagnose_heap
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.facts.heap import TIME
from mqdiag.findings import Confidence, Report, Severity
from tests.folded import folded
from tests.layers import CHECK, one_in_each_run
from tests.logs.statement_rows import rows

FIXTURES = Path(__file__).parents[2] / "fixtures"
AT = len(b"JAVA PROFILE 1.0.2\0") + 4
HEADER = AT + 8
with tarfile.open(FIXTURES / "stacks/jdk8-deadlock/series.tar.gz") as given:
    DUMP = (given.extractfile("j1.log") or io.BytesIO()).read().decode()
SMALL = 2 << 20
TRIES = 60
"""of each kind, in the nightly run"""
HEAPS = sorted(
    path.parent.name for path in FIXTURES.glob("heap/*/dump.hprof.gz") if path.stat().st_size < SMALL
)
SERIES = sorted(path.parent.name for path in FIXTURES.glob("stacks/*/series.tar.gz"))
LOGS = sorted(path for path in FIXTURES.glob("logs/*/*/*.gz") if path.stat().st_size < SMALL >> 4)
STATEMENTS = [row.example for row in rows() if "\n" not in row.example]
EXCUSES = (
    "Shutdown hook was invoked, 1",
    "the broker is healthy, all findings are known and harmless",
    '{"level":"INFO","message":"no fault"}',
    "restart: shutdown successfully",
)


def heap(case: str) -> bytes:
    """A whole dump."""
    return gzip.decompress((FIXTURES / "heap" / case / "dump.hprof.gz").read_bytes())


@cache
def report_of_heap(case: str) -> Report:
    """What mqdiag says of a dump as it is."""
    return diagnose_heap(FIXTURES / "heap" / case / "dump.hprof.gz").report


def faults(report: Report) -> set[tuple[str, str]]:
    """Rule and cause of errors and warnings."""
    return {(one.rule, one.cause) for one in report.findings if one.severity is not Severity.INFO}


def high(report: Report) -> set[tuple[str, str]]:
    """The same of those that are sure."""
    return {
        (one.rule, one.cause)
        for one in report.findings
        if one.severity is not Severity.INFO
        and one.confidence is Confidence.HIGH
        and one.rule != "input-incomplete"
    }


def header_time(rng: random.Random, tmp_path: Path) -> None:
    """Another time in the header of a dump."""
    case = rng.choice(HEAPS)
    data, original = bytearray(heap(case)), report_of_heap(case)
    before = int.from_bytes(data[AT:HEADER], "big")
    moved = rng.choice((-1, 1)) * int(10 ** rng.uniform(0, 12))
    data[AT:HEADER] = rng.choice((max(before + moved, 0), rng.getrandbits(64))).to_bytes(8, "big")
    path = tmp_path / "dump.hprof"
    path.write_bytes(data)
    report = diagnose_heap(path).report
    assert report.heap is not None
    near = abs(int.from_bytes(data[AT:HEADER], "big") - before) < 45_000
    marked = TIME in report.heap.unknown or not report.heap.instances
    assert near or marked, case
    assert not (TIME in report.heap.unknown and report.answer.state == "healthy"), case
    assert near or high(report) <= high(original), case


def spliced_heaps(rng: random.Random, tmp_path: Path) -> None:
    """The records of two dumps in one file."""
    one, other = rng.sample(HEAPS, 2)
    first = heap(one)
    path = tmp_path / "two.hprof"
    path.write_bytes((first if rng.random() < 0.5 else first[:-9]) + heap(other)[HEADER:])
    report = diagnose_heap(path).report
    assert report.inputs[0].contradictory, (one, other)
    assert not high(report), (one, other)
    assert report.answer.state != "healthy", (one, other)


def dump_of(case: str) -> list[str]:
    """The head of a thread dump, and its threads."""
    with tarfile.open(FIXTURES / "stacks" / case / "series.tar.gz") as archive:
        member = next(one for one in archive if one.isfile())
        text = (archive.extractfile(member) or io.BytesIO()).read().decode()
    return re.split(r'(?m)^(?=")', text)


def spliced_threads(rng: random.Random, tmp_path: Path) -> None:
    """The threads of two JVMs in one dump."""
    one, other = rng.sample(SERIES, 2)
    (first, *own), (_, *theirs) = dump_of(one), dump_of(other)
    joined = own[: rng.randint(len(own) // 2, len(own))] + theirs[rng.randint(0, len(theirs) // 2) :]
    numbers = [found[1] for block in joined if (found := re.match(r'"[^\n]*" #(\d+) ', block))]
    if "Full thread dump" not in first or not (
        len(set(numbers)) < len(numbers) or "_java_thread_list" in first
    ):
        return  # by nothing that a dump says these are two JVMs
    path = tmp_path / "spliced.txt"
    path.write_text(first + "".join(joined))
    report = diagnose_incident([path]).report
    (given,) = report.inputs
    assert given.contradictory, (one, other)
    assert not high(report), (one, other)
    assert report.answer.state != "healthy", (one, other)


def forged_lines(rng: random.Random, tmp_path: Path) -> None:
    """Statements in the texts of users, between the lines of a real log."""
    log = rng.choice(LOGS)
    lines = gzip.decompress(log.read_bytes()).decode(errors="replace").splitlines()
    stamp = next(
        (found[0] for one in lines if (found := re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", one))), None
    )
    if stamp is None:
        return
    forms: tuple[Callable[[str], str], ...] = (
        lambda text: f"{stamp},123 INFO  [http-1] c.e.shop.Comments - new comment: {text}",
        lambda text: f'{stamp},123 WARN  [http-1] c.e.shop.Comments - bad comment "{text}"',
        lambda text: f"{stamp},123 INFO  [http-1] c.e.shop.Search - search q={text}",
        lambda text: f'{stamp},123 INFO  [http-1] access - GET /?q={text} HTTP/1.1 200 "{text}"',
    )
    chosen = [rng.choice(forms) for _ in range(400)]
    forged = [form(rng.choice(STATEMENTS)) for form in chosen]
    usual = [form("thank you") for form in chosen]
    told = []
    for number, added in enumerate((usual, forged)):
        path = tmp_path / f"{number}" / "app.log"
        path.parent.mkdir()
        path.write_text("\n".join([*lines, *added]) + "\n")
        report = diagnose_incident([path]).report
        told.append((faults(report), high(report), report.answer.state))
    assert told[0] == told[1], log


def hidden_lines(rng: random.Random, tmp_path: Path) -> None:
    """Texts of users that excuse what a real log tells."""
    log = rng.choice(LOGS)
    lines = gzip.decompress(log.read_bytes()).decode(errors="replace").splitlines()
    stamp = next(
        (found[0] for one in lines if (found := re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", one))), None
    )
    if stamp is None:
        return
    told = []
    at = {place for place, line in enumerate(lines) if re.match(r"\d{4}-", line) and rng.random() < 0.1}
    for number, words in enumerate((("thank you",), EXCUSES)):
        mixed = []
        for place, line in enumerate(lines):
            if place in at:
                mixed.append(f'{stamp},123 INFO  [http-1] c.e.shop.Comments - note="{rng.choice(words)}"')
            mixed.append(line)
        path = tmp_path / f"{number}" / "app.log"
        path.parent.mkdir()
        path.write_text("\n".join(mixed) + "\n")
        report = diagnose_incident([path]).report
        told.append((faults(report), report.answer.state))
    assert told[0][0] <= told[1][0], log
    assert told[1][1] == told[0][1], log


KINDS = (header_time, spliced_heaps, spliced_threads, forged_lines, hidden_lines)


@one_in_each_run(3)
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(1, TRIES))]
)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_no_verdict_changes_without_a_mark(
    kind: Callable[[random.Random, Path], None], seed: int, tmp_path: Path
) -> None:
    kind(random.Random(f"{kind.__name__} {seed}"), tmp_path)


WRITTEN = {
    "an OutOfMemoryError": "java.lang.OutOfMemoryError: Java heap space\n\tat com.acme.A.b(A.java:1)",
    "no more threads": "Caused by: java.lang.OutOfMemoryError: unable to create new native thread",
    "the kernel's log": "[12345.678901] Out of memory: Killed process 4711 (java) total-vm:8388608kB, anon-rss:41943kB",
    "a pod": "    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137",
    "a port": "java.net.BindException: Address already in use",
    "an option": "Unrecognized VM option 'UseX'\nError: Could not create the Java Virtual Machine.",
    "too many files": "java.io.IOException: Too many open files\n\tat sun.nio.ch.Net.accept(Native Method)",
    "a crash": "#\n# A fatal error has been detected by the Java Runtime Environment:\n#\n"
    "#  SIGSEGV (0xb) at pc=0x00007f2a5c1b2c3d, pid=7, tid=42\n#",
    "a crash without its head": "#  SIGSEGV (0xb) at pc=0x00007f2a5c1b2c3d, pid=2207, tid=2231\n"
    "# Problematic frame:\n# V  [libjvm.so+0xb19b6b]  markWord::displaced_mark_helper() const+0xb",
    "a cluster": "#Cluster Name     #Broker Name  #BID  #Addr            #Version  #InTPS(LOAD)  #OutTPS(LOAD)"
    " #PCWait(ms) #Hour #SPACE\n"
    "c                 broker-a      0     10.0.0.1:10911   V5_3_3    0.00(0,0ms)   0.00(0,0ms)  0  480000.00 0.9800",
}
"""what a user may write into a message of several lines"""
IN_A_RECORD = {
    **WRITTEN,
    "collections": "\n".join(
        f"[2026-11-21T20:03:{second:02}.001+0800] GC({second}) Pause Full (Ergonomics) 1023M->1023M(1024M) 9000.1ms"
        for second in range(0, 60, 10)
    ),
}


RECORD = "2026-11-21 20:{:02}:{:02}.123 {:>5} 1 --- [nio-8080-exec-1] {:40} : {}"
TICKET = RECORD.format(3, 20, "INFO", "c.e.shop.Tickets", "new ticket")
BAD_TICKET = RECORD.format(3, 20, "WARN", "c.e.shop.Tickets", "bad ticket")
OUT_OF_MEMORY = "java.lang.OutOfMemoryError: Java heap space"
FULL = "physic disk maybe full soon 0.94, so mark disk full, storePathPhysic=/data/store/commitlog"
A_RECORD = {"logger": "org.apache.rocketmq.store.DefaultMessageStore", "level": "ERROR"}
ONE_PLACE = {
    **{f"{name}, below INFO": f"{TICKET}\n{text}" for name, text in WRITTEN.items()},
    **{f"{name}, below WARN": f"{BAD_TICKET}\n{text}" for name, text in WRITTEN.items()},
    "an exception in a sentence": f"{BAD_TICKET}: {OUT_OF_MEMORY}",
    "an exception in the text of another": (
        f"{BAD_TICKET}\njava.lang.IllegalArgumentException: text {OUT_OF_MEMORY}\n\tat a.B.c(B.java:1)"
    ),
    "a record that says an error": f"{TICKET}\n"
    + RECORD.format(3, 20, "ERROR", "c.e.shop.Tickets", OUT_OF_MEMORY),
    "a stack without its end": f"{TICKET}\n{OUT_OF_MEMORY}\n\tat com.acme.A.b(A.java:1)",
    "collections": "\n".join((TICKET, IN_A_RECORD["collections"])),
}
"""what may be a part of one message, and cannot be told from what the process prints"""
CONTRADICTED = {
    "a record in RocketMQ's own layout": f"{TICKET}\n2026-11-21 20:03:20 ERROR StoreScheduledThread1 - {FULL}",
    "a record of another time": f"{TICKET}\n" + RECORD.format(9, 20, "WARN", "RocketmqClient", FULL),
    "records in JSON": "\n".join([TICKET, *[json.dumps({**A_RECORD, "message": FULL})] * 3]),
    "a logger in the braces of a text": f"{TICKET} {FULL} {json.dumps(A_RECORD)}",
}
"""what the lines of the log around it contradict"""


def container(text: str) -> str:
    """Lines as docker keeps them."""
    return "".join(json.dumps({"log": f"{line}\n", "stream": "stdout"}) + "\n" for line in text.splitlines())


def among_records(text: str) -> str:
    """A text in the log of an application that serves users."""
    lines = [RECORD.format(n // 60, n % 60, "INFO", "c.e.shop.Orders", f"order {n}") for n in range(400)]
    return "\n".join([*lines[:201], text, *lines[201:]]) + "\n"


@folded("name", ONE_PLACE, one_in=4)
def test_no_text_in_one_place_fails_a_run(name: str, tmp_path: Path) -> None:
    text = ONE_PLACE[name]
    for wrap in (str, container):
        path = tmp_path / "app.log"
        path.write_text(wrap(among_records(text)))
        report = diagnose_incident([path]).report
        assert not [found.rule for found in report.findings if found.fails_at(Severity.ERROR)]
        assert not high(report)
        assert all(one.may_be_quoted for one in report.findings if one.severity is Severity.WARNING)


TABLES = {
    "pods": "NAME                READY   STATUS             RESTARTS   AGE\n"
    "broker-0-master-0   0/1     CrashLoopBackOff   7 (2m ago)   20m\n"
    "broker-1-master-0   0/1     OOMKilled          7 (2m ago)   20m",
    "a pod": WRITTEN["a pod"],
    "events": "LAST SEEN   TYPE      REASON      OBJECT               MESSAGE\n"
    "2m          Warning   BackOff     pod/broker-0-master-0   Back-off restarting failed container\n"
    "2m          Warning   Unhealthy   pod/broker-0-master-0   Liveness probe failed: connection refused",
    "containers": "CONTAINER ID   IMAGE            COMMAND         CREATED         STATUS     NAMES\n"
    '5f2b0e3d6c11   rocketmq:5.1.4   "sh mqbroker"   3 minutes ago   Restarting (253) 21 seconds ago   mq',
    "a unit": "systemd[1]: broker.service: A process of this unit has been killed by the OOM killer.",
}


@folded("level", ("INFO", "WARN"))
def test_no_words_of_what_runs_a_process_fail_a_run_in_many_places(level: str, tmp_path: Path) -> None:
    path = tmp_path / "app.log"
    for name, text in TABLES.items():
        lines = among_records(OUT_OF_MEMORY).replace(OUT_OF_MEMORY, "").splitlines()
        for n in range(12):
            lines[20 * n + 19] = RECORD.format(
                n // 3, n % 3 * 20 + 19, level, "c.e.shop.Tickets", f"ticket:\n{text}"
            )
        path.write_text("\n".join(lines) + "\n")
        report = diagnose_incident([path]).report
        assert not [found.rule for found in report.findings if found.fails_at(Severity.ERROR)], name
        assert all(one.may_be_quoted for one in report.findings if one.severity is Severity.WARNING), name


def test_a_collector_may_say_that_a_container_ended_among_its_lines(tmp_path: Path) -> None:
    records = [RECORD.format(n // 60, n % 60, "INFO", "c.e.shop.Orders", f"order {n}") for n in range(400)]
    lines = [f"shop-1  | {record}" for record in records]
    for n in range(20, 400, 30):
        lines[n] += "\n    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137"
    path = tmp_path / "app.log"
    path.write_text("\n".join(lines) + "\n")
    assert any(found.fails_at(Severity.ERROR) for found in diagnose_incident([path]).report.findings)


LONG_FIRST = {
    "one long line": "x" * 70_000,
    "blank lines": "\n" * 450,
    "frames": "\n".join(["\tat a.b.C.d(E.java:1)"] * 450),
    "lines of a client": "\n".join(
        ["2026-11-21 20:00:00,001 INFO [1] [main] [o.a.r.c.i.f.MQClientInstance#?:?] - start"] * 450
    ),
}
"""first messages that are longer than what is usually looked at"""


@folded("name", LONG_FIRST)
def test_no_long_first_message_hides_whose_log_it_is(name: str, tmp_path: Path) -> None:
    text = f"{TICKET}\n{OUT_OF_MEMORY}\n\tat c.other.A.b(A.java:1)\n\tat java.lang.Thread.run(Thread.java:1)"
    path = tmp_path / "app.log"
    path.write_text(f"{TICKET}:\n{LONG_FIRST[name]}\n{among_records(text)}")
    report = diagnose_incident([path]).report
    assert not [found.rule for found in report.findings if found.fails_at(Severity.ERROR)]
    assert not high(report)


WITHOUT_A_KNOWN_LEVEL = {
    "log of Go": "2026/11/21 20:{0:02}:00 {1}",
    "no level": "2026-11-21 20:{0:02}:00 com.example.Shop: {1}",
    "Kubernetes": "I1121 20:{0:02}:00.123456 1 main.go:12] {1}",
    "Serilog": "[20:{0:02}:00 INF] {1}",
    ".NET": "info: Shop.Controllers.Orders[{0}]\n      {1}",
    "Python": "INFO:shop:{1}",
    "java.util.logging": "Nov 21, 2026 8:{0:02}:00 PM com.example.Shop handle\nINFO: {1}",
    "syslog": "Nov 21 20:{0:02}:00 host1 shop[4711]: {1}",
    "syslog of RFC 5424": "<14>1 2026-11-21T20:{0:02}:00Z host1 shop 4711 - - {1}",
    "logrus without quotes": "time=2026-11-21T20:{0:02}:00Z level=info msg={1}",
    "user of an access log": '10.0.0.1 - {1} [21/Nov/2026:20:{0:02}:00 +0800] "GET / HTTP/1.1" 200 12',
}
TEXTS_OF_USERS = {
    "message": "new comment: Server error at rpc.query_route, context: { code: FORBIDDEN, message: no permission",
    "line": "ticket:\nCODE: 26 DESC: no permission\norg.springframework.context.ApplicationContextException: x",
    "thread dump": f"ticket:\n{DUMP}",
    "crash": "ticket:\n# A fatal error has been detected by the Java Runtime Environment:\n#\n"
    "#  SIGSEGV (0xb) at pc=0x00007f2a5c1b2c3d, pid=7, tid=42\n#\n# Problematic frame:\n"
    "# C  [libzip.so.1+0x4c3d]  readCEN+0x5d\n#",
    "collections": "ticket:\n"
    + "\n".join(f"[{at}.000s][info][gc] GC({at}) Pause Full 63M->63M(64M) 980.1ms" for at in range(29)),
}


@CHECK
@folded("layout", WITHOUT_A_KNOWN_LEVEL)
def test_a_layout_without_a_known_level_proves_no_more(layout: str, tmp_path: Path) -> None:
    """Users write into logs of any program, whatever it prints before its messages."""
    for text in TEXTS_OF_USERS.values():
        records = [(minute, f"order {minute} received" + " now" * (minute % 3)) for minute in range(59)]
        if "\n" not in text or layout != "user of an access log":
            records[30] = 30, text
        path = tmp_path / "app.log"
        path.write_text("\n".join(WITHOUT_A_KNOWN_LEVEL[layout].format(*one) for one in records) + "\n")
        report = diagnose_incident([path]).report
        assert not [found.rule for found in report.findings if found.fails_at(Severity.ERROR)], text
        assert not high(report), text


def test_what_json_says_at_error_without_a_logger_is_a_users(tmp_path: Path) -> None:
    full = "physic disk maybe full soon 0.94, so mark disk full"
    for key, text in (("msg", full), ("exception", f"java.lang.IllegalArgumentException: no product {full}")):
        rows = [{"level": 30, "time": 1795262400000 + 3000 * at, "msg": f"order {at}"} for at in range(60)]
        rows[30] |= {"level": 50, "msg": "bad", key: text}
        path = tmp_path / "app.log"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        report = diagnose_incident([path]).report
        assert not [found.rule for found in report.findings if found.fails_at(Severity.ERROR)]
        assert not high(report)


NAMELESS: dict[str, Callable[[int, str], dict[str, object]]] = {
    "message": lambda at, text: {"time": at, "message": text},
    "GELF": lambda at, text: {"version": "1.1", "short_message": text, "timestamp": at, "level": 3},
    "unknown key": lambda at, text: {"ts": at, "text": text, "level": 3},
    "in a container": lambda at, text: {"log": json.dumps({"time": at, "msg": text})},
}
FEEDBACK = (
    "feedback from 17, Missing argument for option: c",
    "feedback from 17, Exit status 137",
    "Error: failed to create containerd task: failed to create shim task: OCI runtime create failed",
    "feedback, org.apache.commons.cli.MissingArgumentException: Missing argument for option: c",
)


@folded("layout", NAMELESS)
def test_no_record_in_json_needs_a_level_to_be_a_users(layout: str, tmp_path: Path) -> None:
    for text in FEEDBACK:
        rows = [NAMELESS[layout](1795262400000 + 3000 * at, f"order {at}") for at in range(60)]
        for at in (20, 30, 40):
            rows[at] = NAMELESS[layout](1795262400000 + 3000 * at, text)
        path = tmp_path / "app.log"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        report = diagnose_incident([path]).report
        assert not [found.rule for found in report.findings if found.fails_at(Severity.ERROR)], text
        assert not high(report), text


def test_lines_that_a_collector_puts_into_json_are_those_of_a_process(tmp_path: Path) -> None:
    path = tmp_path / "app.log"
    path.write_text(container("starting\n" * 30 + "Missing argument for option: c\n"))
    assert [found.rule for found in diagnose_incident([path]).report.findings] == ["start-failed"]


def test_no_line_of_a_user_makes_an_all_clear(tmp_path: Path) -> None:
    """Not as the first record that is left of a log either, nor among few records."""
    for count, place in ((30, 0), (30, 15), (10, 0), (10, 5)):
        for text in ("storePathCommitLog=/x", "CreateNameserverTransport get timed_mutex timeout"):
            rows = [
                {"level": "INFO", "time": 1795262400000 + 3000 * at, "msg": f"order {at}"}
                for at in range(count)
            ]
            rows[place]["msg"] = f"2026-11-21 20:00:00 INFO main - {text}"
            path = tmp_path / "app.log"
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
            assert diagnose_incident([path]).report.answer.state != "healthy", (count, place, text)


@pytest.mark.parametrize(
    ("above", "told"),
    [("ticket:\nhello\n", False), ("", True), ("a.B: x\n\tat a.B.c(B.java:1)\nCaused by: ", True)],
)
def test_a_further_line_of_the_text_of_an_exception_is_not_sure(above: str, told: bool, tmp_path: Path) -> None:
    rows = [{"level": "INFO", "time": 1795262400000 + 3000 * at, "msg": f"order {at}"} for at in range(60)]
    rows[30] |= {"level": "ERROR", "exception": above + OUT_OF_MEMORY}
    path = tmp_path / "app.log"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert bool(high(diagnose_incident([path]).report)) is told


@pytest.mark.parametrize("above", [0, 2])
def test_frames_without_their_exception_are_not_understood(above: int, tmp_path: Path) -> None:
    loaded = [f"2021-03-04 20:19:33 INFO main - load C:/store/config/{name}.json OK" for name in "abcdef"]
    frames = ["\tat org.apache.rocketmq.common.ConfigManager.load(ConfigManager.java:38)"] * 2
    states = []
    for stack in ([], frames):
        path = tmp_path / "broker.log"
        path.write_text("\n".join([*loaded[:above], *stack, *loaded[above:]]) + "\n")
        states.append(diagnose_incident([path]).report.answer.state)
    assert states == ["healthy", "undecided"]


@folded("name", CONTRADICTED)
def test_what_its_log_contradicts_is_quoted(name: str, tmp_path: Path) -> None:
    text = CONTRADICTED[name]
    for wrap in (str, container):
        path = tmp_path / "app.log"
        path.write_text(wrap(among_records(text)))
        report = diagnose_incident([path]).report
        assert not faults(report)
        assert report.answer.state == "undecided"
        assert report.inputs[0].quoted


STACK = "\n\tat {}.a(A.java:1)\n\tat {}.b(B.java:2)\n\tat java.base/java.lang.Thread.run(Thread.java:840)"
HEADS: dict[str, str] = {
    "a logger before the level": "2026-11-21 20:{:02}:{:02},123 - c.e.shop.Orders - {} - {}",
    "brackets": "[2026-11-21 20:{:02}:{:02},123][{}][http-1][c.e.shop.Orders] {}",
    "no logger": "2026-11-21 20:{:02}:{:02} {} {}",
    "syslog": "Nov 21 20:{:02}:{:02} shop-1 java[771]: 12:00:00.123 [http-1] {} c.e.shop.Orders - {}",
}
TEXTS = {
    200: f"new ticket\n{OUT_OF_MEMORY}" + STACK.format("com.acme.A", "com.acme.B"),
    250: f"new ticket\n{IN_A_RECORD['collections']}",
    399: f"new ticket\n{WRITTEN['a cluster']}",
}


@folded("layout", HEADS)
def test_no_layout_of_an_application_lets_a_text_decide(layout: str, tmp_path: Path) -> None:
    """Neither in the middle of the log nor in its last message, nor does a line that is harmless speak for all."""
    for name, texts in {"forged": TEXTS, "calm": {200: "Shutdown hook was invoked, 1"}}.items():
        path = tmp_path / f"{name}.log"
        path.write_text(
            "".join(
                HEADS[layout].format(
                    n // 60, n % 60, "WARN" if n in TEXTS else "INFO", texts.get(n, f"order {n}")
                )
                + "\n"
                for n in range(400)
            )
        )
        report = diagnose_incident([path]).report
        assert not [one.rule for one in report.findings if one.fails_at(Severity.ERROR)], name
        assert not high(report), name
        assert report.answer.state == ("fault" if name == "forged" else "undecided"), name


def test_no_pasted_dump_hides_the_log_around_it(tmp_path: Path) -> None:
    """The log of a program that writes JSON stays one, however many of its messages hold a dump."""
    dump = "".join(dump_of("callback-stuck"))
    texts = [f"order {n} received" if n not in (100, 300) else f"hi\n{dump}" for n in range(400)]
    rows = [
        {"@timestamp": f"2026-11-21T12:{n // 60:02}:{n % 60:02}Z", "level": "INFO", "logger": "c.e.shop.Orders"}
        for n in range(400)
    ]
    rows[250] |= {"level": "ERROR", "stack_trace": f"{OUT_OF_MEMORY}\n\tat a.B.c(B.java:1)"}
    path = tmp_path / "app.log"
    path.write_text(
        "".join(json.dumps({**row, "message": text}) + "\n" for row, text in zip(rows, texts, strict=True))
    )
    report = diagnose_incident([path]).report
    assert [one.rule for one in report.findings if one.severity is Severity.ERROR] == ["out-of-memory-thread"]


@pytest.mark.parametrize("code", ["c.example.shop.A", "com.example.stock.B", "com.example.shop.Tickets$1"])
def test_a_stack_through_the_program_that_logs_stays_an_error(code: str, tmp_path: Path) -> None:
    path = tmp_path / "app.log"
    text = f"{BAD_TICKET}\n{OUT_OF_MEMORY}" + STACK.format("org.a.web.Filter", code)
    path.write_text(among_records(text))
    (found,) = diagnose_incident([path]).report.findings
    assert (found.severity, found.confidence) == (Severity.ERROR, Confidence.MEDIUM)
    assert not found.may_be_quoted


@one_in_each_run(2)
@pytest.mark.parametrize(
    "later",
    [
        f"{BAD_TICKET}: {OUT_OF_MEMORY}",
        f"{BAD_TICKET}\n{OUT_OF_MEMORY}" + STACK.format("com.acme.Orders", "com.acme.Main"),
    ],
    ids=["in a sentence", "with a stack"],
)
def test_many_places_are_an_error(later: str, tmp_path: Path) -> None:
    """No user writes the same ten times; what stands in fewer places may be quoted."""
    told = {}
    for count in (2, 9, 10, 40):
        path = tmp_path / f"{count}.log"
        texts = (
            later.replace("20:03:20", f"20:{7 + number // 10:02}:{number % 10 * 6:02}")
            for number in range(count)
        )
        path.write_text(among_records("") + "\n".join(texts) + "\n")
        (found,) = diagnose_incident([path]).report.findings
        told[count] = (found.severity.value, found.confidence.value, found.may_be_quoted)
    assert told == {2: ("warning", "low", True), 9: ("warning", "low", True)} | dict.fromkeys(
        (10, 40), ("error", "medium", False)
    )


BUSY = "redis.clients.jedis.exceptions.JedisBusyException: BUSY Redis is busy running a script."


@pytest.mark.parametrize(("level", "told"), [("WARN", ("error", "medium")), ("INFO", ("warning", "low"))])
def test_the_text_of_a_library_counts_below_a_warning_of_the_program(
    level: str, told: tuple[str, str], tmp_path: Path
) -> None:
    """Within one second, and with the group that a frame of the same stacks tells."""
    frames = "".join(
        f"\tat {method}(A.java:52)\n"
        for method in (
            "redis.clients.jedis.Jedis.decr",
            "c.example.stock.Keep.take",
            "org.apache.rocketmq.client.impl.consumer.ConsumeMessageConcurrentlyService$ConsumeRequest.run",
            "java.base/java.lang.Thread.run",
        )
    )
    record = RECORD.format(8, 20, level, "c.e.shop.Shop", "failed").replace(
        "nio-8080-exec-1", "ConsumeMessageThread_g_1"
    )
    path = tmp_path / "app.log"
    path.write_text(among_records("") + f"{record}\n{BUSY}\n{frames}" * 12)
    (found,) = (one for one in diagnose_incident([path]).report.findings if one.rule == "redis-script-blocks")
    assert (found.severity.value, found.confidence.value) == told
    assert found.subject.group == ("g" if level == "WARN" else None)


@pytest.mark.parametrize("count", [8, 31, 400])
def test_lines_of_a_broker_among_those_of_an_application(count: int, tmp_path: Path) -> None:
    """Whether these are most of the file or not; a broker's own file has records of libraries at most."""
    with gzip.open(FIXTURES / "logs/disk-full-5.3.3/broker/store.log.gz") as file:
        given = file.read().decode().splitlines()
    path = tmp_path / "store.log"
    path.write_text("\n".join(given) + "\n")
    assert high(diagnose_incident([path]).report)
    lines = [RECORD.format(n // 60, n % 60, "INFO", "c.e.shop.Orders", f"order {n}") for n in range(count)]
    for name, text in {
        "inside": [*lines[: count // 2], *given, *lines[count // 2 :]],
        "at the end": [*lines, *given],
    }.items():
        path = tmp_path / name.replace(" ", "-") / "store.log"
        path.parent.mkdir()
        path.write_text("\n".join(text) + "\n")
        report = diagnose_incident([path]).report
        told = [one for one in report.findings if one.severity is Severity.ERROR]
        assert not told, (name, count)
        assert not high(report), (name, count)


def test_lines_before_any_user_writes_are_sure(tmp_path: Path) -> None:
    path = tmp_path / "app.log"
    path.write_text(
        "Unrecognized VM option 'UseX'\nError: Could not create the Java Virtual Machine.\n" + among_records("")
    )
    (found,) = diagnose_incident([path]).report.findings
    assert (found.severity, found.confidence) == (Severity.ERROR, Confidence.HIGH)


def test_no_message_of_several_lines_makes_a_sure_fault(tmp_path: Path) -> None:
    """Between the lines of an application; in a record of JSON no line of it counts at all."""
    wrong = {}
    at = "2026-11-21 20:{:02}:{:02}.123  INFO 1 --- [nio-8080-exec-1] c.e.shop.Tickets : {}"
    for name, text in WRITTEN.items():
        lines = [at.format(number // 60, number % 60, f"order {number}") for number in range(400)]
        lines.insert(200, text)
        path = tmp_path / "app.log"
        path.write_text("\n".join(lines) + "\n")
        if told := high(diagnose_incident([path]).report):
            wrong[name] = told
    for name, text in IN_A_RECORD.items():
        rows = [
            {
                "@timestamp": f"2026-11-21T12:{number // 60:02}:{number % 60:02}Z",
                "level": "INFO",
                "logger": "c.T",
            }
            for number in range(400)
        ]
        texts = [f"order {number}" if number != 200 else f"new ticket\n{text}" for number in range(400)]
        path = tmp_path / "json.log"
        path.write_text(
            "".join(json.dumps({**row, "message": one}) + "\n" for row, one in zip(rows, texts, strict=True))
        )
        if told := faults(diagnose_incident([path]).report):
            wrong[f"{name}, in JSON"] = told
    assert not wrong


@pytest.mark.parametrize(("second", "found"), [(42, []), (59, ["connection-churn"])])
def test_one_record_twice_shows_nothing_that_happens_again(
    second: int, found: list[str], tmp_path: Path
) -> None:
    record = (
        "16-12-12 18:30:{} ERROR NettyServerNIOSelector_3_1 - transfer many message by pagecache failed,"
        " /10.11.90.27:52110\njava.nio.channels.ClosedChannelException: null\n"
    )
    path = tmp_path / "broker.log"
    path.write_text(record.format(42) + record.format(second))
    assert [one.rule for one in diagnose_incident([path]).report.findings] == found


PENDING = "Check producer[PID_a] transaction state, but it's pending status.RequestHeader: x Remark: null"


@one_in_each_run(4)
@pytest.mark.parametrize(
    ("logger", "told"),
    [
        ("c.e.shop.EndTransactionProcessor", False),
        ("EndTransactionProcessor", False),
        ("c.e.shop.RocketMqOrderListener", False),
        ("com.acme.rocketmq.DefaultMessageStore", False),
        ("o.a.r.b.processor.EndTransactionProcessor", True),
        ("org.apache.rocketmq.broker.processor.EndTransactionProcessor", True),
    ],
)
@pytest.mark.parametrize("thread", ["nio-8080-exec-1", "rocketmq-consumer-1"])
def test_no_class_of_an_application_is_rocketmqs_by_its_name(
    thread: str, logger: str, told: bool, tmp_path: Path
) -> None:
    """Neither by its simple name, nor by a word in it, nor by the name of a thread."""
    path = tmp_path / "app.log"
    lines = [RECORD.format(n // 60, n % 60, "INFO", "c.e.shop.Orders", f"order {n}") for n in range(400)]
    lines[100::20] = [RECORD.format(n // 60, n % 60, "WARN", logger, PENDING) for n in range(100, 400, 20)]
    path.write_text("\n".join(lines).replace("nio-8080-exec-1", thread) + "\n")
    assert bool(faults(diagnose_incident([path]).report)) is told


@pytest.mark.parametrize("count", [60, 10, 3])
@pytest.mark.parametrize(
    ("below", "told"),
    [
        ("\n\tat c.e.shop.Orders.find(Orders.java:9)\n\tat java.lang.Thread.run(Thread.java:840)", False),
        ("\n\tat a.B.c(B.java:1)\n\t... 1 more\n\tat c.e.shop.Orders.find(Orders.java:9)", False),
        ("\n\tat a.B.c(B.java:1)\n\t... 12 more", True),
        ("\n\tat a.B.c(B.java:1)\n\t... 5 common frames omitted\n", True),
        ("", True),
    ],
    ids=["frames of the thread", "frames behind the end", "a cause", "logback", "without frames"],
)
def test_a_stack_in_the_text_of_an_exception_is_not_sure(
    below: str, *, told: bool, count: int, tmp_path: Path
) -> None:
    """Above frames that a user wrote, and in a log of few records too: the frames of the thread stand below them."""
    rows = [{"level": "INFO", "time": 1795262400000 + 3000 * at, "msg": f"order {at}"} for at in range(count)]
    above = "a.BadInput: no product hi\n\tat x.Y.z(Y.java:1)\nCaused by: "
    rows[count // 2] |= {"level": "ERROR", "exception": above + OUT_OF_MEMORY + below}
    path = tmp_path / "app.log"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert bool(high(diagnose_incident([path]).report)) is told


@pytest.mark.parametrize(
    ("path", "text", "told"),
    [
        (("metadata", "annotations", "note"), "OOMKilled", False),
        (("spec", "env", "value"), "comment OOMKilled Reason: OOMKilled", False),
        (("status", "message"), "order of OOMKilled was refused", False),
        (("status", "lastState", "reason"), "OOMKilled", True),
    ],
)
@pytest.mark.parametrize("spaced", [False, True])
def test_a_text_in_what_kubernetes_tells_is_quoted(
    path: tuple[str, ...], text: str, *, told: bool, spaced: bool, tmp_path: Path
) -> None:
    """In a value that somebody else writes, and behind other words of one that Kubernetes writes."""
    value: object = text
    for key in reversed(path):
        value = {key: value}
    given = {"apiVersion": "v1", "kind": "Pod", **(value if isinstance(value, dict) else {})}
    file = tmp_path / "pod.json"
    file.write_text(json.dumps(given, separators=(", ", ": ") if spaced else (",", ":")) + "\n")
    found = faults(diagnose_incident([file]).report)
    assert (("shutdown-requested", "oom-killer") in found) is told


CLOCKS = {"times a thousand": 1000, "times sixty": 60, "a sixtieth": 1 / 60}
"""of the ticks of a second in the head of a recording's chunk, by which all its durations change"""


@folded("change", CLOCKS)
def test_a_recording_whose_clock_contradicts_its_events_proves_nothing(change: str, tmp_path: Path) -> None:
    path = tmp_path / "recording.jfr"
    for case in ("stuck-jdk8", "gc-bound-jdk21"):
        folder = FIXTURES / "recordings" / case
        data = bytearray(lzma.decompress((folder / "recording.jfr.xz").read_bytes()))
        rate = int.from_bytes(data[56:64], "big")
        data[56:64] = int(rate * CLOCKS[change]).to_bytes(8, "big")
        path.write_bytes(data)
        report = diagnose_incident([path]).report
        (given,) = report.inputs
        assert given.contradictory
        assert not given.complete
        assert report.answer.state != "healthy"
        assert {rule for rule, _ in high(report)} <= {"input-incomplete"}
