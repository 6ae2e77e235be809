"""Which test reaches which line, and what each costs: a plugin of pytest, `-p tests.mutation.covered`.

Processes that a test starts are not traced, so a fault that only they meet counts as unnoticed.
"""

from __future__ import annotations

import json
import os
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import coverage
import pytest

from mqdiag.kernel import Kernel

ROOT = Path(__file__).parents[2]
PACKAGES = ("rules", "threads", "logs", "read", "graph", "render")
"""of mqdiag, which are mutated"""
FIXTURE = "fixture "
"""begins the context of what is made once for several tests"""


def cpu_s() -> float:
    """Of this process and of those that it waited for."""
    own, others = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


class Covered:
    """Writes `PART.sqlite`, coverage by test, and `PART.json`, what else is known of each test."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._coverage = coverage.Coverage(
            data_file=str(target.with_suffix(".sqlite")),
            source=[str(ROOT / "mqdiag" / package) for package in PACKAGES],
            config_file=False,
        )
        self._coverage.set_option("run:disable_warnings", ["no-data-collected"])
        self._coverage.erase()
        self._now = ""
        self._kernels: set[str] = set()
        self._tests: dict[str, dict[str, Any]] = {}
        self._native = Kernel.__call__

    def pytest_sessionstart(self) -> None:
        note, native = self._note, self._native

        def call(kernel: Kernel, *arguments: Any) -> Any:
            note(f"{kernel.__module__}.{kernel.__name__}")
            return native(kernel, *arguments)

        Kernel.__call__ = call  # type: ignore[method-assign]
        self._coverage.start()

    def _note(self, kernel: str) -> None:
        self._kernels.add(kernel)

    def _switch(self, context: str) -> str:
        before, self._now = self._now, context
        self._coverage.switch_context(context)
        return before

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._switch(item.nodeid)
        self._kernels.clear()
        begun = cpu_s()
        of_item: dict[str, Any] = item._fixtureinfo.name2fixturedefs  # type: ignore[attr-defined]
        shared = [
            f"{FIXTURE}{one[-1].baseid}::{name}" for name, one in of_item.items() if one[-1].scope != "function"
        ]
        self._tests[item.nodeid] = {"passed": True, "shared": shared}
        try:
            return (yield)
        finally:
            self._tests[item.nodeid] |= {"cpu_s": round(cpu_s() - begun, 4), "kernels": sorted(self._kernels)}

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[Any]:
        if fixturedef.scope == "function":
            return (yield)
        before = self._switch(f"{FIXTURE}{fixturedef.baseid}::{fixturedef.argname}")
        try:
            return (yield)
        finally:
            self._switch(before)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.outcome != "passed":
            self._tests[report.nodeid]["passed"] = False

    def pytest_sessionfinish(self) -> None:
        self._coverage.stop()
        self._coverage.save()
        self._target.with_suffix(".json").write_text(json.dumps(self._tests))


def pytest_configure(config: pytest.Config) -> None:
    """Take part only where a target is named."""
    target = os.environ.get("MUTATION_COVERAGE")
    if target:
        config.pluginmanager.register(Covered(Path(target)))
