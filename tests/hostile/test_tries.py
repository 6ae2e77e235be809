"""The tables of SECURITY.md and of this folder's README are those of the tests."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.hostile.tries import PAGE, page
from tests.layers import CHECK

ROOT = Path(__file__).parents[2]


@CHECK
def test_the_counts_of_tries_are_those_of_the_tests() -> None:
    assert page() == PAGE.read_text(), "run: python -m tests.hostile.tries --write"


@CHECK
def test_every_test_that_the_readme_names_is_there() -> None:
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", (Path(__file__).parent / "README.md").read_text())
    assert len(named) > 30
    for file, name in named:
        tree = ast.parse((ROOT / "tests" / file).read_text())
        functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert name in functions, f"{file}::{name}"
