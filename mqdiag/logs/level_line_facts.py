"""WARN and ERROR lines of all logs to facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from mqdiag.facts.log_lines import LevelLineFacts, UnknownText
from mqdiag.logs.level_lines import LevelLines

MOST_COMMON = 3
_THROWN = "thrown"
"""the reason of lines of which only their exception of the remoting protocol is known"""


def level_line_facts(logs: Iterable[LevelLines], *, is_excerpt: bool = False) -> LevelLineFacts:
    """The lines of all logs together.

    Args:
        logs: the lines of each.
        is_excerpt: whether somebody cut the lines out: an exception among them is no small number.
    """
    verdicts: Counter[str] = Counter()
    passing: Counter[str] = Counter()
    symptoms: Counter[str] = Counter()
    texts: Counter[str] = Counter()
    foreign = unseen = 0
    for log in logs:
        for entry, count in log.entries.items():
            verdicts[entry.verdict] += count
            if entry.verdict == "symptom" or (
                is_excerpt and entry.verdict == "passing" and entry.reason == _THROWN
            ):
                symptoms[entry.rule] += count
            elif entry.verdict == "passing":
                passing[entry.rule] += count
        texts.update(log.texts)
        foreign += log.foreign
        unseen += log.unseen
    return LevelLineFacts(
        harmless=verdicts["harmless"],
        passing=dict(sorted(passing.items())),
        symptoms=dict(sorted(symptoms.items())),
        faults=verdicts["fault"],
        unclassified=verdicts["unclassified"],
        foreign=foreign,
        unseen=unseen,
        commonest=tuple(UnknownText(text=text, count=count) for text, count in texts.most_common(MOST_COMMON)),
    )
