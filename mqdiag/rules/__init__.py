"""One fault, one file: the rules, found by scanning this package.

To add a rule, copy a rule file, change it, and run `make test`. Nothing is listed anywhere.
"""

from mqdiag.rules.discovery import all_rules, cards_of, rule_files, rules_about
from mqdiag.rules.engine import Outcome, run_rules
from mqdiag.rules.registry import Draft, Limits, Rule, Skip

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
