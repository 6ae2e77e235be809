"""Finds every rule file, so that adding a rule is adding a file."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import ModuleType

from mqdiag.rules.registry import Rule

SHARED = frozenset(("discovery", "engine", "registry", "shared"))
"""modules and folders of this package that are no rules"""


@cache
def rule_modules() -> tuple[ModuleType, ...]:
    """All rule files of this package, by name."""
    import mqdiag.rules as package

    modules = []
    for found in pkgutil.iter_modules(package.__path__):
        if found.name in SHARED or found.name.startswith("_"):
            continue
        module = importlib.import_module(f"mqdiag.rules.{found.name}")
        if not found.ispkg:
            if hasattr(module, "RULE"):
                modules.append(module)
            continue
        modules += [
            importlib.import_module(f"{module.__name__}.{inner.name}")
            for inner in pkgutil.iter_modules(module.__path__)
            if not inner.name.startswith("_")
        ]
    return tuple(modules)


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule, by name; a rule file holds exactly one, as `RULE`."""
    rules = []
    for module in rule_modules():
        made = getattr(module, "RULE", None) or getattr(module, "check", None)
        if not isinstance(made, Rule):
            raise TypeError(f"{module.__name__} has no RULE")
        rules.append(made)
    names = [rule.name for rule in rules]
    if len(names) != len(set(names)):
        raise ValueError("two rules have the same name")
    return tuple(sorted(rules, key=lambda rule: rule.name))
