"""What a team knows of its own software: folders of the same kinds of files as ours, as data and never as code.

A folder has `libraries/*.toml`, `log_statements/*.toml` and `rules/<rule>.toml`. All files are checked before any
evidence is read. Nothing in them lowers or removes what mqdiag finds, apart from one thing that a team alone can know:
which packages are of a library and not of the application.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import msgspec

from mqdiag.errors import UsageError
from mqdiag.knowledge.library_files import add
from mqdiag.knowledge.team.folder import GivenFile
from mqdiag.knowledge.team.form import refused
from mqdiag.knowledge.team.libraries import TeamLibraries
from mqdiag.knowledge.team.rule_words import RuleWords, read_rule_words
from mqdiag.knowledge.team.statement import Statement, read_statements
from mqdiag.text import say

MOST_STATEMENTS = 200
"""each is searched for in every log"""


class Team(msgspec.Struct, frozen=True, kw_only=True):
    """What all folders of a team say."""

    libraries: Mapping[str, bytes] = {}
    """checked and packed files of libraries, as `library_files.add` takes them"""
    library_by: Mapping[str, str] = {}
    """the file of each library by the library's name"""
    others: tuple[tuple[str, str, str], ...] = ()
    """(table, first name in it, file) of what the files of libraries say besides"""
    statements: tuple[Statement, ...] = ()
    rules: Mapping[str, tuple[RuleWords, ...]] = {}
    """by the name of the rule"""

    def use(self) -> None:
        """Take the libraries for known in this process, in place of those of another team."""
        add(self.libraries)


def read_team(given: Iterable[GivenFile], rules: Collection[str]) -> Team:
    """What the files of all folders say.

    Args:
        given: the files, see `folder.files_of`, in the order in which reports name them.
        rules: names of all rules.

    Raises:
        UsageError: a file is wrong.
    """
    team, errors = check_team(given, rules)
    if errors:
        raise errors[0]
    return team


def check_team(given: Iterable[GivenFile], rules: Collection[str]) -> tuple[Team, list[UsageError]]:
    """(what the files say that are right, an error for each wrong file); arguments as for `read_team`."""
    libraries = TeamLibraries()
    statements: dict[str, Statement] = {}
    words: dict[str, tuple[RuleWords, ...]] = {}
    errors: list[UsageError] = []
    for file in given:
        try:
            if file.kind == "libraries":
                libraries.add(file)
            elif file.kind == "log_statements":
                _add_statements(statements, file)
            else:
                found = read_rule_words(file, rules)
                words[found.rule] = (*words.get(found.rule, ()), found)
        except UsageError as error:
            errors.append(error)
    team = Team(
        libraries=libraries.packed,
        library_by=libraries.by,
        others=tuple(libraries.others),
        statements=tuple(statements.values()),
        rules=words,
    )
    return team, errors


def _add_statements(known: dict[str, Statement], file: GivenFile) -> None:
    for number, statement in enumerate(read_statements(file)):
        place = f"statement[{number}]"
        if statement.name in known:
            problem = say(
                "{name} stands in {file} too: expected another name",
                name=statement.name,
                file=known[statement.name].by,
            )
            raise refused(file, f"{place}.name", problem)
        if len(known) >= MOST_STATEMENTS:
            raise refused(file, place, say("expected at most {most:count} statements", most=MOST_STATEMENTS))
        known[statement.name] = statement
