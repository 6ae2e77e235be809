"""Instances of one group run with different settings."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.rules.rule import Rule
from mqdiag.rules.said import Limits, Said
from mqdiag.rules.shared.differing_instances import findings_of

RULE = Rule("config-drift")


@RULE.sees("fleet")
def in_fleet(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each group and setting."""
    yield from findings_of(RULE, facts, "setting")
