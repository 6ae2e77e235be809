"""Words of a team beside those of a rule: `rules/<rule>.toml`."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from mqdiag.knowledge.team.folder import GivenFile
from mqdiag.knowledge.team.form import converted, refused, tables_of
from mqdiag.spelling import did_you_mean, nearest
from mqdiag.text import say

MOST_ACTIONS = 20
LINKS = ("https://", "http://")


class RuleWords(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a file adds to each finding of a rule."""

    runbook: str = ""
    """address of a page that says what to do"""
    actions: tuple[str, ...] = ()
    """what to do, after what mqdiag says"""
    references: tuple[str, ...] = ()
    rule: str = ""
    """name of the rule, from the name of the file"""
    by: str = ""
    """the folder and the name of the file, which is that of the rule"""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    runbook: str = ""
    actions: tuple[str, ...] = ()
    references: tuple[str, ...] = ()


def read_rule_words(file: GivenFile, rules: Collection[str]) -> RuleWords:
    """What a file says.

    Raises:
        UsageError: it is wrong, or there is no such rule.
    """
    name = file.name.removesuffix(".toml")
    if name not in rules:
        raise refused(file, "", did_you_mean(say("there is no rule {name}", name=name), nearest(name, rules)))
    given = converted(file, tables_of(file), _File, {})
    if given.runbook and not given.runbook.startswith(LINKS):
        problem = say(
            "{value} is not an address: expected one that begins with https://", value=repr(given.runbook)
        )
        raise refused(file, "runbook", problem)
    if not (given.runbook or given.actions or given.references):
        raise refused(file, "", say("says nothing: expected runbook, actions or references"))
    check_actions(file, "actions", given.actions)
    return RuleWords(
        runbook=given.runbook,
        actions=given.actions,
        references=given.references,
        rule=name,
        by=file.path_in_folder,
    )


def check_actions(file: GivenFile, place: str, actions: Collection[str]) -> None:
    """Refuse more sentences than anybody reads, and empty ones.

    Raises:
        UsageError: there are.
    """
    if len(actions) > MOST_ACTIONS:
        raise refused(file, place, say("expected at most {most:count} entries", most=MOST_ACTIONS))
    if not all(action.strip() for action in actions):
        raise refused(file, place, say("has an empty text: expected a sentence"))
