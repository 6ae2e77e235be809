"""One fault, one file: the rules, found by scanning this package.

A rule decides in its file here and speaks by its card in `mqdiag/knowledge/rules`. Nothing is listed anywhere.
"""

from mqdiag.rules.discovery import all_rules, cards_of, rule_files, rules_about
from mqdiag.rules.engine import Outcome, run_rules
from mqdiag.rules.rule import Rule
from mqdiag.rules.said import Draft, Limits, Skip

__all__ = [
    "Draft",
    "Limits",
    "Outcome",
    "Rule",
    "Skip",
    "all_rules",
    "cards_of",
    "rule_files",
    "rules_about",
    "run_rules",
]
