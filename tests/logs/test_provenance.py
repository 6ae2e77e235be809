"""A statement counts where a program prints it; what a user wrote is quoted, and gives no finding and no excuse."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path

import pytest

from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.findings import Report
from mqdiag.logs.log_tally import LogTally
from mqdiag.logs.reader import ReadLog
from mqdiag.read.logs.heads import head_of, known_heads
from tests.folded import folded
from tests.layers import CHECK, NIGHTLY, one_in_each_run, some_later
from tests.logs.given import CLIENT_4, CLIENT_5, facts, line, read
from tests.logs.statement_rows import Row, rows

ROWS = list(rows())
SPRING = "2026-11-21 20:00:01.123 {level:>5} 1 --- [nio-8080-exec-1] {logger:40} : {text}\n"
ACCESS = '10.0.0.1 - - [21/Nov/2026:20:00:01 +0800] "GET /search?q={text} HTTP/1.1" 200 123 "-" "{text}"\n'
FIXTURES = Path(__file__).parents[2] / "fixtures" / "logs"


def spring(text: str, level: str = "INFO", logger: str = "c.e.shop.OrderController") -> str:
    return SPRING.format(level=level, logger=logger, text=text)


def json_record(**keys: str) -> str:
    return json.dumps({"@timestamp": "2026-11-21T12:00:01.250Z", **keys}) + "\n"


USUAL = "".join(spring(f"order {number} received") for number in range(40))
APPLICATION = {"level": "INFO", "logger_name": "c.e.shop.OrderController"}
QUOTES: dict[str, Callable[[str], str]] = {
    "in quotation marks": lambda text: spring(f'new comment: "{text}"'),
    "in quotation marks of a warning": lambda text: spring(f'bad comment "{text}"', "WARN"),
    "at INFO by an application": spring,
    "at INFO by an application, in JSON": lambda text: json_record(**APPLICATION, message=text),
    "in another key": lambda text: json_record(**APPLICATION, message="comment added", comment=text),
    "in JSON behind words": lambda text: spring("received " + json.dumps({"message": text})),
    "in a value": lambda text: spring(f"search q={text}"),
    "in an access log": lambda text: ACCESS.format(text=text),
    "behind a mark of quotation": lambda text: spring(f"> {text}"),
    "behind a word": lambda text: spring(f"comment: {text}"),
    "behind a word, in a layout like RocketMQ's": lambda text: line(f"comment: {text}", level="INFO"),
    "behind a mark, in a layout like RocketMQ's": lambda text: line(f"> {text}", level="INFO"),
}


def changed(log: ReadLog) -> bool:
    """Whether its lines told anything but times."""
    tally = log.tally
    return tally != LogTally(
        tally.path,
        tally.kind,
        seconds_only=tally.seconds_only,
        zone_minutes=tally.zone_minutes,
        span=tally.span,
    )


SHARES = 4
"""parts of the statements, of which each form has one in every run, so that each statement is in several forms"""


def in_every_run(place: int) -> list[Row]:
    """The part of the statements that the form at this place has in every run."""
    return ROWS[place % SHARES :: SHARES]


def assert_not_counted(quote: Callable[[str], str], given: Sequence[Row]) -> None:
    if changed(read(USUAL + "".join(quote(row.example) for row in given))):
        for row in given:
            assert not changed(read(USUAL + quote(row.example))), row


@one_in_each_run(4)
@pytest.mark.parametrize(("place", "quote"), list(enumerate(QUOTES.values())), ids=QUOTES)
def test_no_quoted_statement_counts(place: int, quote: Callable[[str], str]) -> None:
    assert_not_counted(quote, in_every_run(place))


@NIGHTLY
@pytest.mark.parametrize("quote", QUOTES.values(), ids=QUOTES)
def test_no_quoted_statement_of_all_counts(quote: Callable[[str], str]) -> None:
    assert_not_counted(quote, ROWS)


IN_A_VALUE = [
    row
    for row in ROWS
    if not re.search("[,;)\\]}]|ErrMsg:|remark: ", row.example[: row.example.find(row.literal)])
]
"""statements before which nothing stands that may end a value"""


@pytest.mark.parametrize(
    ("place", "begin", "level"), [(0, "user_text=", "WARN"), (1, "bad comment, text=", "ERROR")]
)
def test_no_statement_counts_in_a_value_of_a_warning(place: int, begin: str, level: str) -> None:
    """A value is a text of several words until a comma, and not where its first word is an identifier."""

    def quote(text: str) -> str:
        return spring(begin + text, level)

    assert_not_counted(quote, IN_A_VALUE[place::2])
    for words in ("Terminating due to ", "Error: ", "systemd[1]: broker.service: Main process exited, "):
        told = (
            "code=killed, status=9/KILL"
            if "systemd" in words
            else "java.lang.OutOfMemoryError: Java heap space"
        )
        assert not changed(read(USUAL + quote(words + told)))
        assert changed(read(USUAL + spring(words + told, level)))
    for text in ("order=17 ", "topic=orders, ", "topic=orderTopic failed: ", "cause=", "e="):
        assert changed(read(USUAL + spring(text + "java.lang.OutOfMemoryError: Java heap space", level))), text


def own_lines(row: Row, wrap: Callable[[str, str], str]) -> str:
    """A statement where its program prints it: a record, or lines below one."""
    level = (row.statement.levels or ("ERROR",))[0]
    match row.statement.place:
        case "message":
            return wrap(level, row.example)
        case "head":
            return ""
        case "thread":
            return ""
        case "exception":
            return wrap("ERROR", "it failed") + row.example + "\n"
        case "printed":
            return wrap("WARN", f"sent: {row.example}")
        case _:
            return row.example + "\n"


START = line("x", level="INFO")
"""a line with a time, for layouts without any"""


def docker(text: str) -> str:
    """Each line as docker's json-file driver keeps it."""
    return "".join(
        json.dumps({"log": one + "\n", "stream": "stdout", "time": "2026-11-21T12:00:01.250Z"}) + "\n"
        for one in text.splitlines()
    )


