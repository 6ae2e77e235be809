"""Tests speak English, whatever the locale of whoever runs them; those of other languages say so."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import signal
import sys
from collections.abc import Generator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import read_once
from tests.layers import leave_to_the_check, note_what_is_asked_for
from tests.programs import summary

os.environ["LC_ALL"] = "C.UTF-8"
# Large dumps of tests are of no use to whoever runs them.
os.environ["MQDIAG_CACHE_SIZE"] = "0"
# Workers of pytest-xdist have the width of their terminal there, which would be that of every report.
os.environ.pop("COLUMNS", None)
# A shell that runs the tests in the background has them ignore interrupts, and so would all that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)
# A slow or busy machine is no failure.
settings.register_profile(
    "any machine", settings(), deadline=None, suppress_health_check=(HealthCheck.too_slow,)
)
settings.load_profile("any machine")


# jsonschema, which kubernetes-validate uses, imports it if it is there, which takes seconds: it makes grammars of
# addresses, which we do not check.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

TESTS = Path(__file__).parent
MOST_GROWTH = 160 << 20
"""bytes that a process may grow by before cycles are searched for: what a test leaves behind is often held by one"""
LONGEST_NAME = 120
"""characters of a text that is a part of a test's name"""


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes are no names: those of an archive hold the time, and workers that collect at two times would disagree.

    Nor are long texts: the name of the running test is in the environment of each program that it starts.
    """
    return argname if isinstance(val, bytes) or (isinstance(val, str) and len(val) > LONGEST_NAME) else None


def pytest_configure(config: pytest.Config) -> None:
    note_what_is_asked_for(config.option.markexpr)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """In a fresh clone the workers that collect everything write the bytecode of a part of the files each.

    All of them need all files, and to rewrite the assertions of one takes much longer than to read it.
    """
    gc.disable()  # hardly anything of what is collected is garbage
    given = getattr(session.config, "workerinput", None)
    if given is None or [Path(one).resolve() for one in session.config.args] != [TESTS]:
        return
    own, workers = int(given["workerid"].removeprefix("gw")), given["workercount"]
    for path in sorted(TESTS.rglob("test_*.py"))[own::workers]:
        with contextlib.suppress(Exception, pytest.skip.Exception):  # pytest tells when it comes to the file
            importlib.import_module(".".join(path.relative_to(TESTS.parent).with_suffix("").parts))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    leave_to_the_check(items)


def pytest_collection_finish() -> None:
    """Thousands of tests that were collected are no garbage, and take long to look through."""
    gc.enable()
    gc.freeze()
    gc.set_threshold(200_000)  # as the program has it
    _size["collected"] = _resident()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Nobody reads what a test printed that passed, and to hand it from process to process takes long."""
    report = yield
    if report.passed:
        report.sections, report.keywords = [], {}
    return report


def pytest_runtest_logfinish() -> None:
    if _resident() > _size["collected"] + MOST_GROWTH:
        gc.collect()
        gc.freeze()  # what is left now are answers that several tests look at
        _size["collected"] = _resident()


_size = {"collected": 0}
_memory = os.open("/proc/self/statm", os.O_RDONLY)
_PAGE_BYTES = os.sysconf("SC_PAGESIZE")


def _resident() -> int:
    """Bytes of memory that this process holds."""
    return int(os.pread(_memory, 100, 0).split()[1]) * _PAGE_BYTES


def pytest_unconfigure(config: pytest.Config) -> None:
    """Behind pytest's own last line, where nobody overlooks it; programs that read the run in CI want that one last."""
    gc.unfreeze()  # or libraries tell of leaks
    if not os.environ.get("CI"):
        _tell_what_was_skipped(config)


def pytest_terminal_summary(config: pytest.Config) -> None:
    if os.environ.get("CI"):
        _tell_what_was_skipped(config)


def _tell_what_was_skipped(config: pytest.Config) -> None:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    line = None if reporter is None else summary(str(one.longrepr) for one in reporter.stats.get("skipped", ()))
    if line is not None:
        reporter.write_line(line)


_folders = count()


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the test's own, by its number: that of pytest looks through the folders of all tests before it."""
    folder = tmp_path_factory.getbasetemp() / f"test-{next(_folders)}"
    folder.mkdir(0o700)
    return folder


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    read_once.choose(item)


@pytest.fixture
def read_again() -> None:
    """The test reads evidence itself, whoever read it before."""


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """What a team knows is of the process; the next test has none."""
    if (files := sys.modules.get("mqdiag.knowledge.library_files")) is not None:
        files.add({})
