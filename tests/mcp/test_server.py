"""The tools over the SDK's own client, in this process and over the pipes of a process of their own."""

from __future__ import annotations

import asyncio
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import msgspec
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult

from mqdiag import workers
from mqdiag.cli import run
from mqdiag.cli.common.watchdog import CPU_S, CPU_VARIABLE, MEMORY_BYTES, MEMORY_VARIABLE, Budget, Watched
from mqdiag.cli.mcp import _watch
from mqdiag.config import ConfigFile, Settings, resolve
from mqdiag.errors import InputError, UsageError
from mqdiag.facts.redaction import HIDDEN
from mqdiag.mcp.folders import Folders
from mqdiag.mcp.questions import MOST_PATHS, QUERY_S, Questions
from mqdiag.mcp.server import made_server
from mqdiag.mcp.shortened import MOST_BYTES, MOST_TEXT, shortened
from mqdiag.mcp.standard_input import _Requests, mended
from mqdiag.progress import Progress, Silent
from mqdiag.query.recipes import recipes
from mqdiag.query.session import GRACE_S, Limits
from mqdiag.text import say
from tests.folded import folded
from tests.graph.opening import put
from tests.graph.small_dump import small_dump
from tests.hostile.test_queries import ENDLESS, UNINTERRUPTED
from tests.layers import CHECK, NIGHTLY, one_in_each_run

FIXTURES = Path(__file__).parents[2] / "fixtures"
TOOLS = ["diagnose", "heap", "stacks", "logs", "show", "query", "rules"]
HUGE = (
    {"answer": {"state": "fault"}, "findings": [{"title": "x" * 5_000, "now": ["y" * 3_000] * 50}] * 500},
    {"answer": {"state": "fault", "text": "x" * 100_000}, "heap": {"classes": [{"name": "y" * 400}] * 5_000}},
    {"answer": {"state": "fault"}, "heap": {f"{number}" * 50: {"a": ["b" * 900]} for number in range(3_000)}},
    {"answer": {"state": "fault"}, "logs": [[[["a" * 300] * 30] * 30] * 30], "one": "x" * 30_000},
)
TEXTS = "SELECT text FROM strings ORDER BY ALL"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a dump, and a file beside it that is nobody's business."""
    (tmp_path / "secret.txt").write_text("secret")
    inside = tmp_path / "evidence"
    inside.mkdir()
    put(small_dump(), inside)
    return inside


def unwatched(
    paths: Sequence[str], *, more_cpu_s: float = 0.0, more_memory_bytes: int = 0
) -> AbstractContextManager[Progress]:
    return nullcontext(Silent())


def plain_settings(expect: Sequence[str] = (), heap_limit: str | None = None, /) -> Settings:
    return resolve(ConfigFile(), "", {}, expect=expect, heap_limit=heap_limit)


def asked(folder: Path, tool: str, *, redact: bool = True, **arguments: Any) -> CallToolResult:
    """The answer of a server in this process."""
    questions = Questions(
        Folders([str(folder)]), redact=redact, cache_bytes=0, watch=unwatched, settings_of=plain_settings
    )

    async def ask() -> CallToolResult:
        async with Client(made_server(questions)) as client:
            return await client.call_tool(tool, arguments)

    return asyncio.run(ask())


def line(result: CallToolResult) -> str:
    """The one line of an error."""
    assert result.is_error
    (content,) = result.content
    assert content.type == "text"
    assert "\n" not in content.text
    return content.text


def values(result: CallToolResult) -> dict[str, Any]:
    assert not result.is_error, result.content
    assert result.structured_content is not None
    return result.structured_content


@CHECK
def test_a_session_over_pipes_has_nothing_but_the_protocol_on_standard_output(folder: Path) -> None:
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "mqdiag", "mcp", str(folder), "--no-cache"],
        env=dict(os.environ),
    )

    async def session(use: Callable[[Client], Awaitable[None]]) -> None:
        async with Client(stdio_client(server)) as client:
            await use(client)

    async def use(client: Client) -> None:
        assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
        report = values(await client.call_tool("heap", {"path": "given.hprof"}))
        assert report["schema_version"] == 1
        assert report["answer"]["state"] in ("fault", "healthy", "undecided")
        found = values(await client.call_tool("query", {"path": "given.hprof", "sql": "SELECT 1 AS one"}))
        assert found == {"rows": [{"one": 1}], "more": False, "problem": None}

    asyncio.run(session(use))


