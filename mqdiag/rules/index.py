"""Which rule files there are and which evidence their checks need, told without importing them.

Importing all rules takes longer than most diagnoses. A wheel has the index as a file, which its build wrote;
elsewhere the index is read from the sources.
"""

from __future__ import annotations

import os
import re

NO_RULES = frozenset(("__init__", "discovery", "engine", "index", "registry"))
"""modules of `mqdiag.rules` that are no rules"""
FILE = "index.tsv"
"""one line for each rule: its module, then the kinds of evidence of each check, such as `heap` or `heap+logs`"""
_CHECK = re.compile(r'\n@RULE\.sees\(((?:"\w+"(?:, )?)*)\)\n')

Entry = tuple[str, list[list[str]]]
"""module, and for each of its checks the kinds of evidence that it needs"""


def read_sources(folder: str) -> list[Entry]:
    """The index of a folder of rules, by the decorators of the checks.

    Raises:
        ValueError: a file has no check.
    """
    entries: list[Entry] = []
    for file in sorted(os.listdir(folder)):
        module, dot, ending = file.partition(".")
        if dot + ending != ".py" or module in NO_RULES:
            continue
        with open(os.path.join(folder, file), encoding="utf-8") as source:
            checks = _CHECK.findall(source.read())
        if not checks:
            raise ValueError(f"{file} has no check: a rule file has functions below @RULE.sees(...)")
        entries.append((module, [check.replace('"', "").replace(",", "").split() for check in checks]))
    return entries


def read_index(folder: str) -> list[Entry]:
    """The index that the build wrote, or else that of the sources."""
    try:
        with open(os.path.join(folder, FILE), encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file]
    except FileNotFoundError:
        return read_sources(folder)
    return [(module, [check.split("+") if check else [] for check in checks]) for module, *checks in rows]


def write_index(folder: str, target: str) -> None:
    """Write the index of a folder of rules to a file."""
    with open(target, "w", encoding="utf-8") as file:
        for module, checks in read_sources(folder):
            file.write("\t".join((module, *("+".join(kinds) for kinds in checks))) + "\n")
