"""WARN and ERROR lines of all logs to facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import msgspec

from mqdiag.facts.log_lines import MOST_PASSING, HeavyLine, LevelLineFacts, ReportedFault, UnknownText
from mqdiag.logs.catalogue import Entry
from mqdiag.logs.level_lines import LevelLines

MOST_COMMON = 3
MOST_HEAVY = 5
_THROWN = "thrown"
"""the reason of lines of which only their exception of the remoting protocol is known"""


def level_line_facts(
    logs: Iterable[tuple[str, LevelLines, int | None]], *, is_excerpt: bool = False
) -> LevelLineFacts:
    """The lines of all logs together.

    Args:
        logs: of each its path, its lines, and for how many ms it goes on after the last of them that is not harmless.
        is_excerpt: whether somebody cut the lines out: an exception among them is no small number.
    """
    verdicts: Counter[str] = Counter()
    passing: Counter[str] = Counter()
    symptoms: Counter[str] = Counter()
    texts: Counter[str] = Counter()
    foreign = unseen = 0
    logs = list(logs)
    quiet = [quiet_ms for _, log, quiet_ms in logs if log.texts or log.foreign or log.samples]
    for _, log, _ in logs:
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
        heaviest=_heaviest(
            ((path, log) for path, log, _ in logs),
            {*symptoms, *(rule for rule, count in passing.items() if count > MOST_PASSING)},
        ),
        reported=_reported((path, log) for path, log, _ in logs),
        quiet_s=min((ms for ms in quiet if ms is not None), default=0) / 1000 if None not in quiet else None,
    )


def _heaviest(logs: Iterable[tuple[str, LevelLines]], weak: set[str]) -> tuple[HeavyLine, ...]:
    """The lines that weigh most, one of each kind.

    Args:
        logs: the path and the lines of each.
        weak: rules whose lines a start or a shutdown does not explain.
    """
    found: dict[str | Entry, tuple[bool, HeavyLine]] = {}
    for path, log in logs:
        for kind, sample in log.samples.items():
            if isinstance(kind, str):
                count = log.texts[kind]
            elif kind.rule in weak or kind.verdict == "fault":
                count = log.entries[kind]
            else:
                continue
            loud, before = found.get(kind, (False, None))
            line = before or HeavyLine(path=path, line=sample.line, text=sample.text, count=0)
            found[kind] = loud or sample.loud, msgspec.structs.replace(line, count=line.count + count)
    ordered = sorted(found.values(), key=lambda one: (not one[0], -one[1].count))
    return tuple(line for _, line in ordered[:MOST_HEAVY])


def _reported(logs: Iterable[tuple[str, LevelLines]]) -> tuple[ReportedFault, ...]:
    """What failed by RocketMQ's own words, one row for each part; an error stands for its part before a warning."""
    found: dict[str, ReportedFault] = {}
    for path, log in logs:
        for kind, sample in log.samples.items():
            if isinstance(kind, str) or kind.verdict != "fault":
                continue
            before = found.get(kind.reason)
            lines = log.entries[kind] + (before.lines if before is not None else 0)
            if before is not None and (before.is_error or not sample.loud):
                found[kind.reason] = msgspec.structs.replace(before, lines=lines)
                continue
            found[kind.reason] = ReportedFault(
                part=kind.reason,
                component=kind.classes.partition(",")[0].rpartition(".")[2],
                lines=lines,
                is_error=sample.loud,
                in_own_log=log.own_file,
                path=path,
                line=sample.line,
                text=sample.text,
            )
    return tuple(sorted(found.values(), key=lambda one: -one.lines))
