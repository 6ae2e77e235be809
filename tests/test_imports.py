"""What each command imports: the light ones must start fast, so none of them takes numba along."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from mqdiag.cli import mqdiag
from tests.layers import CHECK

HEAVY = ("numba", "numpy", "numpy.ma", "pandas", "pyspark", "llvmlite")
ROOT = Path(__file__).parents[1]
FIXTURES = ROOT / "fixtures"
MOST_MODULES = {
    # facts are in files by subject, nine more than before
    ("--help",): 51,
    # cards alone, of which no rule is imported; how findings are written takes along the clock that times are told by;
    # kinds of threads and words for cases are files of their own
    ("rules",): 99,
    # pools, collectors, containers of listeners, common places, loops and starts are looked for in every series;
    # what was more than 400 lines stands in two files, and in three; jumps of a clock are a rule, and that of pools
    # asks logs too, by what its card detects; locks that nobody gives back are looked for in one dump; names that
    # other threads have borrowed are told in recordings too; names of hosts, rows of tables, texts with their newest
    # lines first, and listings are told before a text is read, each in a file of its own
    ("stacks", str(FIXTURES / "stacks/urlconnection-stuck/series.tar.gz")): 281,
    # what lines leave open is decided in a module that dumps do without
    # what was done to a text is looked for before any reader sees it, in two modules; what begins a record, and what
    # collapsed stacks look like, stand in modules that other readers share; copies in a log are left out, pools and
    # jumps of a clock show in logs too, and so does what RocketMQ reports; times are told by one clock, and lines say
    # when producers have used up their calls; lines of several processes in one text are told apart; what names and
    # settings hold, who writes to a journal, stacks in JSON, and names with line ends are told in files of their own;
    # a hash without OpenSSL is one, too, and so are names of threads, heads of records, documents, and usual pauses
    ("logs", str(FIXTURES / "logs/healthy-5.3.3/broker/store.log.gz")): 343,
    # packed evidence of any kind, memory that arrays use one after the other, a dump that is unmapped beside the
    # report, and kernels that read fields are subjects of their own, and so is the order of the fields of a class;
    # times are told by one clock
    ("heap", str(FIXTURES / "heap/oversized-oom-4.3.2/dump.hprof.gz")): 400,
}
"""modules of ours that a command imports at most; each takes a third of a millisecond of every run"""
SCRIPT = """
import sys
from mqdiag.cli import run
for arguments in {lines!r}:
    code = run(arguments)
    print(code, *sorted(set({heavy!r}) & set(sys.modules)), sep=",", file=sys.stderr)
"""


def heavy_modules(*arguments: str) -> tuple[str, set[str]]:
    """Exit code of a command line, and the heavy modules that it left imported."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT.format(lines=[list(arguments)], heavy=HEAVY)],
        capture_output=True,
        text=True,
        check=True,
    )
    code, *modules = done.stderr.strip().splitlines()[-1].split(",")
    return code, set(modules)


LIGHT = [
    ["--help"],
    ["--version"],
    *([*name.split(), "--help"] for name in mqdiag.list_commands(click.Context(mqdiag))),
    ["rules"],
    ["rules", "input-incomplete"],
]


def test_light_commands_import_nothing_heavy() -> None:
    """One process runs all of them: what one imports is there after it."""
    code = SCRIPT.format(lines=LIGHT, heavy=HEAVY)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    ends = dict(zip(map(" ".join, LIGHT), done.stderr.splitlines(), strict=True))
    assert {command: end for command, end in ends.items() if end != "0"} == {}


@pytest.mark.parametrize(
    "arguments", [("heap", "x", "--expect", "bad"), ("heap", "x", "-o", "/no/such/folder/r")]
)
def test_wrong_usage_is_told_before_anything_heavy(arguments: tuple[str, ...]) -> None:
    assert heavy_modules(*arguments) == ("2", set())


@CHECK
def test_thread_dumps_need_nothing_heavy(tmp_path: Path) -> None:
    dump = tmp_path / "jstack.txt"
    dump.write_text(
        "2026-11-21 08:00:00\nFull thread dump OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode):\n\n"
        '"main" #1 prio=5 os_prio=0 cpu=1.00ms elapsed=2.00s tid=0x00007f00 nid=0x1 runnable  [0x00007f01]\n'
        "   java.lang.Thread.State: RUNNABLE\n\tat com.example.Main.main(Main.java:1)\n\n"
        '"VM Thread" os_prio=0 cpu=1.00ms elapsed=2.00s tid=0x00007f02 nid=0x2 runnable\n\n'
    )
    assert heavy_modules("stacks", str(dump)) == ("0", set())


@CHECK
def test_a_short_log_needs_nothing_heavy() -> None:
    """A long one is searched by a kernel."""
    assert heavy_modules("logs", str(FIXTURES / "logs/healthy-5.3.3/broker/store.log.gz"))[1] == set()


