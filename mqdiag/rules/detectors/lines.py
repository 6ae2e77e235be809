"""Lines of logs that show a case by being there, or by being many: what `[[detect.lines]]` of a card says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import EvidenceValue, Subject
from mqdiag.knowledge.detect import Choice, Lines, Number
from mqdiag.log_events import by_group, enough, events, lines_of, most_frequent, one_of_several, only
from mqdiag.rules.draft import Findings, Limits, Result
from mqdiag.rules.shared.brokers import brokers_of_logs, subject_of_logs
from mqdiag.text import Text

if TYPE_CHECKING:
    from mqdiag.rules.rule import Rule

Values = dict[str, EvidenceValue | Text]


def in_lines(rule: Rule, shown: Lines, facts: Facts, limits: Limits) -> Findings:
    """One finding for each process, broker or group with such lines; for each kind where each has its own case."""
    meant: list[tuple[tuple[str, ...], tuple[Choice, ...]]] = [
        ((kind,), (Choice(case),)) for kind, case in shown.by_kind.items()
    ]
    for kinds, choices in meant or [(shown.lines, shown.choices)]:
        for logs, group, found in _parts(facts, shown, kinds):
            if not enough(logs, lines_of(found), limits[shown.at_least] if shown.at_least else 1):
                continue
            if _passed(found, events(logs, *shown.unless_later)):
                continue
            yield _said(rule, shown, choices, limits, logs, group, found)


def _parts(
    facts: Facts, shown: Lines, kinds: tuple[str, ...]
) -> Iterator[tuple[LogsFacts, str | None, list[LogEvent]]]:
    """The lines that count together, with their logs and their group."""
    if facts.logs is None:
        return
    for logs in [facts.logs] if shown.each == "process" else brokers_of_logs(facts):
        if shown.each != "group":
            yield logs, None, events(logs, *kinds)
            continue
        for group, found in by_group(logs, *kinds).items():
            yield logs, group, found


def _passed(found: list[LogEvent], later: list[LogEvent]) -> bool:
    """Whether the last line is one that shows that it passed; of lines without times any does."""
    last = [event.last for event in found if event.last is not None]
    after = [event.last for event in later if event.last is not None]
    if not last and not after:
        return bool(later)
    return bool(last and after) and max(after) >= max(last)


def _said(
    rule: Rule,
    shown: Lines,
    choices: tuple[Choice, ...],
    limits: Limits,
    logs: LogsFacts,
    group: str | None,
    found: list[LogEvent],
) -> Result:
    values: Values = {name: _value(one, logs, found) for name, one in shown.values.items()}
    seen = {name for event in found for name in (event.kind, *event.values)}
    flags = {name: sign in seen for name, sign in shown.flags.items()}
    case = next(one.case for one in choices if _is_meant(one, {**values, **flags}, limits))
    listed = rule.texts.case[case].evidence
    evidence = {
        name: value
        for name, value in values.items()
        if not isinstance(value, Text) and (name in listed or value is not None)
    }
    return rule.case(
        case,
        logs=logs,
        events=found,
        subject=_subject(shown, logs, group, found),
        evidence=evidence,
        words={**flags, **{name: value for name, value in values.items() if name not in evidence}},
    )


def _is_meant(choice: Choice, known: dict[str, EvidenceValue | Text | bool], limits: Limits) -> bool:
    if choice.if_ and not known[choice.if_]:
        return False
    reached = ((known[name], limits[limit]) for name, limit in choice.at_least.items())
    return all(isinstance(value, int | float) and value >= limit for value, limit in reached)


def _subject(shown: Lines, logs: LogsFacts, group: str | None, found: list[LogEvent]) -> Subject | None:
    """What the card asks for; by itself a finding is about its broker or its group."""
    if not shown.subject:
        return None if shown.each == "broker" else Subject(group=group)
    if shown.each == "process" and "broker" in shown.subject:
        return one_of_several(logs)
    of_logs = subject_of_logs(logs, found) if "broker" in shown.subject else Subject()
    return Subject(
        group=group,
        topic=_only(found, "topic") if "topic" in shown.subject else None,
        thread=_only(found, "thread") if "thread" in shown.subject else None,
        broker=of_logs.broker,
        instance=of_logs.instance,
    )


def _only(found: list[LogEvent], part: str) -> str | None:
    names = {only(event, part) for event in found}
    return names.pop() if len(names) == 1 else None


def _value(one: Number, logs: LogsFacts, found: list[LogEvent]) -> EvidenceValue | Text:
    if one.only:
        return _only(found, one.only)
    if one.quotes:
        return next((event.example for event in found if event.example), None)
    if one.subjects:
        return most_frequent(found[0])
    number = _number(one, logs, found)
    if number is None or number == one.unless:
        return None
    return (number - one.less) // one.per


def _number(one: Number, logs: LogsFacts, found: list[LogEvent]) -> int | None:
    if one.number is not None or one.lines:
        return logs.count(*one.lines) if one.lines else one.number
    best: Callable[..., int | None] = max if one.largest else min
    name = one.largest or one.smallest
    return best((event.values[name] for event in found if name in event.values), default=None)
