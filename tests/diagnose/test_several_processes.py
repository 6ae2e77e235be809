"""Lines of several pods, containers or hosts in one file: each has the verdict that a file of its own would have."""

from __future__ import annotations

import bz2
import gzip
import io
import tarfile
from collections.abc import Callable
from functools import cache
from itertools import zip_longest
from pathlib import Path

import pytest

from mqdiag.config import Settings
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.diagnose.judge import Diagnosis
from mqdiag.diagnose.sort.route import diagnose_routed_logs, diagnose_routed_stacks
from mqdiag.findings import Report
from mqdiag.language import english
from mqdiag.progress import Silent
from mqdiag.read.named_lines import MOST_NAMES, has_several
from tests.layers import one_in_each_run

FIXTURES = Path(__file__).parents[2] / "fixtures"
PREFIXES: dict[str, Callable[[str], str]] = {
    "kubectl": lambda name: f"[pod/{name}-7d9f6bdc4f-x2abc/app] ",
    "compose": lambda name: f"{name + '-1':8}  | ",
    "compose before the longest name": lambda name: f"{name}-1  | ",
    "stern": lambda name: f"{name}-7d9f6bdc4f-x2abc app ",
    "stern of a short name": lambda name: f"{name}-7f app ",
    "ansible": lambda name: f"[{name}.prod] ",
    "pdsh": lambda name: f"{name}.prod: ",
    "pssh with addresses": lambda name: f"10.0.0.{len(name)}: ",
}
TOGETHER = {"line by line": 1, "seven lines each": 7, "block by block": 1 << 30}
RECORD = "2026-11-20 10:00:{:02},001 INFO [main] c.a.Shop - order {}\n"


def by_incident(*paths: Path) -> Diagnosis:
    return diagnose_incident(paths)


def by_stacks(*paths: Path | str) -> Diagnosis:
    return diagnose_routed_stacks([str(path) for path in paths], Settings(), Silent())


def by_logs(*paths: Path | str) -> Diagnosis:
    return diagnose_routed_logs([str(path) for path in paths], Settings(), Silent())


COMMANDS = {"diagnose": by_incident, "stacks": by_stacks, "logs": by_logs}


@cache
def series(name: str) -> str:
    """The dumps of a series one after the other."""
    with tarfile.open(FIXTURES / "stacks" / name / "series.tar.gz") as given:
        files = [given.extractfile(member) for member in given.getmembers() if member.isfile()]
        return "".join((file or io.BytesIO()).read().decode() for file in files)


def log_of(folder: Path) -> str:
    return gzip.decompress(next(iter(sorted(folder.rglob("*.log.gz")))).read_bytes()).decode()


def together(form: str, count: int, **texts: str) -> str:
    """Texts of processes by name, so many lines of one before those of the next."""
    given = [
        [PREFIXES[form](name) + line for line in text.splitlines(keepends=True)] for name, text in texts.items()
    ]
    turns = ([lines[at : at + count] for at in range(0, len(lines), count)] for lines in given)
    return "".join(line for turn in zip_longest(*turns, fillvalue=[]) for lines in turn for line in lines)


