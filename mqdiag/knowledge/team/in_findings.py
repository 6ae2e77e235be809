"""What files of a team add to findings: it stands beside what mqdiag says, and takes nothing away."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from mqdiag.findings import Action, Finding, TeamWords
from mqdiag.knowledge.library import BY, said_by
from mqdiag.knowledge.team import Team
from mqdiag.text import Text, say


def with_team_words(finding: Finding, team: Team) -> Finding:
    """A finding with the words of the team, each with the file that it is from."""
    told: dict[str, TeamWords] = {}
    added: list[Text] = []
    explanation, references = [*finding.explanation], [*finding.references]
    for file, words in (pair for text in finding.remedy for pair in _theirs(text)):
        _tell(told, file, actions=(words,))
    by = finding.evidence.get("by")
    for statement in (one for one in team.statements if (one.name, one.by) == (finding.cause, by)):
        references += statement.references
        _tell(told, statement.by, statement=statement.name, references=statement.references)
    library = finding.evidence.get("library")
    if isinstance(library, str) and library in team.library_by:
        by = team.library_by[library]
        _tell(told, by, library=library)
        explanation.append(say("{library} is a library that {file} describes.", library=library, file=by))
    for own in team.rules.get(finding.rule, ()):
        if own.runbook:
            added.append(say("Runbook: {link} (by {file})", link=own.runbook, file=own.by))
        added += [said_by(action, own.by) for action in own.actions]
        references += own.references
        _tell(told, own.by, runbook=own.runbook or None, actions=own.actions, references=own.references)
    if not told:
        return finding
    return msgspec.structs.replace(
        finding,
        remedy=(*finding.remedy, *added),
        then=(*finding.then, *(Action(text=text, rule=finding.rule) for text in added)),
        explanation=tuple(explanation),
        references=tuple(dict.fromkeys(references)),
        team=tuple(told.values()),
    )


def _tell(
    told: dict[str, TeamWords],
    by: str,
    *,
    actions: tuple[str, ...] = (),
    references: tuple[str, ...] = (),
    **one: str | None,
) -> None:
    known = told.get(by) or TeamWords(by=by)
    told[by] = msgspec.structs.replace(
        known,
        actions=tuple(dict.fromkeys((*known.actions, *actions))),
        references=tuple(dict.fromkeys((*known.references, *references))),
        **one,
    )


def _theirs(text: Text) -> Iterator[tuple[str, str]]:
    """(file, words) of each sentence of a team in a text."""
    values = text.values
    if text.template == BY:
        yield str(values["file"]), str(values["words"])
    for value in values.values():
        if isinstance(value, Text):
            yield from _theirs(value)