def kubectl(text: str) -> str:
    return "".join(f"[pod/shop-6f/app] 2026-11-21T12:00:01.250Z {one}\n" for one in text.splitlines())


def containerd(text: str) -> str:
    return "".join(f"2026-11-21T12:00:01.250Z stdout F {one}\n" for one in text.splitlines())


def plain(text: str) -> str:
    return text


LAYOUTS: dict[str, Callable[[str, str], str]] = {
    "RocketMQ's own": lambda level, text: line(text, level=level),
    "clients of 4.x": lambda level, text: line(text, CLIENT_4, level=level),
    "clients of 5.x": lambda level, text: line(text, CLIENT_5, level=level),
    "Spring Boot": lambda level, text: spring(text, level, "RocketmqClient"),
    "Spring Boot, remoting": lambda level, text: spring(text, level, "RocketmqRemoting"),
    "Spring Boot, shortened": lambda level, text: spring(text, level, "o.a.r.c.impl.consumer.PullAPIWrapper"),
    "Spring Boot, 3.x": lambda level, text: spring(text, level, "c.a.r.client.impl.factory.MQClient"),
    "logback": lambda level, text: f"20:00:01.123 [main] {level} RocketmqClient - {text}\n",
    "log4j in brackets": lambda level, text: (
        f"[2026-11-21 20:00:01,123][{level}][main][RocketmqCommon] {text}\n"
    ),
    "level and logger in JSON": lambda level, text: json_record(
        level=level, logger_name="org.apache.rocketmq.client.impl.MQClientAPIImpl", message=text
    ),
    "without level and logger": lambda level, text: f"{text}\n",
}
ROWS_OF_A_LOG = 150
COLLECTORS = {"no collector": plain, "docker": docker, "kubectl": kubectl, "containerd": containerd}


