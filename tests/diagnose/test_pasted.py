"""A thread dump in a log is of the log's own process, or a text that somebody pasted into it."""

from __future__ import annotations

import io
import json
import re
import tarfile
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.findings import Report
from tests.layers import CHECK, one_in_each_run

FIXTURES = Path(__file__).parents[2] / "fixtures/stacks"
with tarfile.open(FIXTURES / "jdk8-deadlock/series.tar.gz") as given:
    DUMP = (given.extractfile("j1.log") or io.BytesIO()).read().decode()
AT = datetime.fromisoformat(re.findall(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", DUMP)[0])


def lines(first: int, count: int = 30, days: float = 0, *, own: bool = True) -> Iterator[str]:
    """Lines of a ticket system, by the seconds since the dump, of threads that are in it unless it is not its own."""
    for number in range(first, first + count):
        logger = ("c.t.Tickets", "c.t.Mail")[number % 2]
        thread = f"ConsumeMessageThread_CID_jdk8-deadlock_{number % 4}" if own else f"http-{number % 4}"
        yield f"{AT + timedelta(days=days, seconds=number)},123 INFO [{thread}] {logger} - ticket {number}"


def log(*parts: str, days: float = 0, own: bool = True) -> str:
    """Parts of a log within lines of its own."""
    return "\n".join([*lines(-30, days=days, own=own), *parts, *lines(1, days=days, own=own)]) + "\n"


def message(text: str, days: float = 0) -> str:
    """The beginning of a message that holds a text."""
    return f"{AT + timedelta(days=days)},500 INFO [http-1] c.t.Tickets - new ticket: {text}"


def in_json() -> str:
    """The log of a program that writes JSON, with a ticket in one record."""
    rows = [
        {
            "@timestamp": f"{AT.isoformat()}Z",
            "level": "INFO",
            "logger_name": "c.t.T",
            "message": f"order {number}",
        }
        for number in range(30)
    ]
    rows[20]["message"] = "ticket: my consumer hangs\n" + DUMP
    rows[25]["message"] = DUMP
    return "".join(json.dumps(row) + "\n" for row in rows)


def quoted(prefix: str) -> str:
    """The dump behind a prefix of its own."""
    return "\n".join(prefix + line for line in DUMP.splitlines())


PASTED: dict[str, Callable[[], str]] = {
    "quoted in a mail": lambda: log(message("see below"), quoted("> ")),
    "indented": lambda: log(message("see below"), quoted("    ")),
    "behind a bar": lambda: log(message("see below"), quoted("| ")),
    "by a logger": lambda: log(quoted(f"{AT},500 INFO [http-1] c.t.Tickets - ")),
    "in quotation marks": lambda: log(message('text="' + DUMP.split("\n", 1)[1] + '"')),
    "of another day": lambda: log(message("hangs", 3), DUMP, days=3),
    "of another hour": lambda: log(message("hangs", 2 / 24), DUMP, days=2 / 24),
    "twice of another day": lambda: log(message("hangs", 3), DUMP, DUMP, days=3),
    "far behind its message": lambda: log(message("x" * 5000, 3), DUMP, days=3),
    "behind many lines": lambda: log(message("a\n" * 3000, 3), DUMP, days=3),
    "without its date": lambda: log(message("hangs"), DUMP.split("\n", 1)[1]),
    "without its head": lambda: log(message("hangs"), DUMP[DUMP.index('\n"') + 1 :]),
    "in a value of JSON": in_json,
}


def docker(text: str) -> str:
    """A console in docker's file."""
    return "".join(
        json.dumps({"log": line + "\n", "stream": "stdout", "time": f"{AT.isoformat()}.000000000Z"}) + "\n"
        for line in text.splitlines()
    )


OWN: dict[str, Callable[[], str]] = {
    "console": lambda: log(DUMP),
    "a quiet console": lambda: "\n".join([*lines(-9000, 3), DUMP, *lines(9000, 3)]),
    "a console that hangs": lambda: "\n".join([*lines(-90_000, 30), DUMP]),
    "docker": lambda: docker(log(DUMP)),
    "kubectl --timestamps": lambda: "".join(
        f"{AT.isoformat()}.000000000Z {line}\n" for line in log(DUMP).splitlines()
    ),
    "compose": lambda: "".join(f"tickets-1  | {line}\n" for line in log(DUMP).splitlines()),
    "a mail with the dump alone": lambda: "Hello,\n\n" + quoted("> "),
    "a log in UTC": lambda: log(DUMP, days=-8 / 24).replace(",123 ", ".123Z "),
    "cut in its dump": lambda: DUMP[len(DUMP) // 9 :] + "\n".join(lines(1)),
}


def deadlocks(report: Report) -> list[str]:
    """How the report tells the deadlock."""
    return [f"{one.severity}/{one.confidence}" for one in report.findings if one.rule == "deadlock"]


@one_in_each_run(2)
@pytest.mark.parametrize("read", [diagnose_incident, diagnose_stacks], ids=["diagnose", "stacks"])
def test_pasted_dumps_are_information(tmp_path: Path, read: Callable[..., object]) -> None:
    """At most of medium confidence, never a fault of the log's process, and named."""
    wrong = {}
    for name, make in PASTED.items():
        path = tmp_path / f"{name.replace(' ', '-')}.log"
        path.write_text(make())
        report = read([str(path)]).report  # type: ignore[attr-defined]
        told = {
            (one.severity.value, one.confidence.value) for one in report.findings if one.seen_in == ("stacks",)
        }
        named = sum(given.pasted for given in report.inputs) > 0
        state = report.answer.state
        if (
            told - {("info", "medium"), ("info", "low")}
            or not named
            or not deadlocks(report)
            or state != "undecided"
        ):
            wrong[name] = told, named, deadlocks(report), state
    assert not wrong


@CHECK
def test_dumps_of_the_own_process_count(tmp_path: Path) -> None:
    """What `kill -3` prints stays an error of high confidence, in every wrapping."""
    wrong = {}
    for name, make in OWN.items():
        path = tmp_path / f"{name.replace(' ', '-')}.log"
        path.write_text(make())
        report = diagnose_incident([str(path)]).report
        if deadlocks(report) != ["error/high"] or any(given.pasted for given in report.inputs):
            wrong[name] = deadlocks(report), [given.pasted for given in report.inputs]
    assert not wrong


def test_a_dump_without_the_threads_that_write_is_a_warning(tmp_path: Path) -> None:
    """Its date may be made to fit; threads of pools come and go, so that it is said all the same."""
    text = log(message("hangs"), DUMP, own=False)
    for name, wrapped in {
        "plain.log": text,
        "docker.log": docker(text),
        "end.log": text[: text.rindex("\n20")],
    }.items():
        report = diagnose_incident([str(written(tmp_path / name, wrapped))]).report
        assert deadlocks(report) == ["warning/low"], name
        assert {one.confidence.value for one in report.findings if one.seen_in == ("stacks",)} == {"low"}
        assert all(one.may_be_quoted for one in report.findings if one.is_fault)


def test_where_no_line_names_a_thread_the_loggers_tell_whose_dump_it_is(tmp_path: Path) -> None:
    """A pool of no line is in it: then code of the program that writes the log is, or the log is RocketMQ's own."""
    own, told = DUMP.split('\n"ConsumeMessageThread_')[1].split('"')[0], {}
    for begin, layout in (
        (0, "INFO com.acme.deadlock.Main - ticket"),
        (0, "INFO c.a.Main - ticket"),
        (0, "INFO RocketmqClient - ticket"),
        (11, f"[ConsumeMessageThread_{own}] INFO c.t.Tickets - ticket"),
        (0, "INFO c.t.Tickets - ticket"),
        (0, "INFO ticket"),
        (11, "[http-1] INFO c.t.Tickets - ticket"),
        (11, "INFO com.acme.T - ticket"),
        (11, "INFO ticket"),
    ):
        text = [f"{line[begin:23]} {layout} {number}" for number, line in enumerate(lines(-40, 60))]
        text.insert(40, DUMP)
        report = diagnose_stacks([str(written(tmp_path / "app.log", "\n".join(text)))]).report
        told[begin, layout] = deadlocks(report)[0]
    assert [*told.values()] == ["error/high"] * 4 + ["warning/low"] * 3 + ["error/high", "warning/low"]


def test_own_and_pasted_dumps_are_two_processes(tmp_path: Path) -> None:
    """A pasted dump is never joined with those of the process."""
    path = tmp_path / "console.log"
    path.write_text(log(message("see"), quoted("> "), DUMP))
    report = diagnose_incident([str(path)]).report
    assert deadlocks(report) == ["error/high"]
    assert [one.stacks.samples for one in report.other_processes if one.stacks is not None] == [1]
    assert [given.pasted for given in report.inputs if given.kind == "stacks"] == [1]


def test_a_pasted_dump_without_a_fault_changes_nothing(tmp_path: Path) -> None:
    """Its one sample leaves nothing open about the process that writes the log."""
    calm = re.sub(r"\nFound one Java-level deadlock.*", "\n", DUMP, flags=re.S).replace(
        "ConsumeMessageThread_", "w"
    )
    alone = diagnose_incident([str(written(tmp_path / "alone.log", log()))]).report
    both = diagnose_incident([str(written(tmp_path / "both.log", log(message("see", 3), calm, days=3)))]).report
    assert sum(given.pasted for given in both.inputs) == 1
    assert both.answer.state == alone.answer.state


def written(path: Path, text: str) -> Path:
    """A file with a text."""
    path.write_text(text)
    return path


CRASH = """#
# A fatal error has been detected by the Java Runtime Environment:
#
#  SIGSEGV (0xb) at pc=0x00007f2a5c1b2c3d, pid=7, tid=42
#
# Problematic frame:
# C  [libzip.so.1+0x4c3d]  readCEN+0x5d
#"""


def test_a_process_that_goes_on_has_not_crashed(tmp_path: Path) -> None:
    """The same head is an error where no message can hold it, and a warning where one can, or lines follow."""
    restarted = "\n".join([*lines(-30), CRASH, *lines(20)])
    named = "\n".join(line.replace("INFO [", "INFO 4711 --- [").replace(" - ", " : ") for line in lines(-30))
    in_json = "\n".join(
        json.dumps({"time": line[:23], "level": "INFO", "logger": "c.t.T", "msg": line[60:]})
        for line in lines(-30)
    )
    goes_on = "\n".join(line.replace(",123", f",{part}") for line in lines(-30, 80) for part in (123, 723))
    cut = goes_on.index(f"ticket {5}")
    pasted = goes_on[:cut] + "my JVM says\n" + CRASH + "\n" + goes_on[cut:]
    told = {}
    for name, text in {
        "restarted": restarted,
        "ended": log(CRASH).split("#\n2026")[0],
        "short": "\n".join([*lines(-10, 10), CRASH]),
        "below records in JSON": f"{in_json}\n{CRASH}",
        "of the process that all lines name": f"{named}\n{CRASH}".replace("pid=7", "pid=4711"),
        "of another one": f"{named}\n{CRASH}".replace("pid=7", "pid=4712"),
        "pasted": pasted,
    }.items():
        report = diagnose_incident([str(written(tmp_path / f"{name}.log", text))]).report
        (crash,) = (found for found in report.findings if found.rule == "jvm-crash")
        count = sum(given.pasted for given in report.inputs)
        told[name] = crash.severity.value, crash.confidence.value == "high", count, report.answer.state
    assert told == {
        "restarted": ("warning", False, 0, "fault"),
        "ended": ("warning", False, 0, "fault"),
        "short": ("error", True, 0, "fault"),
        "below records in JSON": ("error", True, 0, "fault"),
        "of the process that all lines name": ("error", True, 0, "fault"),
        "of another one": ("warning", False, 0, "fault"),
        "pasted": ("info", False, 1, "undecided"),
    }


@pytest.mark.parametrize("between", ["", "\n", "\n\n", "my list:\n\n"])
def test_an_answer_of_mqadmin_below_lines_of_a_log_may_be_a_part_of_its_last_message(
    between: str, tmp_path: Path
) -> None:
    """A message has blank lines too."""
    answer = "#Cluster Name  #Broker Name  #BID  #Addr  #Version\n"
    text = "\n".join([*lines(-30), message("look"), between + answer])
    report = diagnose_incident([str(written(tmp_path / "app.log", text))]).report
    told = next(one for one in report.findings if one.rule == "broker-forgotten")
    assert (told.severity.value, told.confidence.value) == ("warning", "low")


@pytest.mark.parametrize("forged", ["{}\nFull thread dump x", "y\n{}\nFull thread dump x"])
@pytest.mark.parametrize("name", ["main", "NettyClientPublicExecutor_2"])
def test_a_date_in_the_name_of_a_thread_is_no_clock(name: str, forged: str, tmp_path: Path) -> None:
    with tarfile.open(FIXTURES / "idle/series.tar.gz") as idle:
        for member in idle.getmembers():
            text = (idle.extractfile(member) or io.BytesIO()).read().decode()
            if "j5" in member.name:
                text = text.replace(f'"{name}"', f'"{name} {forged.format("2026-11-29 10:00:00")}"', 1)
            written(tmp_path / Path(member.name).name, text)
    report = diagnose_incident([str(tmp_path)]).report
    assert "clock-jumped" not in {found.rule for found in report.findings}
