"""Fills the words of a case from what its check gave."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

import msgspec

from mqdiag.facts.known import NAMES, OF_RUN
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import EvidenceValue, Subject, TimeRange
from mqdiag.knowledge.rule_card import Card, Case, Entry, Line, Sentence, shared_actions
from mqdiag.log_events import (
    MOST_NAMED,
    counted,
    files_of,
    lines_of,
    most_frequent,
    most_frequent_counted,
    when,
)
from mqdiag.rules.draft import Step
from mqdiag.rules.shared.brokers import called, subject_of_logs
from mqdiag.text import ARGUMENT, NOTHING, Text, Value, placeholders, say, sentences
from mqdiag.time_ranges import ranges_of

BY_ENGINE = frozenset(NAMES)
"""values that the engine knows and fills in later"""
EVENT_LINES, SUBJECT_LINES = "event_lines", "subject_lines"
"""names in `evidence` of a case that stand for the numbers of `counted` and of `most_frequent_counted`"""
Known = Mapping[str, Value | EvidenceValue]


class Filling:
    """The words of one case of a rule's card with the values of one finding; see `Rule.case` for the arguments."""

    def __init__(
        self,
        rule: str,
        card: Card,
        name: str,
        of: tuple[object, ...],
        subject: Subject | None,
        evidence: Mapping[str, EvidenceValue],
        words: Mapping[str, Value],
        rows: Mapping[str, tuple[Mapping[str, Value], ...]],
        given: Mapping[str, tuple[Text, ...]],
        logs: LogsFacts | None,
        events: tuple[LogEvent, ...],
    ) -> None:
        self._place = f"rule {rule}, case {name}"
        self._card = card
        self.case: Case = card.case[name]
        self._rows, self._given, self._events = rows, given, events
        if subject is None:
            subject = Subject() if logs is None else subject_of_logs(logs, [*events])
        self.subject = subject
        self._words: Known = {"called": called(subject.broker), **msgspec.structs.asdict(subject), **words}
        gathered = self._evidence(of, evidence)
        shown = {name: value for name, value in words.items() if value is not None}
        self._known: Known = {**self._words, **gathered, **shown}
        may_lack = self.case.if_known
        self.evidence = {
            name: value for name, value in gathered.items() if value is not None or name not in may_lack
        }

    def title(self) -> Text:
        """The title.

        Raises:
            KeyError: no title of the case has all values that it names.
        """
        title = self.first(self.case.title)
        if not title:
            raise KeyError(f"{self._place}: every title lacks a value")
        return title

    def first(self, texts: str | Iterable[Sentence]) -> Text:
        """The first sentence whose condition holds and whose values are known; nothing where there is none."""
        if isinstance(texts, str):
            texts = (texts,) if texts else ()
        return next((text for one in texts for text in self._line(one)), NOTHING)

    def lines(self, entries: Iterable[Entry]) -> tuple[Text, ...]:
        """The lines that can be written."""
        return tuple(line for entry in entries for line in self._lines(entry))

    def steps(self, entries: Iterable[Entry]) -> tuple[Step, ...]:
        """The actions of which something can be said."""
        return tuple(step for entry in entries for step in self._steps(entry))

    @cached_property
    def when(self) -> tuple[TimeRange, ...]:
        """When the events were."""
        return tuple(ranges_of([*self._events]))

    @property
    def files(self) -> tuple[str, ...]:
        """The logs that the events were read from."""
        return files_of(self._events)

    def _evidence(
        self, of: tuple[object, ...], evidence: Mapping[str, EvidenceValue]
    ) -> dict[str, EvidenceValue]:
        found: dict[str, EvidenceValue] = {}
        for name in (*self.case.evidence, *self.case.if_known):
            if name in evidence:
                found[name] = evidence[name]
            elif name == EVENT_LINES:
                found |= counted(self._events)
            elif name == SUBJECT_LINES:
                found |= most_frequent_counted(*self._events)
            elif (owner := next((one for one in of if hasattr(one, name)), None)) is not None:
                found[name] = getattr(owner, name)
            elif name == "lines" and self._events:
                found[name] = lines_of(self._events)
            elif None in of or name in self.case.if_known:
                found[name] = None
            else:
                raise KeyError(f"{self._place}: evidence {name} was not given")
        return {**found, **evidence}

    def _lines(self, entry: Entry) -> Iterator[Text]:
        if isinstance(entry, tuple):
            whole = sentences(*(text for one in entry for text in self._line(one)))
            if whole:
                yield whole
        else:
            yield from self._line(entry)

    def _steps(self, entry: Entry) -> Iterator[Step]:
        line = entry if isinstance(entry, Line) else None
        if line is None or not (line.command or line.risk or line.use in shared_actions()):
            yield from (Step(texts=(text,)) for text in self._lines(entry))
        elif not line.use:
            yield from self._step(line, lenient=bool(line.for_each))
        elif self._stands(line, self._known, lenient=False):
            for shared in self._card.steps_of(line):
                yield from self._step(shared, lenient=True)

    def _step(self, line: Line, *, lenient: bool) -> Iterator[Step]:
        rows = [{**self._known, **row} for row in self._rows[line.for_each]] if line.for_each else [self._known]
        for known in rows:
            if self._stands(line, known, lenient=lenient):
                ways = (line.first_of, line.command, line.risk, line.then)
                texts, commands, risks, then = (self._ways(way, known) for way in ways)
                if texts := texts or tuple(self._written(line, known, lenient=True)):
                    yield Step(texts=texts, commands=commands, risks=risks, then=then)

    def _ways(self, templates: str | tuple[str, ...], known: Known) -> tuple[Text, ...]:
        """Each of several ways to say something whose values are known, or are left to the engine."""
        ways = (templates,) if isinstance(templates, str) else templates
        return tuple(text for way in ways if way and (text := self._filled(way, known, lenient=True)))

    def _line(self, sentence: Sentence) -> Iterator[Text]:
        line = sentence if isinstance(sentence, Line) else Line(say=sentence)
        if line.for_each:
            for row in self._rows[line.for_each]:
                yield from self._written(line, {**self._known, **row}, lenient=True)
        elif line.for_each_event:
            kinds = line.for_each_event
            kinds = (kinds,) if isinstance(kinds, str) else kinds
            for event in self._events:
                if "*" in kinds or event.kind in kinds:
                    yield from self._written(line, {**self._words, **self._of(event)}, lenient=True)
        else:
            yield from self._written(line, self._known, lenient=False)

    def _written(self, line: Line, known: Known, *, lenient: bool) -> Iterator[Text]:
        if not self._stands(line, known, lenient=lenient):
            return
        if line.given:
            yield from self._given[line.given]
        elif line.use:
            for one in self._card.listed(line.use):
                if text := self._filled(one, known, lenient=lenient):
                    yield text
        elif line.first_of:
            texts = (self._filled(one, known, lenient=lenient) for one in line.first_of)
            if text := next(filter(None, texts), None):
                yield text
        else:
            parts = (line.say,) if isinstance(line.say, str) else line.say
            if text := sentences(*(self._filled(one, known, lenient=lenient) for one in parts)):
                yield text

    def _stands(self, line: Line, known: Known, *, lenient: bool) -> bool:
        """Whether the conditions of a line hold."""
        if line.libraries and known.get("library") not in line.libraries:
            return False
        if line.if_ and not self._value(line.if_, known, lenient=lenient):
            return False
        return not (line.unless and self._value(line.unless, known, lenient=lenient))

    def _filled(self, template: str, known: Known, *, lenient: bool) -> Text | None:
        """The sentence; None where it names a value that is unknown."""
        values: dict[str, Value] = {}
        for name, kind in placeholders(template):
            if known.get(name) is None and (
                name in BY_ENGINE or (name in OF_RUN and kind.startswith(ARGUMENT))
            ):
                continue
            value = self._value(name, known, lenient=lenient)
            if (value is None or value == ()) and not kind.startswith(ARGUMENT) and kind != "timestamp":
                return None
            values[name] = value
        return say(template, **values)

    def _value(self, name: str, known: Known, *, lenient: bool) -> Value:
        """A value by its name.

        Args:
            name: of the value.
            known: the values.
            lenient: whether a name that is not there is unknown, as rows and events have what their lines have.
        """
        if name not in known and not lenient:
            raise KeyError(f"{self._place}: {name} was not given")
        return known.get(name)

    def _of(self, event: LogEvent) -> dict[str, Value]:
        """What a line for an event can name, besides the values of the event."""
        what = self._card.words.get(event.kind)
        return {
            **event.values,
            "what": None if what is None else say(what),
            "lines": event.count,
            "occurrences": event.occurrences,
            "when": self._when(event),
            "subjects": most_frequent(event),
            "quoted": event.example or None,
            "quoted_at": _place_of(event),
        }

    def _when(self, event: LogEvent) -> Text:
        """When an event was, and in which logs where several have it: one side and the other may log the same."""
        several = sum(1 for one in self._events if one.kind == event.kind) > 1
        names = tuple(dict.fromkeys(path.rpartition("/")[2] for path in event.files))
        if not several or not names or len(names) > MOST_NAMED:
            return when(event)
        return say("{when}, in {logs:and}", when=when(event), logs=names)


def _place_of(event: LogEvent) -> Text | None:
    """File and line of the example; None where the line is not known."""
    if event.example_line is None or not event.files:
        return None
    return say("{path}, line {line}", path=event.files[0], line=event.example_line)
