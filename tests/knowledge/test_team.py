"""What a team knows of its own software: what its files do, whose they are in each report, and what is refused."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from mqdiag.cli import run
from mqdiag.config import Settings
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.errors import UsageError
from mqdiag.knowledge.lookup import known_holder, library_of_frame
from mqdiag.knowledge.own_code import is_own
from mqdiag.knowledge.team import Team, read_team
from mqdiag.knowledge.team.folder import files_of
from mqdiag.redact.report import redact_report
from mqdiag.render import View, formats, renderer
from mqdiag.report_json import from_json
from mqdiag.rules.catalogue import rule_files
from mqdiag.threads.wait_table import known_frames
from tests.layers import CHECK, one_in_each_run

RULES = frozenset(file.name for file in rule_files())
LIBRARY = """
packages = ["com.acme."]

[threads]
idle = ["com.acme.queue.Poller.await"]
per_call_objects = ["com.acme.http.Call"]

[[library]]
name = "Acme HTTP"
family = "http"
frames = ["com.acme.http.Client."]
remedy = ["Set acme.http.timeout, {as} 5 s."]

[[holder]]
classes = ["com.acme.cache.NearCache"]
known_as = "the near cache of Acme"
remedy = "Set acme.cache.entries."
"""
STATEMENT = """
[[statement]]
name = "payment-refused"
text = "payment {id} refused by {gateway}"
levels = ["WARN"]
loggers = ["com.acme.pay.Desk"]
severity = "error"
confidence = "high"
title = "Gateways refuse <b>payments</b>"
explanation = ["A gateway that refuses is down."]
actions = ["Call the desk."]
references = ["https://wiki.acme.example/gateways"]
"""
WORDS = """
runbook = "https://wiki.acme.example/stuck"
actions = ["Page the person on call."]
references = ["ACME-42"]
"""
FRAMES = """\
   java.lang.Thread.State: RUNNABLE