def test_each_tool_is_marked_as_one_that_changes_nothing(folder: Path) -> None:
    questions = Questions(
        Folders([str(folder)]), redact=True, cache_bytes=0, watch=unwatched, settings_of=plain_settings
    )

    async def tools() -> list[bool | None]:
        async with Client(made_server(questions)) as client:
            return [
                tool.annotations and tool.annotations.read_only_hint
                for tool in (await client.list_tools()).tools
            ]

    assert asyncio.run(tools()) == [True] * len(TOOLS)


def test_reports_are_those_of_the_command_line_as_far_as_they_fit(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(folder / "given.hprof")
    run(["heap", path, "--format", "json", "--no-cache", "--redact"])
    whole = json.loads(capsys.readouterr().out)
    answered = values(asked(folder, "heap", path=path))
    assert answered["answer"] == {name: value for name, value in whole["answer"].items() if value is not None}
    assert [one["rule"] for one in answered["findings"]] == [one["rule"] for one in whole["findings"]]
    run(["heap", path, "--width", "1000", "--no-cache", "--redact"])
    assert text(asked(folder, "heap", path=path)).splitlines()[0] in capsys.readouterr().out


def text(result: CallToolResult) -> str:
    """All that many programs hand to a model."""
    (content,) = result.content
    assert content.type == "text"
    return content.text


def test_answers_fit_and_the_text_has_what_a_person_reads() -> None:
    heaps = FIXTURES / "heap" / "stuck-one-4.9.8"
    for detail in ("brief", "normal", "full"):
        result = asked(heaps, "heap", path="dump.hprof.gz", detail=detail)
        found = values(result)
        assert len(json.dumps(found)) <= 24_000
        assert len(json.dumps(found, separators=(",", ":"), ensure_ascii=False).encode()) <= MOST_BYTES
        assert found["left_out"]["heap.classes"] > 100
        assert found["findings"][0]["remedy"]
        assert len(text(result)) <= MOST_TEXT + 200
    normal = text(asked(heaps, "heap", path="dump.hprof.gz"))
    assert found["findings"][0]["title"] in normal
    assert len(text(asked(heaps, "heap", path="dump.hprof.gz", detail="brief"))) < len(normal)


@folded("document", HUGE, lambda document: str(document)[:60])
def test_no_document_is_larger_than_an_answer(document: dict[str, Any]) -> None:
    found = shortened(document)
    assert len(msgspec.json.encode(found)) <= MOST_BYTES
    assert found["answer"]["state"] == "fault"
    assert found["left_out"]


@CHECK
def test_rows_are_in_the_text_and_fit(folder: Path) -> None:
    result = asked(folder, "query", path="given.hprof", sql="SELECT 7 AS seven, 'a' AS letter")
    assert text(result).splitlines() == ["seven  letter", "-----  ------", "    7  a", "1 rows"]
    many = asked(
        folder, "query", path="given.hprof", limit=1000, sql="SELECT repeat('x', 3000) AS long FROM range(1000)"
    )
    found = values(many)
    assert found["more"] is True
    assert 5 < len(found["rows"]) < 20
    assert f"{len(found['rows'])} rows; there are more" in text(many)


@CHECK
def test_a_recipe_is_described_and_runs(folder: Path) -> None:
    asking = {"path": "given.hprof", "recipe": "who-refers-to-class", "values": {"class": "java.util.HashMap"}}
    assert values(asked(folder, "query", **asking))["rows"][0]["holder"] == "app.Holder"
    assert "give sql or recipe" in line(asked(folder, "query", path="given.hprof"))
    assert "give sql or recipe" in line(asked(folder, "query", sql="SELECT 1", **asking))
    questions = Questions(
        Folders([str(folder)]), redact=True, cache_bytes=0, watch=unwatched, settings_of=plain_settings
    )

    async def described() -> str:
        async with Client(made_server(questions)) as client:
            return json.dumps([tool.input_schema for tool in (await client.list_tools()).tools])

    told = asyncio.run(described())
    for recipe in recipes().values():
        assert recipe.name in told
    assert "consumer_group" in told


def test_a_path_may_be_a_text_and_an_undecided_answer_has_a_next_step(tmp_path: Path) -> None:
    (tmp_path / "app.log").write_text("2026-01-01 10:00:00 something nobody knows\n" * 3)
    for tool in ("diagnose", "logs"):
        result = asked(tmp_path, tool, paths="app.log")
        found = values(result)
        assert found["answer"]["state"] == "undecided"
        assert found["answer"]["next"]
        assert "Next" in text(result)


@CHECK
def test_rows_are_limited_and_texts_hidden_unless_told_otherwise(folder: Path) -> None:
    found = values(asked(folder, "query", path="given.hprof", sql=TEXTS, limit=2))
    assert found["more"] is True
    assert len(found["rows"]) == 2
    assert {row["text"] for row in found["rows"]} == {HIDDEN}
    told = values(asked(folder, "query", redact=False, path="given.hprof", sql=TEXTS))
    assert {"text": "böse"} in told["rows"]


def test_a_class_is_shown(folder: Path) -> None:
    shown = values(asked(folder, "show", path="given.hprof", what="app.Holder"))
    assert shown["show"]["class"]["instances"] == 2


def test_stacks_logs_and_whole_folders_are_read() -> None:
    stacks = FIXTURES / "stacks" / "urlconnection-stuck"
    assert values(asked(stacks, "diagnose", paths=["series.tar.gz"]))["answer"]["state"] == "fault"
    logs = FIXTURES / "logs" / "healthy-5.3.3" / "broker"
    assert values(asked(logs, "logs", paths=["store.log.gz"]))["inputs"]


@pytest.mark.parametrize("tool", ["logs", "stacks"])
def test_a_file_with_other_evidence_is_read_as_the_command_reads_it(
    tool: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "paste.txt"
    path.write_text(
        "[root@mq bin]# sh mqadmin consumerConnection -n 10.0.0.9:9876 -g CID_stock\n"
        "#ClientId                            #ClientAddr            #Language  #Version\n"
        "10.0.0.7@170                         10.0.3.11:43166        JAVA       V5_3_3\n\n"
        "Below is subscription:\n#Topic               #SubExpression\norders               *\n\n"
        "ConsumeType: CONSUME_PASSIVELY\n"
    )
    answered = values(asked(tmp_path, tool, paths=["paste.txt"]))
    run([tool, str(path), "--format", "json", "--redact"])
    whole = json.loads(capsys.readouterr().out)
    assert answered["findings"] == [] == whole["findings"]
    assert answered["inputs"][0].items() <= whole["inputs"][0].items()
    assert answered["inputs"][0]["kind"] == "admin"


def test_settings_of_the_configuration_file_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    series = FIXTURES / "stacks" / "urlconnection-stuck" / "series.tar.gz"
    served: list[Questions] = []

    class Served:
        def run(self) -> None:
            pass

    def noted(questions: Questions) -> Served:
        served.append(questions)
        return Served()

    monkeypatch.setattr("mqdiag.mcp.server.made_server", noted)
    config = tmp_path / "mqdiag.toml"
    config.write_text('[rules.stuck-socket-read]\nseverity = "info"\n')
    assert run(["mcp", str(series.parent), "--config", str(config), "--no-cache"]) == 0
    monkeypatch.chdir(tmp_path)
    assert run(["mcp", str(series.parent), "--no-cache"]) == 0
    for questions in served:
        found = questions.stacks([str(series)]).values["findings"]
        assert [one["severity"] for one in found if one["rule"] == "stuck-socket-read"] == ["info"]
    config.write_text('[rules.stuck-socket-raed]\nseverity = "info"\n')
    assert run(["mcp", str(series.parent)]) == 2


def test_rules_are_listed_and_explained(folder: Path) -> None:
    listed = values(asked(folder, "rules"))["rules"]
    assert {"name", "title"} == set(listed[0])
    (card,) = values(asked(folder, "rules", name="input-incomplete"))["rules"]
    assert card["remedy"]
    assert "did you mean" in line(asked(folder, "rules", name="input-incomplet"))


@pytest.mark.parametrize(
    "path", ["../secret.txt", "/etc/passwd", "-", "given.hprof/../../secret.txt", "way-out"]
)
def test_nothing_outside_of_the_folders_is_read(folder: Path, path: str) -> None:
    (folder / "way-out").symlink_to(folder.parent / "secret.txt")
    told = line(asked(folder, "heap", path=path))
    assert "is not below the folders of this server" in told or told.startswith(f"{folder}/-: ")


@pytest.mark.parametrize("path", ["a\0b", "given.hprof\ud800"])
def test_a_path_that_no_system_takes_is_an_error(folder: Path, path: str) -> None:
    questions = Questions(
        Folders([str(folder)]), redact=True, cache_bytes=0, watch=unwatched, settings_of=plain_settings
    )
    with pytest.raises(UsageError, match="has characters that are not valid in a path"):
        questions.heap(path, quick=False, expect=[], heap_limit=None)


def test_a_pipe_is_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    for tool, arguments in (("heap", {"path": "pipe"}), ("logs", {"paths": ["pipe"]})):
        assert "is neither a file nor a folder" in line(asked(folder, tool, **arguments))
    with pytest.raises(UsageError, match="neither"):
        Folders([str(folder)]).allowed("pipe")


def test_a_folder_with_a_link_that_leads_out_is_refused(folder: Path) -> None:
    (folder / "deep").mkdir()
    (folder / "deep" / "way-out").symlink_to(folder.parent)
    assert "leads out of the folders" in line(asked(folder, "diagnose", paths=["."]))


@one_in_each_run(3)
@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("heap", {"path": "missing.hprof"}, "missing.hprof"),
        ("query", {"path": "given.hprof", "sql": "DROP TABLE objects"}, "only SELECT is answered"),
        ("query", {"path": "given.hprof", "sql": " " * 32_769}, "the SQL has more than 32,768 characters"),
        ("query", {"path": "given.hprof", "sql": "SELECT * FROM read_text('/etc/passwd')"}, "disabled"),
        ("show", {"path": "given.hprof", "what": "app.Holdr"}, "did you mean app.Holder?"),
        ("heap", {"path": "given.hprof", "heap_limit": "much"}, "is not a size"),
    ],
)
def test_an_error_is_one_line(folder: Path, tool: str, arguments: dict[str, str], told: str) -> None:
    assert told in line(asked(folder, tool, **arguments))


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("rules", {"name": "a" * 1_000_000}),
        ("rules", {"name": "a\nb\x1b[31m\u202e"}),
        ("heap", {"path": "a\nb\x1b[31m\u202e"}),
        ("heap", {"path": "dump.hprof", "heap_limit": "9" * 5_000}),
    ],
)
def test_an_error_is_short_and_has_no_controls(folder: Path, tool: str, arguments: dict[str, str]) -> None:
    told = line(asked(folder, tool, **arguments))
    assert len(told) <= 2000
    assert not {"\x1b", "\u202e"} & set(told)


