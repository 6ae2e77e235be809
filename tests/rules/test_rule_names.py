"""Outside of its own file, and of rules that it explains or leads to, nothing in the package knows a rule by name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from mqdiag.rules.catalogue import rule_files
from tests.layers import CHECK

PACKAGE = Path(__file__).parents[2] / "mqdiag"
OTHER_MEANINGS = {
    ("facts/vocabulary.py", "busy-loop"): "the cause of a standstill",
    ("facts/vocabulary.py", "page-cache-busy"): "the cause of a wait",
    ("facts/vocabulary.py", "regression"): "a kind of change between two runs",
    ("fleet/verdict.py", "regression"): "a kind of change between two runs",
    ("logs/consuming.py", "threshold-divided"): "a kind of log line",
    ("render/openmetrics.py", "regression"): "a kind of change between two runs",
    ("render/sections/log_events.py", "flow-control"): "a section of a report",
    ("rocketmq/broker/broker_facts.py", "disk-full"): "a running flag of a broker",
    ("threads/cause_of_wait.py", "busy-loop"): "the cause of a standstill",
    ("threads/cause_of_wait.py", "page-cache-busy"): "the cause of a wait",
    ("threads/passes.py", "deadlock"): "the cause of a wait",
}
"""by file and word, what else a word means that is a rule's name too"""


def _literals(source: str) -> Iterator[str]:
    """Strings of a source, the pieces of f-strings included."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _named(source: str) -> set[str]:
    """Rules that a source names: a literal that is the name, or the name with one of its causes."""
    names = {rule.name for rule in rule_files()}
    return {name for text in _literals(source) if (name := text.partition(":")[0]) in names}


@CHECK
def test_no_other_code_names_a_rule() -> None:
    found = {
        (path.relative_to(PACKAGE).as_posix(), name)
        for path in PACKAGE.rglob("*.py")
        if "rules" not in path.relative_to(PACKAGE).parts
        for name in _named(path.read_text())
    }
    assert found == set(OTHER_MEANINGS)


def test_a_name_is_seen() -> None:
    assert _named('if rule == "common-cause": pass') == {"common-cause"}
    assert _named('links = {"retry-storm:failing-listener": 1}') == {"retry-storm"}
    assert _named('"""A docstring may say that common-cause exists."""') == set()
