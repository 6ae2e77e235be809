"""Finds every rule file, so that adding a rule is adding a file."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import ModuleType

from mqdiag.rules.registry import Rule


@cache
def rule_modules() -> tuple[ModuleType, ...]:
    """All modules one folder below this package, by name; folders group rules by their evidence."""
    import mqdiag.rules as package

    modules = []
    for folder in pkgutil.iter_modules(package.__path__):
        if folder.ispkg:
            parent = importlib.import_module(f"mqdiag.rules.{folder.name}")
            modules += [
                importlib.import_module(f"{parent.__name__}.{found.name}")
                for found in pkgutil.iter_modules(parent.__path__)
                if not found.name.startswith("_")
            ]
    return tuple(modules)


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule, by name; a rule file holds exactly one, as `check`."""
    rules = []
    for module in rule_modules():
        check = getattr(module, "check", None)
        if not isinstance(check, Rule):
            raise TypeError(f"{module.__name__} has no rule named check")
        rules.append(check)
    names = [rule.card.name for rule in rules]
    if len(names) != len(set(names)):
        raise ValueError("two rules have the same name")
    return tuple(sorted(rules, key=lambda rule: rule.card.name))