def written(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def verdict(report: Report) -> tuple[str, list[tuple[str, str, str]]]:
    found = [(one.rule, one.severity.value, one.confidence.value) for one in report.findings]
    return report.answer.state, sorted(found)


def names(report: Report) -> list[str]:
    return [Path(given.path).name for given in report.inputs]


@one_in_each_run(4)
@pytest.mark.parametrize("count", TOGETHER.values(), ids=TOGETHER)
@pytest.mark.parametrize("form", PREFIXES)
def test_dumps_of_two_processes_give_what_their_own_files_give(form: str, count: int, tmp_path: Path) -> None:
    texts = {"shop": series("idle"), "mq": series("jdk8-deadlock")}
    own = by_incident(*(written(tmp_path, f"{name}.log", text) for name, text in texts.items())).report
    assert own.answer.state == "fault"
    path = written(tmp_path, "all.log", together(form, count, **texts))
    for command in COMMANDS.values():
        report = command(path).report
        assert verdict(report) == verdict(own)
        assert len(report.inputs) == 2
        assert all(given.complete for given in report.inputs)


def test_each_process_is_an_input_by_its_name(tmp_path: Path) -> None:
    texts = {"shop": series("idle"), "mq": series("jdk8-idle")}
    path = written(tmp_path, "all.log", together("compose", 7, **texts))
    assert names(by_stacks(path).report) == ["all.log!shop-1", "all.log!mq-1"]
    path = written(tmp_path, "pods.log", together("kubectl", 7, **texts))
    assert names(by_stacks(path).report) == [
        "pods.log!shop-7d9f6bdc4f-x2abc app",
        "pods.log!mq-7d9f6bdc4f-x2abc app",
    ]


@one_in_each_run(5)
@pytest.mark.parametrize("form", PREFIXES)
def test_logs_of_two_processes_give_what_their_own_files_give(form: str, tmp_path: Path) -> None:
    folders = {"shop": "client-expired-5.3.3", "mq": "disk-full-5.3.3"}
    texts = {name: log_of(FIXTURES / "logs" / folder) for name, folder in folders.items()}
    own = by_logs(*(written(tmp_path, f"{name}.log", text) for name, text in texts.items())).report
    path = written(tmp_path, "all.log", together(form, 1, **texts))
    for command in COMMANDS.values():
        report = command(path).report
        assert verdict(report) == verdict(own)
        assert len(report.inputs) == 2


STARTED = "[+] Running 2/2\n \u2714 Container mq-1  Created  0.0s\nAttaching to mq-1, shop-1\n"
WRITTEN: dict[str, Callable[[str], bytes]] = {
    "gzip": lambda text: gzip.compress(text.encode()),
    "bzip2": lambda text: bz2.compress(text.encode()),
    "UTF-16 of PowerShell": lambda text: text.encode("utf-16"),
    "UTF-8 with its mark": lambda text: text.encode("utf-8-sig"),
    "lines of Windows": lambda text: text.replace("\n", "\r\n").encode(),
    "without blanks at the ends": lambda text: "\n".join(map(str.rstrip, text.split("\n"))).encode(),
    "names in colour": lambda text: "".join(
        "\x1b[36m" + line.replace("| ", "|\x1b[0m ", 1) for line in text.splitlines(keepends=True)
    ).encode(),
    "what compose says of its containers": lambda text: f"{STARTED}{text}mq-1 exited with code 0\n".encode(),
}


@one_in_each_run(4)
@pytest.mark.parametrize("write", WRITTEN.values(), ids=WRITTEN)
def test_it_does_not_matter_how_the_text_is_written(write: Callable[[str], bytes], tmp_path: Path) -> None:
    text = together("compose", 7, shop=series("idle"), mq=series("jdk8-deadlock"))
    path = written(tmp_path, "all.log", write(text))
    for command in COMMANDS.values():
        report = command(path).report
        assert report.answer.state == "fault"
        assert names(report) == ["all.log!shop-1", "all.log!mq-1"]


@pytest.mark.parametrize("form", PREFIXES)
def test_a_text_of_one_process_stays_whole(form: str, tmp_path: Path) -> None:
    path = written(tmp_path, "all.log", together(form, 1, mq=series("jdk8-deadlock")))
    assert not has_several(str(path), path.read_bytes())
    assert names(by_incident(path).report) == ["all.log"]


@one_in_each_run(2)
@pytest.mark.parametrize("command", [by_stacks, by_logs], ids=["stacks", "logs"])
@pytest.mark.parametrize("form", ["kubectl", "compose", "stern"])
def test_names_are_seen_at_the_beginning_of_standard_input(
    form: str, command: Callable[[str], Diagnosis], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {"shop": series("idle"), "mq": series("jdk8-deadlock")}
    for own in (texts, {"mq": texts["mq"]}):
        path = written(tmp_path, "all.log", together(form, 1, **own))
        with path.open() as given:
            monkeypatch.setattr("sys.stdin", given)
            report = command("-").report
        assert report.answer.state == "fault"
        assert len(report.inputs) == len(own)


NO_PROCESSES = {
    "a log": "".join(RECORD.format(at, at) for at in range(50)),
    "threads before their times": "".join(f"main-{at % 3} c.a.Shop order {at}\n" for at in range(50)),
    "threads in brackets": "".join(f"[pool-1-thread-{at % 3}] {RECORD.format(at, at)}" for at in range(50)),
    "levels": "".join(f"{'INFO' if at % 2 else 'WARN'}   | {RECORD.format(at, at)}" for at in range(50)),
    "the main thread in brackets": "".join(
        f"[{('main', 'worker-1')[at % 2]}] {RECORD.format(at, at)}" for at in range(50)
    ),
    "levels in brackets": "".join(f"[{('info', 'WARN')[at % 2]}] {RECORD.format(at, at)}" for at in range(50)),
    "levels before a colon": "".join(
        f"{('INFO', 'warn')[at % 2]}: {RECORD.format(at, at)}" for at in range(50)
    ),
    "settings with colons": "".join(f"broker-{at % 2}: sendThreads={at}\n" for at in range(50)),
    "days": "".join(f"2026-11-{at % 2 + 10}  | 10:00:{at:02} INFO order {at}\n" for at in range(50)),
    "a table with times": "".join(f"broker-{at}  | 2026-11-20 10:00:{at:02}\n" for at in range(50)),
    "settings": "".join(f"broker-{at % 2}  | sendThreads = {at}\n" for at in range(50)),
    "one blank before the bar": "".join(f"broker-{at % 2} | {RECORD.format(at, at)}" for at in range(50)),
    "YAML": "".join(f"key-{at % 2}: |\n  {RECORD.format(at, at)}" for at in range(50)),
    "prose": "".join(f"well-known words and so on {at}\n" for at in range(50)),
    "few of the lines": RECORD.format(0, 0) * 10
    + "".join(f"mq-{at % 2}  | {RECORD.format(at, at)}" for at in range(50)),
}


@pytest.mark.parametrize("text", NO_PROCESSES.values(), ids=NO_PROCESSES)
def test_other_texts_stay_whole(text: str, tmp_path: Path) -> None:
    path = written(tmp_path, "all.log", text)
    assert not has_several(str(path), path.read_bytes())
    assert names(by_incident(path).report) == ["all.log"]


def test_lines_behind_many_without_a_name_are_of_nobody(tmp_path: Path) -> None:
    named = "".join(f"mq-{at % 2}  | {RECORD.format(at % 60, at)}" for at in range(1_000))
    path = written(tmp_path, "all.log", named + RECORD.format(1, 1) * 1_000)
    assert names(by_incident(path).report) == ["all.log"]


@one_in_each_run(3)
@pytest.mark.parametrize("form", ["kubectl", "compose", "stern"])
def test_too_many_names_are_told_in_one_line_and_the_text_is_read_whole(form: str, tmp_path: Path) -> None:
    names = [f"shop{number}" for number in range(10_000)]
    text = "".join(PREFIXES[form](name) + RECORD.format(1, at) for name in names for at in range(3))
    path = written(tmp_path, "all.log", text)
    for command in COMMANDS.values():
        inputs = command(path).report.inputs
        assert [given.path for given in inputs] == [str(path)] * 2
        [error] = [english()(given.error) for given in inputs if given.error is not None]
        assert error.startswith(f"holds lines of more than {MOST_NAMES} pods or containers")
