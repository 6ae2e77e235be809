"""Which parts of the night a change reaches."""

from __future__ import annotations

from tests.nightly import touched


def test_measurements_and_the_list_of_the_night_reach_none() -> None:
    assert touched(["docs/measurements/nightly.md", "tests/nightly.py"]) == set()


def test_a_file_of_tests_reaches_itself_and_what_takes_from_it() -> None:
    reached = touched(["tests/test_imports.py"])
    assert reached is not None
    assert {"test_imports.py", "cli/test_diagnose_command.py"} <= reached
    assert "graph/test_hostile.py" not in reached
    assert "hostile/test_tries.py" in (touched(["tests/fleet/test_hostile_files.py"]) or set())


def test_all_else_reaches_all() -> None:
    for path in (
        "mqdiag/config.py",
        "tests/layers.py",
        "tests/conftest.py",
        "fixtures/a.gz",
        "Makefile",
        "docs/guides/rule.md",
    ):
        assert touched([path, "docs/measurements/a.md"]) is None, path
