"""What to do about a finding, now and then, for all writers."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.findings import Action, Finding
from mqdiag.language import Writer
from mqdiag.text import say

NOW = say("Now")
THEN = say("Then")
NEXT = say("Next")
SEEN = say("Seen")


def then_of(finding: Finding) -> tuple[Action, ...]:
    """What to change so that it does not come back; of a report that tells no kinds, all that it says."""
    if finding.now or finding.then:
        return finding.then
    return tuple(Action(text=text, rule=finding.rule) for text in finding.remedy)


def action_lines(finding: Finding, write: Writer) -> Iterator[str]:
    """Lines of plain text: a heading, and the actions with their numbers."""
    for title, actions in ((NOW, finding.now), (THEN, then_of(finding))):
        if actions:
            yield write(say("{heading}:", heading=title))
            yield from (f"{number}. {write(one.in_a_line)}" for number, one in enumerate(actions, 1))