def test_a_server_needs_folders() -> None:
    with pytest.raises(UsageError, match="is not a folder"):
        Folders(["/no/such/folder"])


class UsedUp(Silent):
    """Progress of a run whose budget can be used up."""

    over = False

    def check(self) -> None:
        if self.over:
            raise InputError("given.hprof", say("took too much"))


@CHECK
def test_a_query_may_take_what_it_is_allowed_and_no_more(folder: Path) -> None:
    granted: list[tuple[float, int]] = []
    progress = UsedUp()

    def watch(
        paths: Sequence[str], *, more_cpu_s: float = 0.0, more_memory_bytes: int = 0
    ) -> AbstractContextManager[Progress]:
        granted.append((more_cpu_s, more_memory_bytes))
        return nullcontext(progress)

    questions = Questions(
        Folders([str(folder)]), redact=True, cache_bytes=0, watch=watch, settings_of=plain_settings
    )
    path = str(folder / "given.hprof")
    assert questions.query(path, "SELECT 1 AS one", 10).values["rows"] == [{"one": 1}]
    assert granted == [(QUERY_S * len(os.sched_getaffinity(0)), Limits().memory_bytes)]

    progress.over = True
    with pytest.raises(InputError, match="took too much"):
        questions.query(path, ENDLESS[0], 10)


