"""A rule: the decision in Python, the words on its card.

    RULE = Rule("slave-behind")

    @RULE.brokers
    def in_heap(broker: BrokerFacts, limits: Limits) -> Iterator[Result]:
        ...
        yield RULE.case("slow-slave", slave, subject=subject(broker), evidence={"behind_bytes": behind})

`case` takes the title, the sentences and the actions of the case from the card (`mqdiag.knowledge.rule_card`)
and fills them.
Four habits take the place of a template language:

* a sentence is left out where a value of it is unknown (None, or nothing at all);
* `first_of` takes the first sentence whose values are all known;
* `for_each_event` and `for_each` repeat a line;
* `if` and `unless` name a value that decides whether a line stands.

A name that nobody gave is a fault of the rule, not an unknown value: it raises KeyError.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.facts.recordings import Recording
from mqdiag.findings import (
    Confidence,
    EvidenceValue,
    Margin,
    Severity,
    Subject,
    TimeRange,
)
from mqdiag.knowledge.card_files import ForChecks, read_card, read_for_checks
from mqdiag.knowledge.detect import Detect
from mqdiag.knowledge.rule_card import Card
from mqdiag.log_events import between
from mqdiag.rules.draft import Draft, Findings, Limits, Result, Skip
from mqdiag.rules.views import Views
from mqdiag.text import Text, Value, say
from mqdiag.time_ranges import Timed, periods
from mqdiag.time_ranges import between as time_range

__all__ = ["Draft", "Findings", "Limits", "Result", "Rule", "Skip"]


class Rule(Views):
    """A fault: its card, its checks, and its place in a chain of causes.

    Args:
        name: stable kebab-case name of the fault; the file has it with underscores, the card as it is.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    # what a check says

    def case(
        self,
        name: str,
        *of: object,
        recording: Recording | None = None,
        subject: Subject | None = None,
        evidence: Mapping[str, EvidenceValue] | None = None,
        words: Mapping[str, Value] | None = None,
        rows: Mapping[str, tuple[Mapping[str, Value], ...]] | None = None,
        given: Mapping[str, tuple[Text, ...]] | None = None,
        logs: LogsFacts | None = None,
        events: tuple[LogEvent, ...] | list[LogEvent] = (),
        over: Sequence[Timed] = (),
        when: tuple[TimeRange, ...] = (),
        weight: float | None = None,
        severity: Severity | None = None,
        confidence: Confidence | None = None,
        because: Text | None = None,
        cause: str | None = None,
        rests_on: tuple[str, ...] = (),
        seen_in: tuple[str, ...] = (),
        age_ms: float | None = None,
        tells_most: bool = False,
        undecides: bool = False,
        may_be_quoted: bool = False,
        processes: tuple[str, ...] = (),
        felt_in: tuple[str, ...] = (),
    ) -> Draft:
        """A finding with the words of a case.

        Args:
            name: of the case on the card.
            of: objects whose attributes are evidence by their names; None for one that is not there, of which all is
                unknown.
            recording: the one that shows it: it is among `of`, the finding rests on it, and is of its time.
            subject: what it is about; the broker of `logs` where not given.
            evidence: numbers and names for the finding's evidence, by name. The case lists which of them, and which
                attributes of `of`, the finding has; what is given here and not listed is added.
            words: nested words, names and flags for sentences that are no evidence, or as sentences show evidence of
                the same name.
            rows: lists for `for_each`, each row with its own values.
            given: texts for `given`.
            logs: the logs that show it.
            events: of the logs; sentences with `for_each_event` speak of them.
            over: rows of logs that the finding tells of: they give its time ranges, and the first of them `between`.
            when: time ranges of the finding; those of the rows or of the events where empty.
            weight: of the finding; that of the card where not given.
            severity: where the check computes it.
            confidence: where the check computes it.
            because: the reason for the confidence, where the check has it.
            cause: where the check computes it.
            rests_on: logs that show it; those of the events where empty.
            seen_in: kinds of evidence that show it, where they are not those of the check.
            age_ms: for how long the fault had lasted when a dump was taken.
            tells_most: among findings of this rule it tells a chain of causes best.
            undecides: it says that the evidence does not suffice; the card may say so for all findings of the case.
            may_be_quoted: a user may have written all that shows it into a value of the evidence.
            processes: names of the processes that it is about, where a check of evidence of none knows them.
            felt_in: names of other processes that are known to wait for what it is about.

        Raises:
            KeyError: the card names something that was not given.
        """
        from mqdiag.rules.filling import Filling

        filling = Filling(
            self.name,
            self.texts,
            name,
            of if recording is None else (*of, recording),
            subject,
            evidence or {},
            {**({"between": between(over[0].first, over[0].last)} if over else {}), **(words or {})},
            rows or {},
            given or {},
            logs,
            tuple(events),
        )
        card = filling.case
        return Draft(
            severity=severity or card.severity,
            cause=cause or card.cause or name,
            confidence=confidence or card.confidence,
            confidence_reason=filling.first(card.because) if because is None else because,
            unsigned=bool(events) and all(event.unsigned >= event.count for event in events),
            sure_in_excerpt=card.sure_in_excerpt,
            title=filling.title(),
            subject=filling.subject,
            evidence=filling.evidence,
            explanation=filling.lines(card.explanation),
            now=filling.steps(self.texts.now if card.now is None else card.now),
            then=filling.steps(card.actions or self.texts.actions),
            rests_on=rests_on or filling.files or (() if recording is None else (recording.path,)),
            seen_in=seen_in,
            when=when
            or periods(over)
            or filling.when
            or (() if recording is None else time_range(recording.began_at, recording.ended_at)),
            weight=card.weight if weight is None else weight,
            age_ms=age_ms,
            consequence=filling.first(card.consequence),
            tells_most=tells_most,
            undecides=undecides or card.undecides,
            gives_way_to=card.gives_way_to,
            may_be_quoted=may_be_quoted,
            processes=processes,
            felt_in=felt_in,
            in_chain=filling.first(card.in_chain),
        )

    def word(self, name: str, /, **values: Value) -> Text:
        """A part of a sentence from the card's `[words]`, filled with values."""
        return say(self.texts.words[name], **values)

    def skip(self, name: str, /, **values: Value) -> Skip:
        """A part of the rule that could not be decided, with the reason from the card's `[skips]`."""
        return Skip(reason=say(self.texts.skips[name], **values))

    def _of_grpc(self) -> Skip | None:
        return self.skip("grpc") if "grpc" in self.texts.skips else None

    def margin(self, name: str, value: float, limit: float, /, **values: Value) -> Margin:
        """How far from its limit a healthy value is, with the words from the card's `[margins]`."""
        words = self.texts.margins[name]
        return Margin(rule="", label=say(words.label, **values), value=value, limit=limit, kind=words.kind)

    def names(self, name: str) -> tuple[str, ...]:
        """A list from the card's `[names]`."""
        return self._for_checks.names[name]

    def meaning(self, name: str) -> dict[str, str]:
        """A table from the card's `[meaning]`."""
        return self._for_checks.meaning[name]

    @cached_property
    def _for_checks(self) -> ForChecks:
        return read_for_checks(self.name)

    # what others ask of a rule

    @cached_property
    def texts(self) -> Card:
        """The rule's card as its file has it."""
        return read_card(self.name)

    @cached_property
    def described(self) -> Detect:
        """The checks that its card describes; `mqdiag.rules.detectors` carries them out."""
        return self._for_checks.detect

    @cached_property
    def limits(self) -> dict[str, float]:
        """The rule's thresholds by name."""
        return self._for_checks.limits

    @property
    def evidence(self) -> tuple[tuple[str, ...], ...]:
        """For each check the kinds of evidence that it needs."""
        return (*(evidence for evidence, _ in self.own_checks), *((kind,) for kind in self.described.evidence))