\tat sun.nio.ch.SocketDispatcher.read0(java.base@17.0.15/Native Method)
\tat java.net.Socket$SocketInputStream.read(java.base@17.0.15/Socket.java:966)
\tat com.acme.http.Client.call(Client.java:12)
\tat com.shop.PayListener.consumeMessage(PayListener.java:41)
\tat org.apache.rocketmq.client.impl.consumer.ConsumeMessageConcurrentlyService$ConsumeRequest.run(Consume.java:411)
\tat java.util.concurrent.ThreadPoolExecutor.runWorker(java.base@17.0.15/ThreadPoolExecutor.java:1136)
\tat java.lang.Thread.run(java.base@17.0.15/Thread.java:840)
"""
Team_ = Callable[..., Path]


@pytest.fixture
def folder(tmp_path: Path) -> Team_:
    """Makes a folder of knowledge of files by their paths, "__" for a slash and "_" for a hyphen in names of rules."""

    def made(**files: str) -> Path:
        for name, text in files.items():
            kind, _, file = name.partition("__")
            path = tmp_path / "acme" / kind / f"{file.replace('_', '-')}.toml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path / "acme"

    return made


def read(folder: Path) -> Team:
    return read_team(files_of(str(folder)), RULES)


def dumps(path: Path) -> Path:
    """Five samples in which two threads wait in the wrapper of the team."""
    heads = [
        f"2026-11-21 08:00:{at * 5:02d}\nFull thread dump OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode):\n\n"
        + "".join(
            f'"ConsumeMessageThread_CID_pay_{number}" #{number} prio=5 os_prio=0 cpu=1.00ms elapsed={100 + at * 5}.00s'
            f" tid=0x00007f0{number} nid=0x1{number} runnable  [0x00007f0{number}]\n{FRAMES}\n"
            for number in (1, 2)
        )
        + "JNI global refs: 20, weak refs: 0\n\n"
        for at in range(5)
    ]
    path.write_text("".join(heads))
    return path


def log(path: Path, *lines: tuple[int, str], head: str = "WARN  [main] com.acme.pay.Desk - ") -> Path:
    """Lines at seconds of one hour."""
    path.write_text(
        "".join(f"2026-11-21 20:{at // 60:02d}:{at % 60:02d}.000 {head}{text}\n" for at, text in lines)
    )
    return path


def refused(number: int) -> str:
    return f"payment {number} refused by visa"


def findings(path: Path, team: Team) -> list[Any]:
    report = diagnose_incident([path], Settings(team=team)).report
    assert not report.failed
    return [one for one in report.findings if one.rule == "team-statement"]


def report_of(folder: Path, evidence: Path, capsys: pytest.CaptureFixture[str], *more: str) -> str:
    code = run(["diagnose", str(evidence), "--knowledge", str(folder), *more])
    printed = capsys.readouterr()
    assert code in (0, 1), printed.err
    return printed.out


# libraries


def test_a_wrapper_is_named_with_its_remedy(
    folder: Team_, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = folder(libraries__acme=LIBRARY)
    report = json.loads(report_of(made, dumps(tmp_path / "j.txt"), capsys, "--format", "json"))
    (found,) = [one for one in report["findings"] if one["rule"] == "stuck-socket-read"]
    assert found["evidence"]["library"] == "Acme HTTP"
    assert found["then"][0]["text"] == "Set acme.http.timeout, {as} 5 s. (by acme.toml)"
    assert found["team"] == [
        {"by": "acme.toml", "library": "Acme HTTP", "actions": ["Set acme.http.timeout, {as} 5 s."]}
    ]
    assert "Acme HTTP is a library that acme.toml describes." in found["explanation"]
    assert found["evidence"]["frame"].startswith("com.shop.PayListener.")


def test_without_the_folder_nothing_is_known_of_it(
    folder: Team_, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evidence = dumps(tmp_path / "j.txt")
    report_of(folder(libraries__acme=LIBRARY), evidence, capsys)
    assert run(["stacks", str(evidence), "--format", "json"]) == 1
    out = capsys.readouterr().out
    assert "acme.toml" not in out
    assert "com.acme.http.Client.call" in json.loads(out)["findings"][0]["evidence"]["frame"]


def test_all_tables_of_a_file_are_used(folder: Team_) -> None:
    assert is_own("com.acme.http.Client.call")
    read(folder(libraries__acme=LIBRARY)).use()
    library = library_of_frame("com.acme.http.Client.call")
    assert library is not None
    assert library.by == "acme.toml"
    assert not is_own("com.acme.http.Client.call")
    assert "com.acme.queue.Poller.await" in known_frames().idle
    assert "com.acme.http.Call" in known_frames().per_call_objects
    holder = known_holder(["com.acme.cache.NearCache"])
    assert holder is not None
    assert holder.remedy.values == {"words": "Set acme.cache.entries.", "file": "acme.toml"}
    Team().use()
    assert library_of_frame("com.acme.http.Client.call") is None
    assert "com.acme.queue.Poller.await" not in known_frames().idle


@pytest.mark.parametrize("key", ["serves", "idle"])
def test_no_file_says_that_a_listener_rests(folder: Team_, key: str) -> None:
    """A listener, or a task of a pool, that waits for good is no thread that began a server."""
    text = f'packages = ["com.acme."]\n[threads]\n{key} = ["com.acme.shop.OwnQueue.handle"]\n'
    team = read(folder(libraries__acme=text))
    team.use()
    stuck = Path(__file__).parents[2] / "fixtures" / "stacks" / "own-queue-stuck"
    report = diagnose_incident([stuck], Settings(team=team)).report
    assert (report.answer.state, report.findings[0].rule) == ("fault", "stuck-wait")


# words of rules


def test_words_stand_behind_those_of_the_rule(
    folder: Team_, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evidence = dumps(tmp_path / "j.txt")
    run(["stacks", str(evidence), "--format", "json"])
    (ours,) = json.loads(capsys.readouterr().out)["findings"]
    made = folder(rules__stuck_socket_read=WORDS)
    (found,) = json.loads(report_of(made, evidence, capsys, "--format", "json"))["findings"]
    by = "acme/rules/stuck-socket-read.toml"
    assert found["remedy"] == [
        *ours["remedy"],
        f"Runbook: https://wiki.acme.example/stuck (by {by})",
        f"Page the person on call. (by {by})",
    ]
    assert found["references"] == [*ours["references"], "ACME-42"]
    assert found["team"][0]["runbook"] == "https://wiki.acme.example/stuck"
    for same in ("severity", "confidence", "fingerprint", "cause", "evidence", "explanation", "title"):
        assert found[same] == ours[same]


@one_in_each_run(4)
@pytest.mark.parametrize("name", sorted(set(formats()) - {"openmetrics", "csv", "json"}))
def test_each_format_says_whose_words_they_are(folder: Team_, tmp_path: Path, name: str) -> None:
    made = folder(log_statements__pay=STATEMENT + "count = { at_least = 2 }")
    team = read(made)
    evidence = log(tmp_path / "app.log", *((at, refused(at)) for at in range(30)))
    report = diagnose_incident([evidence], Settings(team=team)).report
    written = renderer(name)(report, View())
    assert "pay.toml" in written.replace("\\", "")
    if name == "html":
        assert "<b>payments" not in written
        assert "&lt;b&gt;payments" in written


def test_a_redacted_and_a_saved_report_keep_them(folder: Team_, tmp_path: Path) -> None:
    team = read(folder(log_statements__pay=STATEMENT + "count = { at_least = 2 }"))
    evidence = log(tmp_path / "app.log", *((at, refused(at)) for at in range(30)))
    report = redact_report(diagnose_incident([evidence], Settings(team=team)).report)
    assert report.logs is not None
    assert report.logs.team[0].example == "(hidden)"
    (found,) = from_json(renderer("json")(report, View()).encode()).findings
    assert (found.team[0].by, found.team[0].statement) == ("pay.toml", "payment-refused")
    assert found.team[0].references == ("https://wiki.acme.example/gateways",)


# log statements


@pytest.mark.parametrize(
    ("limit", "beyond", "below"),
    [
        ("count = { at_least = 30 }", range(30), range(29)),
        ("rate = { per_minute = 10 }", range(60, 70), [*range(55, 64), *range(120, 129)]),
        ("gap = { seconds = 300 }", [0, 10, 310, 320], [0, 290, 580]),
        ('sequence = { without = "payment {id} booked", seconds = 20 }', [0, 50, 100], [90]),
    ],
    ids=["count", "rate", "gap", "sequence"],
)
def test_a_limit(folder: Team_, tmp_path: Path, limit: str, beyond: list[int], below: list[int]) -> None:
    team = read(folder(log_statements__pay=STATEMENT + limit))
    last = (max(*beyond, *below) + 1, "the day ends")
    (found,) = findings(log(tmp_path / "a.log", *((at, refused(at)) for at in beyond), last), team)
    assert (found.cause, found.severity.value) == ("payment-refused", "error")
    assert found.remedy[0].values["words"] == "Call the desk."
    assert not findings(log(tmp_path / "b.log", *((at, refused(at)) for at in below), last), team)


def test_confidence_is_that_of_the_file_in_a_whole_log(folder: Team_, tmp_path: Path) -> None:
    team = read(folder(log_statements__pay=STATEMENT + "count = { at_least = 2 }"))
    (found,) = findings(log(tmp_path / "a.log", *((at, refused(at)) for at in range(200))), team)
    assert found.confidence.value == "high"
    (found,) = findings(log(tmp_path / "b.log", *((at, refused(at)) for at in range(3))), team)
    assert found.confidence.value == "medium", "an excerpt"


def test_a_gap_ends_with_the_log_and_goes_over_rotated_files(folder: Team_, tmp_path: Path) -> None:
    team = read(folder(log_statements__pay=STATEMENT + "gap = { seconds = 300 }"))
    quiet = tmp_path / "quiet"
    quiet.mkdir()
    log(quiet / "app.log.1", (0, refused(1)), (10, refused(2)), (200, "so"))
    log(quiet / "app.log", (210, "so"), (400, "so"))
    (found,) = findings(quiet, team)
    assert found.evidence["measured_seconds"] == 390.0
    other = tmp_path / "other"
    other.mkdir()
    log(other / "app.log", (0, refused(1)), (10, refused(2)))
    log(other / "web.log", (210, "so"), (400, "so"))
    assert not findings(other, team), "the log of another program never had the line"


def test_a_sequence_is_told_by_its_values_and_over_rotated_files(folder: Team_, tmp_path: Path) -> None:
    limit = 'sequence = { without = "payment {id} booked", seconds = 60, at_least = 1 }'
    team = read(folder(log_statements__pay=STATEMENT + limit))
    logs = tmp_path / "logs"
    logs.mkdir()
    log(logs / "app.log.1", (0, refused(1)), (1, refused(2)), (2, refused(3)), (20, "payment 1 booked"))
    log(logs / "app.log", (30, "payment 2 booked"), (50, "payment 4 booked"), (300, "so"))
    (found,) = findings(logs, team)
    assert found.evidence["measured_lines"] == 1.0
    log(logs / "app.log", (30, "payment 2 booked"), (50, "payment 3 booked"), (300, "so"))
    assert not findings(logs, team)


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        ("WARN  [main] com.acme.pay.Desk - {}", True),
        ("ERROR [main] com.acme.pay.Desk - {}", True),
        ("WARN 17 --- [exec-1] c.acme.pay.Desk  : {}", True),
        ("[main] WARN com.acme.pay.Desk -- {}", True),
        ("WARN main - {}", True),
        ("INFO  [main] com.acme.pay.Desk - {}", False),
        ("WARN  [main] com.acme.web.Search - {}", False),
        ("WARN  [main] com.acme.pay.Desk - somebody searched for {}", False),
        ('WARN  [main] com.acme.pay.Desk - q="{}"', False),
        ("WARN  [main] com.acme.pay.Desk - comment: it says {}", False),
    ],
)
def test_a_line_counts_where_its_program_prints_it(
    folder: Team_, tmp_path: Path, line: str, counts: bool
) -> None:
    team = read(folder(log_statements__pay=STATEMENT + "count = { at_least = 1 }"))
    path = log(tmp_path / "app.log", *((at, line.format(refused(at))) for at in range(30)), head="")
    assert bool(findings(path, team)) is counts


def test_a_line_in_the_body_of_a_message_does_not_count(folder: Team_, tmp_path: Path) -> None:
    team = read(folder(log_statements__pay=STATEMENT + "count = { at_least = 1 }"))
    lines = [(at, f"WARN  [main] com.acme.pay.Desk - {refused(at)}") for at in range(30)]
    path = log(tmp_path / "app.log", *lines, head="")
    assert findings(path, team)
    path.write_text(f"MSGID: 7F01 MessageExt [queueId=0] BODY: x\n{path.read_text()}")
    assert not findings(path, team)


@pytest.mark.parametrize(("level", "counts"), [("WARN", True), ("INFO", False)])
def test_a_line_in_json(folder: Team_, tmp_path: Path, level: str, counts: bool) -> None:
    team = read(folder(log_statements__pay=STATEMENT + "count = { at_least = 1 }"))
    path = tmp_path / "app.log"
    rows = [
        {
            "@timestamp": f"2026-11-21T20:00:{at:02d}Z",
            "level": level,
            "logger_name": "com.acme.pay.Desk",
            "message": refused(at),
        }
        for at in range(30)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert bool(findings(path, team)) is counts


def test_a_team_hides_no_line_from_our_rules(folder: Team_, tmp_path: Path) -> None:
    """Its texts begin and overlap ours; an event of ours is found as before."""
    line = "[PCBUSY_CLEAN_QUEUE]broker busy, start flow control for a while, period in queue: 211ms, size of queue: 0"
    path = log(tmp_path / "broker.log", *((at, line) for at in range(40)), head="WARN SendMessageThread_1 - ")
    text = STATEMENT.replace("payment {id} refused by {gateway}", line[:20]).replace(
        '["com.acme.pay.Desk"]', "[]"
    )
    team = read(folder(log_statements__pay=text + "count = { at_least = 1 }"))
    plain, with_team = (diagnose_incident([path], Settings(team=one)).report for one in (None, team))
    assert plain.logs is not None
    assert with_team.logs is not None
    assert plain.logs.events
    assert with_team.logs.events == plain.logs.events
    ours = [one.fingerprint for one in plain.findings]
    assert set(ours) < {one.fingerprint for one in with_team.findings}


def test_texts_that_begin_alike_are_counted_each(folder: Team_, tmp_path: Path) -> None:
    counted = STATEMENT + "count = { at_least = 2 }"
    longer = counted.replace("payment {id} refused by {gateway}", "payment refused: card {id}")
    shorter = longer.replace("payment refused: card {id}", "payment refused").replace(
        "payment-refused", "any-refused"
    )
    team = read(folder(log_statements__long=longer, log_statements__short=shorter))
    path = log(tmp_path / "a.log", *((at, f"payment refused: card {at}") for at in range(30)))
    assert {one.cause: one.evidence["lines"] for one in findings(path, team)} == {
        "payment-refused": 30,
        "any-refused": 30,
    }


@CHECK
def test_workers_count_a_teams_lines(folder: Team_, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mqdiag.workers.BYTES_FOR_A_WORKER", 1)
    team = read(folder(log_statements__pay=STATEMENT + "count = { at_least = 60 }"))
    logs = tmp_path / "logs"
    logs.mkdir()
    for number in (1, 2):
        log(logs / f"app.log.{number}", *((at + number * 100, refused(at)) for at in range(30)))
    report = diagnose_incident([logs], Settings(team=team, jobs=2)).report
    assert [one.evidence["lines"] for one in report.findings if one.rule == "team-statement"] == [60]


def test_workers_know_a_teams_libraries(folder: Team_, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mqdiag.workers.BYTES_FOR_A_WORKER", 1)
    team = read(folder(libraries__acme=LIBRARY))
    threw = (
        "consumeMessage exception: java.lang.IllegalStateException: no answer Group: CID_pay Msgs: []"
        " MQ: MessageQueue [topic=orders, brokerName=broker-a, queueId=0]\njava.lang.IllegalStateException: no answer\n"
        "\tat com.acme.http.Client.call(Client.java:12)\n"
        "\tat com.shop.PayListener.consumeMessage(PayListener.java:41)\n"
    )
    logs = tmp_path / "logs"
    logs.mkdir()
    for number in (1, 2):
        log(
            logs / f"rocketmq_client.log.{number}",
            *((at + number * 100, threw) for at in range(3)),
            head="WARN  RocketmqClient - ",
        )
    team.use()
    reports = [diagnose_incident([logs], Settings(team=team, jobs=jobs)).report for jobs in (1, 2)]
    Team().use()
    for report in reports:
        assert report.logs is not None
        frames = {event.frame for event in report.logs.listener_exceptions}
        assert frames == {"com.shop.PayListener.consumeMessage(PayListener.java:41)"}


# what is refused


COUNTED = STATEMENT + "count = { at_least = 5 }"
IN_LIBRARY = [
    ("frames", "farmes", "acme.toml, line 11: library[0].farmes: unknown key; did you mean frames"),
    ("[[holder]]", "[[holder]]\nby = 'mqdiag'", "line 15: holder[0].by: unknown key"),
    ('["com.acme."]', "[7]", "line 2: packages[0]: Expected str, got int"),
    ('["com.acme."]', "[]", "line 2: packages: is empty"),
    ('"com.acme."', '"com."', "'com.' is not a package of a team"),
    ('"com.acme."', '"java.net."', "java.net. overlaps with java."),
    ('"com.acme."', '"org.apache."', "org.apache. overlaps with org.apache."),
    (
        '"com.acme.queue.Poller.await"',
        '"java.lang.Thread.sleep"',
        "line 5: threads.idle[0]: java.lang.Thread.sleep is",
    ),
    (
        '"com.acme.http.Client."',
        '"org.springframework."',
        "library[0].frames[0]: org.springframework. is none of",
    ),
    ("Acme HTTP", "OkHttp", "line 9: library[0].name: 'OkHttp' is known already"),
    ("family", "cause", "library[0].cause: Invalid enum value 'http'"),
]
IN_STATEMENT = [
    (
        "count = { at_least = 5 }",
        "",
        "pay.toml, line 2: statement[0]: expected one of count, rate, gap, sequence, and",
    ),
    ("at_least = 5", "at_least = 0", "expected a number from 1 to"),
    ("count = { at_least = 5 }", "gap = { seconds = nan }", "expected a number from 1 to"),
    ("at_least = 5", "at_least = '5'", "count.at_least: Expected int, got str"),
    ("payment {id} ref", "{id} ref", "line 4: statement[0].text: expected at least 8 bytes of text"),
    ("{gateway}", "{gate-way}", "{gate-way} is not a value"),
    ("by {gateway}", "{gateway}{x}", "expected text between {x} and the value before it"),
    ("{gateway}", "{", "has a single brace"),
    ("refuse <b>", "{gateway} refuse <b>", "line 9: statement[0].title: {gateway} is a value of one line"),
    ('"error"', '"fatal"', "severity: Invalid enum value 'fatal'"),
    ("payment-refused", "Payment refused", "'Payment refused' is not a name"),
    (COUNTED, COUNTED * 2, "payment-refused stands in pay.toml too"),
    (COUNTED, "statement = 5", "statement: Expected array, got int"),
]
IN_RULE = [
    ("severity = 'info'", "disk-full.toml, line 1: severity: unknown key"),
    ("limits = { disk_ratio = 2 }", "limits: unknown key"),
    ('runbook = "javascript:alert(1)"', "is not an address: expected one that begins with https://"),
    ("", "says nothing"),
    ('actions = ["' + "x" * 601 + '"]', "actions[0]: expected at most 600 characters"),
    ("actions = [" + '"x",' * 501 + "]", "actions: expected at most 500 entries"),
    ("actions = [" + '"x",' * 30 + "]", "actions: expected at most 20 entries"),
    ("a = " + "[" * 20 + "]" * 20, "expected at most 6 tables inside each other"),
    ("a = " + "[" * 5000 + "]" * 5000, "is not TOML"),
    (".".join("a" * 5000) + " = 1", "more than 200 dots"),
    ("actions = [", "is not TOML: Invalid value"),
    ("#" * (10 << 20), "has more than 256"),
]
WRONG = [
    *(("libraries__acme", LIBRARY.replace(old, new, 1), told) for old, new, told in IN_LIBRARY),
    *(("log_statements__pay", COUNTED.replace(old, new, 1), told) for old, new, told in IN_STATEMENT),
    *(("rules__disk_full", text, told) for text, told in IN_RULE),
    ("rules__stuck_sockt_read", WORDS, "there is no rule stuck-sockt-read; did you mean stuck-socket-read"),
]


@pytest.mark.parametrize(("file", "text", "told"), WRONG, ids=[told for _, _, told in WRONG])
def test_a_wrong_file_is_one_line(
    folder: Team_, capsys: pytest.CaptureFixture[str], file: str, text: str, told: str
) -> None:
    made = folder(**{file: text})
    begun = process_time()
    assert run(["knowledge", "check", str(made)]) == 2
    assert process_time() - begun < 5
    (line,) = capsys.readouterr().err.splitlines()
    assert told in line
    assert run(["stacks", "no-such-file", "--knowledge", str(made)]) == 2
    assert capsys.readouterr().err.splitlines() == [line]


def test_a_file_of_another_place_is_refused(folder: Team_, tmp_path: Path) -> None:
    made = folder(rules__disk_full=WORDS)
    outside = tmp_path / "outside.toml"
    outside.write_text(WORDS)
    (made / "rules" / "no-route.toml").symlink_to(outside)
    with pytest.raises(UsageError, match=r"no-route\.toml: is a link out of its folder"):
        read(made)
    (made / "rules" / "no-route.toml").unlink()
    (made / "rules" / "no-route.toml").symlink_to("disk-full.toml")
    assert {*read(made).rules} == {"disk-full", "no-route"}


def test_what_is_no_file_is_refused(folder: Team_) -> None:
    made = folder(rules__disk_full=WORDS)
    os.mkfifo(made / "rules" / "no-route.toml")
    with pytest.raises(UsageError, match="is not a regular file"):
        read(made)


@pytest.mark.parametrize(
    ("inside", "told"),
    [
        ("", "holds no knowledge"),
        ("rule/", "rule: is not known"),
        ("acme.toml", "is not known"),
        (None, "cannot be read"),
    ],
)
def test_a_folder_without_knowledge(tmp_path: Path, inside: str | None, told: str) -> None:
    made = tmp_path / "acme"
    if inside is not None:
        made.mkdir()
    if inside and inside.endswith("/"):
        (made / inside).mkdir()
    elif inside:
        (made / inside).write_text("")
    with pytest.raises(UsageError, match=told):
        read(made)


@CHECK
def test_a_hostile_text_and_log_take_no_time(folder: Team_, tmp_path: Path) -> None:
    """What makes a regular expression try all ways to split a line."""
    text = STATEMENT.replace(
        "payment {id} refused by {gateway}", "aaaaaaaa" + "".join(f"{{v{n}}}a" for n in range(10)) + "!"
    )
    team = read(folder(log_statements__pay=text + "count = { at_least = 1 }"))
    path = log(tmp_path / "a.log", *((at, "a" * 20_000) for at in range(100)))
    begun = process_time()
    assert not findings(path, team)
    assert process_time() - begun < 5


def test_a_flood_of_open_sequences_is_bounded(folder: Team_, tmp_path: Path) -> None:
    limit = 'sequence = { without = "payment {id} booked", seconds = 3600 }'
    team = read(folder(log_statements__pay=STATEMENT + limit))
    lines = [(at // 40, refused(at)) for at in range(40_000)]
    begun = process_time()
    assert not findings(log(tmp_path / "a.log", *lines), team)
    assert process_time() - begun < 20


def test_a_name_of_two_folders_is_refused(folder: Team_, tmp_path: Path) -> None:
    made = folder(libraries__acme=LIBRARY)
    other = tmp_path / "other" / "libraries"
    other.mkdir(parents=True)
    (other / "more.toml").write_text(LIBRARY)
    with pytest.raises(UsageError, match="Acme HTTP' is known already"):
        read_team([*files_of(str(made)), *files_of(str(tmp_path / "other"))], RULES)


# where folders are named


def test_check_lists_what_was_understood(folder: Team_, capsys: pytest.CaptureFixture[str]) -> None:
    made = folder(
        libraries__acme=LIBRARY,
        log_statements__pay=STATEMENT + "count = { at_least = 2 }",
        rules__stuck_socket_read=WORDS,
    )
    assert run(["knowledge", "check", str(made)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{made}: 1 library, 1 log statement, words for 1 rule",
        "  library Acme HTTP (by acme.toml)",
        "  holder com.acme.cache.NearCache (by acme.toml)",
        "  threads com.acme. (by acme.toml)",
        "  log statement payment-refused: payment {id} refused by {gateway} (by pay.toml)",
        "  rule stuck-socket-read (by acme/rules/stuck-socket-read.toml)",
    ]


def test_a_configuration_names_folders_beside_it(
    folder: Team_, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = folder(libraries__acme=LIBRARY)
    evidence = dumps(tmp_path / "j.txt")
    (tmp_path / "mqdiag.toml").write_text('[knowledge]\nfolders = ["acme"]\n')
    inner = tmp_path / "inner"
    inner.mkdir()
    monkeypatch.chdir(inner)
    run(["stacks", str(evidence)])
    assert "(by acme.toml)" in capsys.readouterr().out
    (made / "libraries" / "acme.toml").chmod(0o666)
    run(["stacks", str(evidence)])
    printed = capsys.readouterr()
    assert "(by acme.toml)" not in printed.out
    assert "acme is not used: others can write to acme.toml; name it with --knowledge" in printed.err
    run(["stacks", str(evidence), "--knowledge", str(made)])
    assert "(by acme.toml)" in capsys.readouterr().out
    run(["stacks", str(evidence), "--config", str(tmp_path / "mqdiag.toml")])
    assert "(by acme.toml)" in capsys.readouterr().out


def test_a_key_of_the_configuration_is_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "mqdiag.toml"
    config.write_text('[knowledge]\nfolder = ["acme"]\n')
    assert run(["stacks", "x", "--config", str(config)]) == 2
    assert "unknown key knowledge.folder; did you mean folders" in capsys.readouterr().err


def test_a_fleet_takes_it_along(folder: Team_, tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    import pickle

    from mqdiag.fleet.work.analyse import Request, analyse
    from mqdiag.fleet.work.plan import settings_hash

    settings = Settings(team=read(folder(libraries__acme=LIBRARY)))
    assert settings_hash(settings) != settings_hash(Settings())
    paths = {str(dumps(tmp_path / "j.txt")): "file:///j.txt"}
    request = Request(paths=paths, settings=settings, classes=0, scratch=str(tmp_path))
    rows = analyse(pickle.loads(pickle.dumps(request)))
    assert "acme.toml" in json.dumps(rows["findings"], default=str)


@CHECK
def test_a_run_without_a_team_imports_nothing_of_it(tmp_path: Path) -> None:
    import subprocess
    import sys

    code = (
        "import sys; from mqdiag.cli import run; "
        f"run(['diagnose', {str(log(tmp_path / 'a.log', (0, 'so')))!r}]); "
        "print([name for name in sys.modules if 'mqdiag' in name and 'team' in name])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_word_that_is_none_of_several_is_told_with_them(folder: Team_) -> None:
    wrong = LIBRARY.replace('family = "http"', 'family = "htp"')
    assert wrong != LIBRARY
    with pytest.raises(UsageError, match=r"line \d+: library\[0\]\.family: .*expected one of .*http"):
        read(folder(libraries__acme=wrong))


def test_two_libraries_have_no_frame_in_common(folder: Team_) -> None:
    again = '[[library]]\nname = "Acme again"\nfamily = "http"\nframes = ["com.acme.http.Client."]\nremedy = ["So."]\n'
    with pytest.raises(
        UsageError, match=r"library\[1\]\.frames: com\.acme\.http\.Client\. stands in Acme HTTP too"
    ):
        read(folder(libraries__acme=LIBRARY + again))


def test_no_file_says_where_objects_of_others_have_the_other_side(folder: Team_) -> None:
    peer = '[[peer]]\nclasses = ["java.net.Socket"]\nhost = ["x"]\n'
    with pytest.raises(
        UsageError, match=r"peer\[0\]\.classes\[0\]: java\.net\.Socket is none of the file's packages"
    ):
        read(folder(libraries__acme=LIBRARY + peer))


def test_a_runbook_stands_in_the_short_form_behind_however_many_actions(
    folder: Team_, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    team = folder(libraries__acme=LIBRARY, rules__stuck_socket_read=WORDS)
    run(["stacks", str(dumps(tmp_path / "stacks.txt")), "--knowledge", str(team)])
    assert b"Runbook: https://wiki.acme.example/stuck" in capsysbinary.readouterr().out