@CHECK
def test_half_a_character_gets_an_answer(tmp_path: Path) -> None:
    assert mended(rb'"\ud83d\ude00 \ud800 \\ud800 \uDC00\n"') == rb'"\ud83d\ude00 \ufffd \\ud800 \ufffd\n"'
    start = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    asks = {"name": "logs", "arguments": {"paths": ["\ud800"]}}
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": start},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": asks},
    ]
    with subprocess.Popen(
        [sys.executable, "-m", "mqdiag", "mcp", str(tmp_path), "--no-cache"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write("".join(json.dumps(one) + "\n" for one in lines).encode())
        server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in range(2)]
        server.stdin.close()
    assert [one["id"] for one in answers] == [1, 2]
    assert answers[1]["result"]["isError"]


def test_a_request_of_many_megabytes_is_taken_in_small_parts_at_once() -> None:
    """The time grows with its length, not with the square."""
    line = b'"' + b"a" * (32 << 20) + b'"\n'
    begun = time.process_time()
    with io.BufferedReader(_Requests(io.BytesIO(line))) as reader:
        assert sum(map(len, iter(lambda: reader.read1(8192), b""))) == len(line)
    assert time.process_time() - begun < 3


def test_a_query_has_a_minute_in_all() -> None:
    assert QUERY_S + GRACE_S <= 60


def test_a_path_that_is_named_again_is_read_once(folder: Path) -> None:
    once = values(asked(folder, "diagnose", paths=["given.hprof"]))
    again = values(asked(folder, "diagnose", paths=["given.hprof", "./given.hprof", *["given.hprof"] * 3]))
    assert len(again["inputs"]) == len(once["inputs"]) == 1


@pytest.mark.parametrize("tool", ["diagnose", "stacks", "logs"])
def test_more_paths_than_a_question_may_have_are_refused(folder: Path, tool: str) -> None:
    told = line(asked(folder, tool, paths=[f"missing{number}" for number in range(MOST_PATHS + 1)]))
    assert told == "1,001 paths are too many; give 1,000 at most, or the folder that they are in"


@CHECK
def test_a_query_whose_process_was_killed_is_an_error_and_the_server_goes_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = workers.started

    def killed(module: str) -> subprocess.Popen[bytes]:
        process = started(module)
        process.kill()
        return process

    monkeypatch.setattr(workers, "started", killed)
    told = line(asked(folder, "query", path="given.hprof", sql="SELECT 1 AS one"))
    assert told == "the process of the query was ended by signal 9"
    monkeypatch.undo()
    assert values(asked(folder, "query", path="given.hprof", sql="SELECT 1 AS one"))["rows"] == [{"one": 1}]


@NIGHTLY
def test_a_query_that_nothing_interrupts_is_ended_and_the_server_goes_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mqdiag.mcp.questions.QUERY_S", 1.0)
    begun = time.monotonic()
    told = line(asked(folder, "query", path="given.hprof", sql=UNINTERRUPTED))
    assert told.startswith("the query took longer than 1 s"), told
    assert time.monotonic() - begun < 60
    assert values(asked(folder, "query", path="given.hprof", sql="SELECT 1 AS one"))["rows"] == [{"one": 1}]


@NIGHTLY
def test_a_stuck_query_over_pipes_is_ended_at_the_timeout_and_the_session_goes_on(folder: Path) -> None:
    """As an assistant meets it: `mqdiag mcp` in a process of its own, with its own timeout."""
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "mqdiag", "mcp", str(folder), "--no-cache"], env=dict(os.environ)
    )

    async def session() -> None:
        async with Client(stdio_client(server)) as client:
            begun = time.monotonic()
            told = line(await client.call_tool("query", {"path": "given.hprof", "sql": UNINTERRUPTED}))
            assert told.startswith("the query took longer than 55 s"), told
            assert time.monotonic() - begun < QUERY_S + 60
            found = values(await client.call_tool("query", {"path": "given.hprof", "sql": "SELECT 1 AS one"}))
            assert found["rows"] == [{"one": 1}]

    asyncio.run(session())


