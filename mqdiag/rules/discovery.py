"""Finds every rule, so that adding a rule is adding its files, and imports those that are asked for."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Collection
from functools import cache
from typing import NamedTuple

from mqdiag.findings import RuleCard
from mqdiag.rules.index import read_index
from mqdiag.rules.rule import Rule


class RuleFile(NamedTuple):
    """A rule that is not imported yet."""

    name: str
    module: str
    """its file, without ending; a rule of which the card describes all checks has none"""
    evidence: tuple[tuple[str, ...], ...]
    """for each check the kinds of evidence that it needs, as in `Rule.sees`"""

    def load(self) -> Rule:
        """Import the rule, or make it where its card describes all its checks.

        Raises:
            TypeError: the file has no `RULE` of its name.
        """
        place = f"mqdiag.rules.{self.module}"
        if importlib.util.find_spec(place) is None:
            return Rule(self.name)
        rule = getattr(importlib.import_module(place), "RULE", None)
        if not isinstance(rule, Rule) or rule.name != self.name:
            raise TypeError(f"mqdiag.rules.{self.module} has no RULE named {self.name}")
        return rule


@cache
def rule_files() -> tuple[RuleFile, ...]:
    """All rules of this package, by name."""
    files = (
        RuleFile(module.replace("_", "-"), module, tuple(tuple(kinds) for kinds in checks))
        for module, checks in read_index(os.path.dirname(__file__))
    )
    return tuple(sorted(files))


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule, imported, by name."""
    return tuple(file.load() for file in rule_files())


def rules_about(*kinds: str) -> tuple[Rule, ...]:
    """The rules that have a check for evidence of these kinds alone, imported, by name."""
    return tuple(file.load() for file in rule_files() if any({*check} <= {*kinds} for check in file.evidence))


def cards_of(names: Collection[str]) -> dict[str, RuleCard]:
    """The cards of some rules, by name."""
    return {file.name: file.load().card for file in rule_files() if file.name in names}
