"""`mqdiag knowledge check`: whether files of a team's knowledge, or of mqdiag's own, are right."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mqdiag.cli.common import commands
from mqdiag.cli.common.completion import complete_folders
from mqdiag.cli.common.failures import complain
from mqdiag.cli.common.language import in_reader_language
from mqdiag.cli.common.options import DEBUG_OPTION, MESSAGE_LANG_OPTION
from mqdiag.cli.common.output import Target
from mqdiag.errors import EXIT_CLEAN, EXIT_USAGE
from mqdiag.knowledge.packed import KnowledgeError
from mqdiag.text import Text, say

if TYPE_CHECKING:
    from mqdiag.knowledge.team import Team


@commands.command("knowledge check", short_help="Check files of knowledge, a team's or mqdiag's.")
@commands.argument("folder", metavar="[DIR]", required=False, shell_complete=complete_folders)
@MESSAGE_LANG_OPTION
@DEBUG_OPTION
def command(folder: str | None, debug: bool) -> int:
    """Check the files of DIR, and list what mqdiag understood; each mistake is one line, and the exit code is 2.

    DIR has folders of TOML files: libraries for your own client libraries, log_statements for log lines with a limit,
    and rules for a runbook, actions and references beside those of a rule, in a file of the rule's name.

    Without DIR it checks the files that come with mqdiag: names on cards of rules, libraries and log statements.
    """
    if folder is None:
        return _check_own()
    from mqdiag.cli.common.team import names_of_rules
    from mqdiag.knowledge.team import check_team
    from mqdiag.knowledge.team.folder import files_of
    from mqdiag.render.wording.safe import safe

    team, errors = check_team(files_of(folder), names_of_rules())
    for error in errors:
        complain(error.text)
    lines = (safe(in_reader_language(line), limit=None) for line in _lines(folder, team))
    Target("-").write("".join(f"{line}\n" for line in lines))
    return EXIT_USAGE if errors else EXIT_CLEAN


def _check_own() -> int:
    """Check what comes with mqdiag, for those who write cards."""
    from mqdiag.knowledge import checked_libraries, library_files
    from mqdiag.logs import statements
    from mqdiag.rules.card_names import wrong_cards

    wrong = [*wrong_cards()]
    for check in (partial(checked_libraries.pack, library_files.FOLDER), statements.searched):
        try:
            check()
        except KnowledgeError as error:
            wrong.append(str(error))
    for line in wrong:
        complain(say("{line}", line=line))
    if not wrong:
        Target("-").write(in_reader_language(say("The knowledge of mqdiag is in order.")) + "\n")
    return EXIT_USAGE if wrong else EXIT_CLEAN


def _lines(folder: str, team: Team) -> list[Text]:
    lines = [
        say(
            "{folder}: {libraries:count} {libraries:library|libraries}, {statements:count} log"
            " {statements:statement|statements}, words for {rules:count} {rules:rule|rules}",
            folder=folder,
            libraries=len(team.library_by),
            statements=len(team.statements),
            rules=len(team.rules),
        )
    ]
    lines += [
        say("  library {name} (by {file})", name=name, file=file) for name, file in team.library_by.items()
    ]
    lines += [
        say("  {table} {name} (by {file})", table=table, name=name, file=file)
        for table, name, file in team.others
    ]
    lines += [say("  log statement {name}: {text} (by {file})", one, file=one.by) for one in team.statements]
    lines += [
        say("  rule {name} (by {file})", name=name, file=one.by)
        for name, all_words in team.rules.items()
        for one in all_words
    ]
    return lines