def test_the_check_sees_what_it_looks_for() -> None:
    code = "import numpy"
    done = subprocess.run(
        [sys.executable, "-c", code + SCRIPT.format(lines=[["--version"]], heavy=HEAVY)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr.strip() == "0,numpy"


COUNT = """
import sys
from mqdiag.cli import run
run({arguments!r})
print(sum(name.partition(".")[0] == "mqdiag" for name in sys.modules), file=sys.stderr)
"""


def own_modules(*arguments: str) -> int:
    """How many modules of ours a command line imports."""
    done = subprocess.run(
        [sys.executable, "-c", COUNT.format(arguments=list(arguments))],
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stderr.strip().splitlines()[-1])


@CHECK
@pytest.mark.parametrize(
    ("arguments", "most"), MOST_MODULES.items(), ids=[arguments[0] for arguments in MOST_MODULES]
)
def test_a_command_imports_few_modules_of_ours(arguments: tuple[str, ...], most: int) -> None:
    count = own_modules(*arguments)
    assert count <= most, "import it where it is needed, or raise the number with a reason"
    assert count > most * 0.9, "lower the number, so that it stays"


def test_the_package_itself_imports_nothing_but_itself() -> None:
    code = "import sys; before = set(sys.modules); import mqdiag; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["mqdiag"]


@CHECK
def test_a_heap_dump_needs_no_compiler() -> None:
    dump = Path(__file__).parents[1] / "fixtures/heap/no-rocketmq/dump.hprof.gz"
    assert heavy_modules("warm")[0] == "0"
    assert heavy_modules("heap", str(dump)) == ("0", {"numpy"})


def test_whether_kernels_are_kept_is_told_without_numpy() -> None:
    code = "import sys; from mqdiag.kernel import folder; folder.is_ready(('logs',)); print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


RUN_ANYWHERE = {"mqdiag.workers", "mqdiag.cli.completion", "mqdiag.given_toml", "mqdiag.read.stacks.reader"}
"""modules that run in other processes too, import their own caller, or need a package that only a checkout has"""
LISTED = """
import os, sys
from mqdiag.cli import run
run({arguments!r})
os.write({pipe}, chr(10).join(sys.modules).encode())
"""
DUMP = str(FIXTURES / "heap/no-rocketmq/dump.hprof.gz")
RUNS = (
    *MOST_MODULES,
    *((*name.split(), "--help") for name in mqdiag.list_commands(click.Context(mqdiag))),
    *(("--version",), ("rules", "--format", "json"), ("no-such-command",), ("completion", "bash"), ("cache",)),
    *(("heap", "missing"), ("heap", DUMP), ("show", DUMP, "java.lang.String"), ("secrets", DUMP), ("warm",)),
    *(("query", DUMP, "select 1"), ("diff", DUMP, DUMP), ("stacks", "x", "--expect", "bad")),
    *(
        ("diagnose", str(FIXTURES / part))
        for part in ("incidents/stuck-http", "admin/5.3.3", "stores/power-loss-5.3.3")
    ),
    ("knowledge", "check", str(FIXTURES / "knowledge/acme")),
)


def imported_by(arguments: tuple[str, ...]) -> frozenset[str]:
    """All modules that a command line leaves imported."""
    reader, writer = os.pipe()
    program = [sys.executable, "-c", LISTED.format(arguments=list(arguments), pipe=writer)]
    with subprocess.Popen(
        program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=(writer,)
    ) as process:
        os.close(writer)
        with os.fdopen(reader) as file:
            names = frozenset(file.read().split())
        process.wait()
    assert names, arguments
    return names


def deferred() -> Iterator[tuple[str, str, str]]:
    """(module, what it imports inside of a function, file and line)."""
    for file in sorted((ROOT / "mqdiag").rglob("*.py")):
        module = ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for function in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(function, ast.FunctionDef):
                for node in ast.walk(function):
                    if isinstance(node, ast.ImportFrom) and node.module:
                        for name in node.names:
                            yield (
                                module,
                                f"{node.module} {name.name}",
                                f"{file.relative_to(ROOT)}:{node.lineno}",
                            )


@pytest.mark.nightly
def test_an_import_inside_of_a_function_keeps_a_module_from_some_command() -> None:
    """Else it stands at the head of its file; `docs/adr/0017-deferred-imports.md` says why."""
    runs = [imported_by(arguments) for arguments in RUNS]
    known = frozenset[str]().union(*runs)
    needless = set()
    for module, target, place in deferred():
        package, _, name = target.partition(" ")
        wanted = f"{package}.{name}" if f"{package}.{name}" in known else package
        holders = [run for run in runs if module in run]
        if holders and module not in RUN_ANYWHERE and all(wanted in run for run in holders):
            needless.add(f"{place} imports {target}")
    assert needless == set()
