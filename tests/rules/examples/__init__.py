"""For each rule facts that make it speak, and facts just below its limit: `fires()` and `silent()` of its module."""

from __future__ import annotations

import importlib
from types import ModuleType

from mqdiag.rules.catalogue import RuleFile
from mqdiag.rules.rule import Rule


def example_of(rule: ModuleType | Rule | RuleFile) -> ModuleType:
    """The examples of a rule, or of a rule's module."""
    name = rule.RULE.name if isinstance(rule, ModuleType) else rule.name
    return importlib.import_module(f"tests.rules.examples.{name.replace('-', '_')}")
