"""What each command imports: the light ones must start fast, so none of them takes numba along."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest

from mqdiag.cli import mqdiag

HEAVY = ("numba", "numpy", "numpy.ma", "pandas", "pyspark", "llvmlite")
FIXTURES = Path(__file__).parents[1] / "fixtures"
MOST_MODULES = {
    ("--help",): 48,
    ("rules",): 229,
    # pools, collectors, containers of listeners, common places, loops and starts are looked for in every series
    ("stacks", str(FIXTURES / "stacks/urlconnection-stuck/series.tar.gz")): 225,
    # what lines leave open is decided in a module that dumps do without
    # what was done to a text is looked for before any reader sees it, in two modules
    ("logs", str(FIXTURES / "logs/healthy-5.3.3/broker/store.log.gz")): 262,
    # packed evidence of any kind, memory that arrays use one after the other, a dump that is unmapped beside the
    # report, and kernels that read fields are subjects of their own
    ("heap", str(FIXTURES / "heap/oversized-oom-4.3.2/dump.hprof.gz")): 377,
}
"""modules of ours that a command imports at most; each takes a third of a millisecond of every run"""
SCRIPT = """
import sys
from mqdiag.cli import run
code = run({arguments!r})
print(code, *sorted(set({heavy!r}) & set(sys.modules)), sep=",", file=sys.stderr)
"""


def heavy_modules(*arguments: str) -> tuple[str, set[str]]:
    """Exit code of a command line, and the heavy modules that it left imported."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT.format(arguments=list(arguments), heavy=HEAVY)],
        capture_output=True,
        text=True,
        check=True,
    )
    code, *modules = done.stderr.strip().splitlines()[-1].split(",")
    return code, set(modules)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("--version",),
        *((*name.split(), "--help") for name in mqdiag.list_commands(click.Context(mqdiag))),
        ("rules",),
        ("rules", "input-incomplete"),
    ],
    ids=" ".join,
)
def test_a_light_command_imports_nothing_heavy(arguments: tuple[str, ...]) -> None:
    assert heavy_modules(*arguments) == ("0", set())


@pytest.mark.parametrize(
    "arguments", [("heap", "x", "--expect", "bad"), ("heap", "x", "-o", "/no/such/folder/r")]
)
def test_wrong_usage_is_told_before_anything_heavy(arguments: tuple[str, ...]) -> None:
    assert heavy_modules(*arguments) == ("2", set())


def test_thread_dumps_need_nothing_heavy(tmp_path: Path) -> None:
    dump = tmp_path / "jstack.txt"
    dump.write_text(
        "2026-11-21 08:00:00\nFull thread dump OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode):\n\n"
        '"main" #1 prio=5 os_prio=0 cpu=1.00ms elapsed=2.00s tid=0x00007f00 nid=0x1 runnable  [0x00007f01]\n'
        "   java.lang.Thread.State: RUNNABLE\n\tat com.example.Main.main(Main.java:1)\n\n"
        '"VM Thread" os_prio=0 cpu=1.00ms elapsed=2.00s tid=0x00007f02 nid=0x2 runnable\n\n'
    )
    assert heavy_modules("stacks", str(dump)) == ("0", set())


def test_a_short_log_needs_nothing_heavy() -> None:
    """A long one is searched by a kernel."""
    assert heavy_modules("logs", str(FIXTURES / "logs/healthy-5.3.3/broker/store.log.gz"))[1] == set()


def test_the_check_sees_what_it_looks_for() -> None:
    code = "import numpy"
    done = subprocess.run(
        [sys.executable, "-c", code + SCRIPT.format(arguments=["--version"], heavy=HEAVY)],
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


def test_a_heap_dump_needs_no_compiler() -> None:
    dump = Path(__file__).parents[1] / "fixtures/heap/no-rocketmq/dump.hprof.gz"
    assert heavy_modules("warm")[0] == "0"
    assert heavy_modules("heap", str(dump)) == ("0", {"numpy"})
