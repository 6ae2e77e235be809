"""Imports rules by what the index says of them, so that adding a rule is adding its files."""

from __future__ import annotations

import importlib
from functools import cache

from mqdiag.rules.catalogue import RuleFile, rule_files
from mqdiag.rules.rule import Rule


def load(file: RuleFile) -> Rule:
    """Import a rule, or make it where its card describes all its checks.

    Raises:
        TypeError: the file has no `RULE` of its name.
    """
    place = f"mqdiag.rules.{file.module}"
    try:
        rule = getattr(importlib.import_module(place), "RULE", None)
    except ModuleNotFoundError as error:
        if error.name != place:
            raise
        return Rule(file.name)
    if not isinstance(rule, Rule) or rule.name != file.name:
        raise TypeError(f"{place} has no RULE named {file.name}")
    return rule


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule, imported, by name."""
    return tuple(map(load, rule_files()))


def rules_about(*kinds: str) -> tuple[Rule, ...]:
    """The rules that have a check for evidence of these kinds alone, imported, by name."""
    return tuple(load(file) for file in rule_files() if any({*check} <= {*kinds} for check in file.evidence))