def test_the_watch_of_the_command_hands_on_what_a_query_may_take(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    budgets: list[Budget] = []
    monkeypatch.delenv(CPU_VARIABLE, raising=False)
    monkeypatch.delenv(MEMORY_VARIABLE, raising=False)
    watched = Watched.__init__

    def noted(self: Watched, progress: Progress, paths: Sequence[str], budget: Budget) -> None:
        budgets.append(budget)
        watched(self, progress, paths, budget)

    monkeypatch.setattr(Watched, "__init__", noted)
    with _watch([str(folder)], more_cpu_s=7.0, more_memory_bytes=9):
        pass
    (budget,) = budgets
    assert (budget.cpu_s, budget.memory_bytes) == (CPU_S + 7.0, MEMORY_BYTES + 9)


def test_questions_leave_no_folder_of_the_cache_open(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MQDIAG_CACHE_SIZE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    questions = Questions(
        Folders([str(folder)]), redact=True, cache_bytes=None, watch=unwatched, settings_of=plain_settings
    )
    path = str(folder / "given.hprof")
    for _ in range(3):
        questions.show(path, "app.Holder", 10)
        with pytest.raises(UsageError):
            questions.show(path, "app.Nothing", 10)
    heaps = str(tmp_path / "cache" / "mqdiag" / "heaps")
    assert os.path.isdir(heaps)
    assert heaps not in [os.path.realpath(link) for link in Path("/proc/self/fd").iterdir()]