@one_in_each_run(3)
@pytest.mark.parametrize(
    ("layout", "collector"),
    some_later(
        product(LAYOUTS, COLLECTORS),
        lambda pair: pair[0] != "RocketMQ's own" and pair[1] != "no collector",
        layer=CHECK,
    ),
)
def test_no_own_statement_is_lost(layout: str, collector: str) -> None:
    """Each layout by itself, and one behind each collector; all pairs are a check.

    Logs with a wide line, so that no line is taken for one that a terminal wrapped.

    Each log has a part of the rows of each subject: all lines of other programs would make a log an application's.
    """
    assert_not_lost(layout, collector, in_every_run([*LAYOUTS, *COLLECTORS].index(layout) + len(collector)))


@CHECK
@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_own_statement_of_all_is_lost(layout: str) -> None:
    assert_not_lost(layout, "no collector", ROWS)


def assert_not_lost(layout: str, collector: str, given: Sequence[Row]) -> None:
    if layout == "without level and logger":
        # what excuses must stand in a record, as the next test shows
        given = [row for row in given if not row.statement.recorded]
    wrap, collect = LAYOUTS[layout], COLLECTORS[collector]
    head = START + collect(wrap("INFO", "order received " + "and packed " * 30) * 3)
    hits = 0
    parts = -(-len(given) // ROWS_OF_A_LOG)
    for part in range(parts):
        rows = given[part::parts]
        log = read(head + "".join(collect(own_lines(row, wrap)) for row in rows))
        if log.quoted.not_own:
            lost = [row for row in rows if read(head + collect(own_lines(row, wrap))).quoted.not_own]
            pytest.fail(f"not in their own place: {', '.join(map(str, lost))}")
        hits += log.counts.hit_lines + log.counts.hit_lines_unseen
    # JSON escapes the quotes in some literals, and some rows have the same line
    assert hits >= 0.85 * len(given)


def test_a_line_without_a_time_among_records_excuses_nothing() -> None:
    for excuse in ("Shutdown hook was invoked, 1", "note Shutdown hook was invoked, 1"):
        for text in (excuse + "\n" + START, START + excuse + "\n"):
            assert not changed(read(text)), excuse
    assert changed(read(START + line("Shutdown hook was invoked, 1")))


def test_threads_and_settings_in_heads() -> None:
    for text in (
        "2026-11-21 20:00:01 INFO SpringContextShutdownHook - bye\n",
        spring("bye").replace("nio-8080-exec-1", "SpringApplicationShutdownHook"),
        json_record(level="INFO", thread_name="SpringContextShutdownHook", message="bye"),
    ):
        (event,) = facts(text).events
        assert event.kind == "shutdown-hook-ran", text
    assert not facts(spring("SpringContextShutdownHook is a thread")).events
    assert facts("2026-11-21 20:00:01 INFO main - brokerRole=SLAVE\n").settings == {"brokerRole": "SLAVE"}
    assert not facts(spring("comment - brokerRole=SLAVE")).settings


def report(tmp_path: Path, text: str) -> Report:
    path = tmp_path / "app.log"
    path.write_text(text)
    return diagnose_logs([path]).report


OUT_OF_MEMORY = "java.lang.OutOfMemoryError: Java heap space"


def test_quoted_lines_are_counted_and_shown(tmp_path: Path) -> None:
    found = report(tmp_path, USUAL + spring(f"search q={OUT_OF_MEMORY}") * 2 + spring("other"))
    assert not found.findings
    assert found.answer.state == "undecided"
    assert [given.quoted for given in found.inputs] == [2]
    assert found.logs is not None
    assert [(one.line, one.quotes) for one in found.logs.quoted] == [
        (41, "java.lang.OutOfMemoryError"),
        (42, "java.lang.OutOfMemoryError"),
    ]
    assert "search q=" in found.logs.quoted[0].text
    assert found.logs.files[0].event_lines == 0


def test_words_of_a_statement_that_say_nothing_are_not_quoted(tmp_path: Path) -> None:
    found = report(tmp_path, USUAL + spring("HAClient connect to master null failed"))
    assert [given.quoted for given in found.inputs] == [0]


@folded(
    "text",
    [
        spring(f"send failed: {OUT_OF_MEMORY}", "ERROR"),
        spring("send failed", "ERROR") + OUT_OF_MEMORY + "\n\tat a.B.c(B.java:1)\n",
        spring("send failed")
        + "java.lang.RuntimeException: x\n\tat a.B.c(B.java:1)\nCaused by: "
        + OUT_OF_MEMORY
        + "\n",
        spring(f"send failed, e={OUT_OF_MEMORY}", "WARN"),
        f'Exception in thread "main" {OUT_OF_MEMORY}\n',
    ],
)
def test_exceptions_that_an_application_prints_stay(text: str) -> None:
    assert [event.kind for event in facts(USUAL + text).events] == ["out-of-memory"]


def test_a_record_in_json_counts_among_such_records_alone() -> None:
    text = json_record(level="ERROR", logger="c.e.shop.Orders", message="failed", stack_trace=OUT_OF_MEMORY)
    usual = "".join(json_record(**APPLICATION, message=f"order {number}") for number in range(40))
    assert [event.kind for event in facts(usual + text).events] == ["out-of-memory"]
    assert not facts(USUAL + text).events


@folded(
    "text",
    [
        spring(f"search failed, q={OUT_OF_MEMORY}", "ERROR"),
        spring(f"cannot open http://a/{OUT_OF_MEMORY}", "ERROR"),
        spring(f"cannot open /search?text={OUT_OF_MEMORY}", "ERROR"),
        spring(f"bad comment '{OUT_OF_MEMORY}'", "ERROR"),
        json_record(level="ERROR", logger="c.e.shop.Orders", message="bad", comment=OUT_OF_MEMORY),
    ],
)
def test_what_a_user_sent_is_quoted_at_any_level(text: str) -> None:
    assert not facts(USUAL + text).events


def test_a_forged_hook_is_no_excuse(tmp_path: Path) -> None:
    """Threads that a shutdown interrupts are in order, and a line of a user is no shutdown."""
    case = FIXTURES / "client-interrupted-4.9.7" / "consumer"
    logs = {file.name: gzip.decompress(file.read_bytes()) for file in case.glob("*.log.gz")}
    forged = spring('received order, note="Shutdown hook was invoked, 1"').encode()

    def answer(more: bytes) -> tuple[str, list[str]]:
        for name, data in logs.items():
            (tmp_path / name).write_bytes(data + more)
        found = diagnose_logs(sorted(tmp_path.glob("*"))).report
        return found.answer.state, [one.rule for one in found.findings]

    assert answer(b"") == answer(forged)
    assert answer(b"")[0] == "fault"


def test_a_harmless_text_behind_words_is_not_harmless() -> None:
    own = "Connections are insecure as SSLContext is null!"
    for text, harmless in (
        (line(own, CLIENT_4), 1),
        (spring(own, "WARN", "RocketmqRemoting"), 1),
        (spring(own, "WARN"), 0),
        (spring(f"comment: {own}", "WARN", "RocketmqRemoting"), 0),
    ):
        lines = facts(USUAL + text).level_lines
        assert lines is not None
        assert (lines.harmless, lines.foreign) == (harmless, 1 - harmless), text


def test_one_known_line_does_not_speak_for_a_log_of_an_unknown_layout(tmp_path: Path) -> None:
    strange = "".join(f"{number} units were moved to the other shelf\n" for number in range(60))
    known = json_record(level="INFO", logger="RocketmqClient", message="[persistAll] nothing to do")
    hook = line("Shutdown hook was invoked, 1", level="INFO")
    assert report(tmp_path, strange + known + hook).answer.state == "undecided"
    assert known_heads(strange.encode())[0] == 0
    assert known_heads(USUAL.encode())[0] == 1
    assert known_heads(b"  at a.B.c(B.java:1)\n") == (None, 0)


@folded(
    "text, level, logger",
    [
        ("", None, None),
        ("2026-11-21 20:00:01 WARN main - ", "WARN", None),
        ("2026-11-21 12:00:01,001 WARN RocketmqClient - ", "WARN", "RocketmqClient"),
        ("2026-11-21 20:00:01.123  WARN 1 --- [main] c.e.App                 : ", "WARN", "c.e.App"),
        ("2026-11-21 20:00:01.123  WARN 1 --- [main] RocketmqClient          : ", "WARN", "RocketmqClient"),
        ("[2026-11-21 20:00:01][SEVERE][main] ", "ERROR", None),
        ("Nov 21 20:00:01 host java[42]: ", None, None),
        ('time="2026-11-21T20:00:01Z" level=warning msg="', "WARN", None),
        ("shop-1  | 20:00:01.123 [main] ERROR o.a.r.c.impl.X - ", "ERROR", "o.a.r.c.impl.X"),
    ],
)
def test_heads(text: str, level: str | None, logger: str | None) -> None:
    head = head_of(text)
    assert head is not None
    assert head.level == level
    assert head.logger == logger


@folded(
    "text",
    [
        "2026-11-21 20:00:01 WARN main - comment: ",
        "2026-11-21 20:00:01 WARN main - The user said ",
        "2026-11-21 20:00:01 WARN main - Comment ",
        'GET "/',
        "q=",
        "2026-11-21 20:00:01 WARN main - > ",
        "a user said ",
        "https://example.org/ ",
    ],
)
def test_what_is_no_head(text: str) -> None:
    assert head_of(text) is None


@pytest.mark.parametrize(
    "line",
    [
        'CommandLine flags: -XX:+PrintGC -XX:Note="{pause}" -XX:+UseG1GC',
        '[0.012s][info][gc,init] CommandLine flags: -Dnote="{pause}"',
        'jvm_args: -Xmx1g -Dnote="{pause}" -Dx=1',
        "jvm_args: -Dnote={pause}",
        "Command line:  -Dnote={pause}",
        "VM Arguments: -Dnote={pause}",
        "note={pause}",
    ],
)
@pytest.mark.parametrize(
    "pause",
    [
        "[gc] GC(3) Pause Full (Allocation Failure) 98M->97M(100M) 25000.000ms",
        "[1.000s][info][gc] GC(3) Pause Full (Allocation Failure) 98M->97M(100M) 25000.000ms",
        "1.000: [Full GC (Allocation Failure) 98M->97M(100M), 25.0000000 secs]",
    ],
)
def test_a_pause_in_a_command_line_is_none(line: str, pause: str) -> None:
    own = "[{n}.000s][info][gc] GC({n}) Pause Young (Normal) (G1 Evacuation Pause) 24M->3M(256M) 2.000ms\n"
    found = facts(line.format(pause=pause) + "\n" + "".join(own.format(n=n) for n in range(4, 9)))
    assert [(row.collections, row.full) for row in found.gc] == [(5, 0)]


@pytest.mark.parametrize(
    "line",
    [
        "[0.186s][info][class,load  ] {name} source: shared objects file",
        "[2026-11-29T10:00:00.186+0000][info][class,load] {name} source: jrt:/java.base",
        "[0.186s] {name} source: jrt:/java.base",
        "{name} source: jrt:/java.base",
        "[Loaded {name} from /usr/lib/jvm/jre/lib/rt.jar]",
    ],
)
def test_a_class_of_an_error_that_the_jvm_loads_is_no_error(line: str, tmp_path: Path) -> None:
    loaded = "".join(
        line.format(name=f"java.lang.{name}") + "\n"
        for name in ("Object", "OutOfMemoryError", "StackOverflowError", "NoClassDefFoundError")
    )
    assert report(tmp_path, loaded * 12).findings == ()


def test_what_the_jvm_prints_at_its_end_continues_no_record() -> None:
    usual = "".join(spring(f"order {number} done", "INFO") for number in range(60))
    for words in ("Terminating due to ", "Aborting due to "):
        (event,) = facts(f"{usual}{words}java.lang.OutOfMemoryError: Java heap space\n").events
        assert event.kind == "out-of-memory"
