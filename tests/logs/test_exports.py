"""Logs as tools for many hosts and stores of logs hand them out: each has the findings of the file that it was."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.read import loki
from mqdiag.read.healing import heal
from tests.layers import one_in_each_run

LOGS = Path(__file__).parents[2] / "fixtures" / "logs"
GIVEN = {
    "a broker's file": LOGS / "pop-offset-lost-5.3.3" / "broker" / "pop.log.gz",
    "a client's file": LOGS / "client-gc-thrashing-4.9.7" / "g1-58m" / "rocketmq_client.log.gz",
    "a slow broker's file": LOGS / "sync-flush-slow-5.3.3" / "broker" / "store.log.gz",
}
Row = tuple[datetime, str]
LABELS = {"app": "mq", "pod": "mq-0"}
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
HOSTS = {
    "ansible": "[host-a] ",
    "pdsh": "host-a: ",
    "pssh with addresses": "10.0.0.7: ",
    "clush with domains": "mq-1.prod.example.com: ",
    "fabric": "[host-a] out: ",
    "bar": "host-a | ",
}


def lines_of(name: str) -> list[str]:
    return gzip.decompress(GIVEN[name].read_bytes()).decode().splitlines()


def found_in(folder: Path, text: str, name: str = "saved.log") -> list[tuple[str, str, str]]:
    """Rule, severity and confidence of each finding."""
    path = folder / name
    path.write_text(text)
    report = diagnose_logs([str(path)]).report
    return sorted((one.rule, one.severity.value, one.confidence.value) for one in report.findings)


def as_it_was(name: str, folder: Path) -> list[tuple[str, str, str]]:
    found = found_in(folder, "\n".join(lines_of(name)) + "\n", "own.log")
    assert ("error", "high") in {one[1:] for one in found}
    return found


@pytest.mark.parametrize("prefix", HOSTS.values(), ids=HOSTS)
@pytest.mark.parametrize("name", GIVEN)
def test_a_host_before_every_line_changes_nothing(name: str, prefix: str, tmp_path: Path) -> None:
    text = "".join(f"{prefix}{line}\n" for line in lines_of(name))
    assert found_in(tmp_path, text) == as_it_was(name, tmp_path)


def rows_of(lines: list[str]) -> list[Row]:
    """Each line with a time of its own that a collector gives it."""
    rows: list[Row] = []
    time = datetime(2026, 1, 1, tzinfo=UTC)
    for line in lines:
        own = _TIME.match(line)
        time = datetime.fromisoformat(own[0]).replace(tzinfo=UTC) if own is not None else time
        rows.append((time + timedelta(microseconds=len(rows)), line))
    return rows


def by_records(rows: list[Row]) -> list[Row]:
    """The rows of records, each with the lines of its stack."""
    records: list[Row] = []
    for time, line in rows:
        if records and _TIME.match(line) is None:
            records[-1] = records[-1][0], f"{records[-1][1]}\n{line}"
        else:
            records.append((time, line))
    return records


def ns(time: datetime) -> str:
    return str((time - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) * 1000)


def each(make: Callable[[datetime, str], object]) -> Callable[[list[Row]], str]:
    return lambda rows: "".join(json.dumps(make(time, line)) + "\n" for time, line in rows)


def table(head: list[str], make: Callable[[datetime, str], list[str]]) -> Callable[[list[Row]], str]:
    def write(rows: list[Row]) -> str:
        out = io.StringIO()
        csv.writer(out).writerows([head, *(make(time, line) for time, line in rows)])
        return out.getvalue()

    return write


def grafana(time: datetime, line: str) -> dict[str, object]:
    return {"line": line, "timestamp": ns(time), "date": time.isoformat(), "fields": LABELS}


def stream(rows: list[Row]) -> dict[str, object]:
    return {"stream": LABELS, "values": [[ns(time), line] for time, line in rows]}


OF_LOKI: dict[str, Callable[[list[Row]], str]] = {
    "Grafana, a row a line": each(grafana),
    "Grafana, a list": lambda rows: json.dumps([grafana(time, line) for time, line in rows]),
    "Grafana, a list over lines": lambda rows: json.dumps(
        [grafana(time, line) for time, line in rows], indent=2
    ),
    "Grafana, a table": table(["Line", "Time", "tsNs"], lambda time, line: [line, time.isoformat(), ns(time)]),
    "API": lambda rows: json.dumps(
        {"status": "success", "data": {"resultType": "streams", "result": [stream(rows)]}}
    ),
    "API over lines": lambda rows: json.dumps({"data": {"result": [stream(rows)]}}, indent=1),
    "streams": lambda rows: json.dumps(stream(rows)) + "\n",
    "logcli -o jsonl": each(lambda time, line: {"labels": LABELS, "line": line, "timestamp": time.isoformat()}),
    "logcli": lambda rows: "".join(
        f'{time:%Y-%m-%dT%H:%M:%SZ} {{app="mq", pod="mq-0"}} {line}\n' for time, line in rows
    ),
    "logcli without labels": lambda rows: "".join(
        f"{time:%Y-%m-%dT%H:%M:%SZ} {{}} {line}\n" for time, line in rows
    ),
    "logcli -o raw": lambda rows: "".join(f"{line}\n" for _, line in rows),
}
OTHERS: dict[str, Callable[[list[Row]], str]] = {
    "Elasticsearch": each(lambda time, line: {"@timestamp": time.isoformat(), "message": line}),
    "docker": each(lambda time, line: {"log": f"{line}\n", "stream": "stdout", "time": time.isoformat()}),
    "CloudWatch": table(["@timestamp", "@message"], lambda time, line: [time.isoformat(), line]),
}
ORDERS: dict[str, Callable[[list[Row]], list[Row]]] = {
    "oldest line first": lambda rows: rows,
    "newest line first": lambda rows: rows[::-1],
    "newest record first": lambda rows: by_records(rows)[::-1],
}


@one_in_each_run(8)
@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
@pytest.mark.parametrize("write", (OF_LOKI | OTHERS).values(), ids=OF_LOKI | OTHERS)
@pytest.mark.parametrize("name", GIVEN)
def test_a_saved_log_tells_what_its_file_tells(
    name: str, write: Callable[[list[Row]], str], order: Callable[[list[Row]], list[Row]], tmp_path: Path
) -> None:
    text = write(order(rows_of(lines_of(name))))
    assert found_in(tmp_path, text) == as_it_was(name, tmp_path)


TURNED = LOGS / "power-loss-4.3.2" / "slave" / "remoting.log.gz"


def test_a_log_with_few_times_is_turned_by_its_stacks(tmp_path: Path) -> None:
    lines = gzip.decompress(TURNED.read_bytes()).decode().splitlines()
    assert found_in(tmp_path, "\n".join(lines) + "\n") == []
    assert found_in(tmp_path, "\n".join(reversed(lines)) + "\n") == []


def test_lines_of_levels_are_one_log_and_those_of_pods_are_not_mixed() -> None:
    rows = rows_of([f"2026-11-21 20:00:{second:02} INFO main - step {second}" for second in range(8)])
    by_level = [
        {"stream": LABELS | {"level": str(odd)}, "values": stream(rows[odd::2][::-1])["values"]}
        for odd in (0, 1)
    ]
    by_pod = [{"stream": {"pod": str(odd)}, "values": stream(rows[odd::2][::-1])["values"]} for odd in (0, 1)]
    lines = [line for _, line in rows]
    for streams, expected in ((by_level, lines), (by_pod, lines[::2] + lines[1::2])):
        text = json.dumps({"data": {"resultType": "streams", "result": streams}})
        assert heal(text.encode()).decode().splitlines() == expected


def test_lines_without_times_keep_those_of_loki() -> None:
    rows = [
        (time, line.partition(" - ")[2])
        for time, line in rows_of([f"2026-11-21 20:00:0{at} - step {at}" for at in range(9)])
    ]
    healed = heal(json.dumps(stream(rows)).encode(), keeps_times=True).decode().splitlines()
    assert healed[1] == "2026-11-21T20:00:01.000001000Z stdout F step 1"


def test_a_record_of_a_logger_with_a_line_is_none_of_loki() -> None:
    text = each(lambda time, line: {"timestamp": ns(time), "line": line, "level": "INFO", "event": "read"})(
        rows_of([f"2026-11-21 20:00:0{at} ERROR main - step" for at in range(9)])
    ).encode()
    assert heal(text, keeps_times=True) is text


def test_a_table_whose_beginning_ends_in_a_value_is_no_empty_file() -> None:
    text = (
        b'@timestamp,@message\n2026-11-21,2026-11-21 20:00:00 INFO main - one\n2026-11-21,"it said ""no"",\nand'
    )
    assert heal(text) == b'2026-11-21 20:00:00 INFO main - one\nit said "no",\nand\n'


def test_a_record_of_something_else_among_rows_is_not_lost() -> None:
    rows = rows_of([f"2026-11-21 20:00:{second:02} INFO main - step {second}" for second in range(40)])
    text = each(grafana)(rows[:30]) + '{"level":"WARN","text":"gap"}\n' + each(grafana)(rows[30:])
    lines = heal(text.encode()).decode().splitlines()
    assert len(lines) == 41
    assert lines[30] == '{"level":"WARN","text":"gap"}'


@pytest.mark.parametrize("rest", ['["x"],', "{" * 100, "\n" * 100])
def test_what_follows_rows_and_has_none_takes_no_room(rest: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loki, "_MOST_OPEN", 1 << 10)
    text = json.dumps(stream(rows_of([f"2026-11-21 20:00:0{at} INFO main - step" for at in range(9)])))[:-2]
    row = loki.reading_of([text])
    assert row is not None
    reader = row()
    reader(text)
    for _ in range(100):
        reader(rest)
        assert len(reader._open) <= 1 << 10
    assert reader("").count("\n") == 9


@pytest.mark.parametrize("is_first", [True, False], ids=["client first", "collector first"])
def test_a_client_and_its_collector_in_one_file_tell_what_two_files_tell(
    is_first: bool, tmp_path: Path
) -> None:
    folder = LOGS / "client-gc-thrashing-4.9.7" / "g1-58m"
    texts = [
        gzip.decompress((folder / f"{name}.log.gz").read_bytes()).decode() for name in ("rocketmq_client", "gc")
    ]
    own = {one for text in texts for one in found_in(tmp_path, text)}
    assert {*found_in(tmp_path, "".join(texts if is_first else reversed(texts)))} == own
