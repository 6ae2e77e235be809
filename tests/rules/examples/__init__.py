"""For each rule facts that make it speak, and facts just below its limit: `fires()` and `silent()` of its module."""

from __future__ import annotations

import importlib
from types import ModuleType


def example_of(rule: ModuleType) -> ModuleType:
    """The examples of a rule's module."""
    name = rule.__name__.rpartition(".")[2]
    try:
        return importlib.import_module(f"tests.rules.examples.{name}")
    except ModuleNotFoundError:
        return rule
