"""Finds every rule file, so that adding a rule is adding a file."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import ModuleType

from mqdiag.rules.registry import Rule

NO_RULES = frozenset(("discovery", "engine", "registry", "shared"))
"""modules and folders of this package that hold no rule"""


@cache
def rule_modules() -> tuple[ModuleType, ...]:
    """All rule files of this package, by name."""
    import mqdiag.rules as package

    return tuple(
        importlib.import_module(f"{package.__name__}.{found.name}")
        for found in pkgutil.iter_modules(package.__path__)
        if found.name not in NO_RULES
    )


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule, by name.

    Raises:
        TypeError: a file of this package holds no `RULE`.
        ValueError: two rules have the same name.
    """
    rules = []
    for module in rule_modules():
        rule = getattr(module, "RULE", None)
        if not isinstance(rule, Rule):
            raise TypeError(f"{module.__name__} has no RULE")
        rules.append(rule)
    names = [rule.name for rule in rules]
    if len(names) != len(set(names)):
        raise ValueError("two rules have the same name")
    return tuple(sorted(rules, key=lambda rule: rule.name))
