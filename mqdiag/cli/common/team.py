"""The folders of a team's knowledge: those that the user names, and those of the configuration."""

from __future__ import annotations

import os

from mqdiag.cli.common.failures import complain
from mqdiag.errors import UsageError
from mqdiag.knowledge.team import Team, read_team
from mqdiag.knowledge.team.folder import GivenFile, files_of
from mqdiag.rules.catalogue import rule_files
from mqdiag.text import say
from mqdiag.trusted import Untrusted

MOST_FOLDERS = 16


def read_folders(named: tuple[str, ...], of_config: tuple[str, ...], base: str, *, was_found: bool) -> Team:
    """What all folders say, in use from now on; one that others can write to is told and left out if it was found.

    Args:
        named: folders that the user names.
        of_config: folders that the configuration names.
        base: the folder that these are relative to.
        was_found: the user did not name the configuration.

    Raises:
        UsageError: a folder cannot be read, or a file is wrong.
    """
    folders = {os.path.realpath(folder): (folder, False) for folder in named}
    for given in of_config:
        folder = os.path.join(base, given)
        folders.setdefault(os.path.realpath(folder), (folder, was_found))
    if len(folders) > MOST_FOLDERS:
        raise UsageError(say("more than {most:count} folders of knowledge are named", most=MOST_FOLDERS))
    files: list[GivenFile] = []
    for folder, found in folders.values():
        try:
            files += files_of(folder, was_found=found)
        except Untrusted as error:
            line = say(
                "{path} is not used: {reason}; name it with --knowledge if it is yours",
                path=folder,
                reason=error.reason,
            )
            complain(line)
    team = read_team(files, names_of_rules())
    team.use()
    return team


def names_of_rules() -> frozenset[str]:
    """All rules to which a team can add words."""
    return frozenset(file.name for file in rule_files())
