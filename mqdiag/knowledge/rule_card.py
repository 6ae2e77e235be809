"""A rule's card: what it says, as data in `mqdiag/knowledge/rules/<rule-name>.toml`.

The check of a rule decides which case it is and hands over numbers, names and nested words. The card has the sentences
of each case. `docs/guides/rule-cards.md` shows the form to people who write cards.
"""

# Without annotations as strings: msgspec would compile each of them at the first use of a type, 0.2 ms in each run.

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Literal

import msgspec

from mqdiag.findings import Confidence, RuleTraits, Severity
from mqdiag.knowledge import packed
from mqdiag.knowledge.detect import Detect
from mqdiag.knowledge.remedies import remedy

Place = Literal["client", "broker", "any"]
"""The process in which the fault lies."""


def texts_of(*parts: str | tuple[str, ...]) -> tuple[str, ...]:
    """All texts of parts that have one, several or none."""
    return tuple(text for part in parts for text in ((part,) if isinstance(part, str) else part) if text)


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"if_": "if"}):
    """A line that needs more than a sentence; one of `say`, `first_of`, `use` and `given` is there.

    A shared action that a card names by `use` may have words of the card's own in `say` or `first_of`.
    """

    say: str | tuple[str, ...] = ()
    """a sentence, or several that stand in one line; each is left out where a value of it is unknown"""
    first_of: tuple[str, ...] = ()
    """sentences, of which the first stands whose values are all known"""
    use: str = ""
    """name of a list of this card's [lists] or of knowledge/remedies.toml, or of actions of knowledge/actions.toml"""
    given: str = ""
    """name of texts that the check hands over"""
    for_each_event: str | tuple[str, ...] = ()
    """kinds of events, "*" for any: one line for each event of these kinds"""
    for_each: str = ""
    """name of a list that the check hands over: one line for each row of it"""
    if_: str = ""
    """name of a value: the line stands only where it is true, or known and not 0"""
    unless: str = ""
    """name of a value: the line stands only where it is not"""
    libraries: tuple[str, ...] = ()
    """client libraries of an action, which stands only where the finding names one of them"""
    command: str | tuple[str, ...] = ""
    """line for a shell that carries an action out; the first one whose values are known, where there are several"""
    risk: str | tuple[str, ...] = ""
    """price of an action, in a clause; the first one whose values are known, where there are several"""
    then: str | tuple[str, ...] = ""
    """a sentence behind those of the action, also behind a card's own words for it; the first one whose values are
    known, where there are several"""

    @property
    def sentences(self) -> tuple[str, ...]:
        """All sentences that stand in the line itself, and its commands."""
        return texts_of(self.say, self.first_of, self.command, self.risk, self.then)


Sentence = str | Line
Entry = str | tuple[Sentence, ...] | Line
"""a sentence; several sentences in one line; a line with conditions"""


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One way in which the fault shows."""

    extends: str = ""
    """name of the case that has all that this one leaves out"""
    cause: str = ""
    """the `cause` of the finding; the name of the case where empty"""
    severity: Severity
    confidence: Confidence = Confidence.HIGH
    because: str | tuple[Sentence, ...] = ""
    """why the confidence is as it is"""
    sure_in_excerpt: bool = False
    """lines of an excerpt are enough for high confidence"""
    title: str | tuple[Sentence, ...]
    """the first whose condition holds and whose values are known"""
    evidence: tuple[str, ...] = ()
    """names of the numbers and names in the finding's evidence"""
    if_known: tuple[str, ...] = ()
    """further ones, which the finding has where they are known"""
    explanation: tuple[Entry, ...]
    now: tuple[Entry, ...] | None = None
    """what to do in this minute, in the order of effect; that of the card where it is not there, nothing where empty"""
    actions: tuple[Entry, ...] = ()
    """what to change so that it does not come back; the card's own actions where empty"""
    consequence: str | tuple[Sentence, ...] = ""
    """the impact now: what a restart costs, what is delivered again"""
    in_chain: str | tuple[Sentence, ...] = ""
    """the case as a link of a chain of causes"""
    weight: float = 0.0
    """share of the heap or of the threads that it explains, where the check has no number for it"""
    undecides: bool = False
    """it says that the evidence does not suffice, not that something is wrong"""
    gives_way_to: tuple[str, ...] = ()
    """rules of which a finding takes the place of this one, which is then dropped; "*" for any rule, "any fault" for a
    fault in the same evidence, "same threads" for findings that name more than half of its threads"""

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines of all its parts, each in its full form."""
        parts = (
            self.title, self.because, self.explanation, self.now or (), self.actions, self.consequence, self.in_chain
        )  # fmt: skip
        return tuple(line for part in parts for line in lines_of(part))


class Margin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a healthy report names a value that stayed below its limit."""

    label: str
    kind: Literal["bytes", "percent", "ms", "count"] = "count"


class Card(RuleTraits, msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A rule's file of words."""

    title: str
    """the fault as one sentence"""
    why: str
    """what goes wrong and why it matters"""
    now: tuple[Entry, ...] = ()
    """what to do in this minute, in the order of effect; empty where nothing helps at once"""
    actions: tuple[str | Line, ...]
    """what to change in general, so that it does not come back;
    `{group:arg GROUP}` is GROUP on the page, and the group of a finding that has one"""
    lies_at: Place = "client"
    in_chain: str = ""
    """the fault as a link of a chain of causes; the title of the finding where empty"""
    leads_to: dict[str, str] = {}
    """by the rule that it explains, the word between the two; "so" for all others"""
    undecides: bool = False
    """its findings say that the evidence does not suffice, not that something is wrong"""
    proven_on: str = ""
    """what the rule was tried on where no real evidence of the fault was at hand"""
    causes: tuple[str, ...] = ()
    """all causes, where checks compute them; those of the cases where empty"""
    severities: tuple[Severity, ...] = ()
    """all severities, where checks compute them; those of the cases where empty"""
    detect: Detect = Detect()
    """what shows the cases, where no check in Python decides it"""
    example: str = ""
    """what the example of the rule's page shows"""
    names: dict[str, tuple[str, ...]] = {}
    """lists of names that checks look for: classes, frames, threads, settings"""
    meaning: dict[str, dict[str, str]] = {}
    """tables that say what a name stands for, such as the case of a kind of lines (`by_kind`)"""
    case: dict[str, Case]
    lists: dict[str, tuple[str, ...]] = {}
    """sentences that several cases use"""
    words: dict[str, str] = {}
    """parts of sentences that checks choose from"""
    skips: dict[str, str] = {}
    """reasons for which a part of the rule could not be decided"""
    margins: dict[str, Margin] = {}

    @property
    def all_causes(self) -> tuple[str, ...]:
        """All values that `cause` can have."""
        return self.causes or tuple(dict.fromkeys(one.cause or name for name, one in self.case.items()))

    @property
    def all_severities(self) -> tuple[Severity, ...]:
        """All severities that the rule can give, worst first."""
        found = {one.severity for one in self.case.values()}
        return self.severities or tuple(sorted(found, key=lambda one: one.rank))

    def sentences_of(self, entry: str | Line) -> tuple[str, ...]:
        """The sentences that an entry of `actions` stands for, lists expanded."""
        if isinstance(entry, str):
            return (entry,)
        if entry.use:
            return self.listed(entry.use)
        return (entry.say,) if isinstance(entry.say, str) else entry.say or entry.first_of

    def steps_of(self, entry: Entry) -> tuple[Line, ...]:
        """The lines of actions that an entry stands for, shared actions and lists expanded."""
        if isinstance(entry, tuple):
            return tuple(line for one in entry for line in self.steps_of(one))
        line = Line(say=entry) if isinstance(entry, str) else entry
        if not line.use:
            return (line,)
        if line.use in shared_actions():
            shared = shared_actions()[line.use]
            own = {name: words for name in ("say", "first_of") if (words := getattr(line, name))}
            return tuple(msgspec.structs.replace(one, **own) for one in shared) if own else shared
        return tuple(Line(say=text) for text in self.listed(line.use))

    def sentences_in(self, part: str | tuple[Entry, ...]) -> tuple[str, ...]:
        """The sentences of a part of a case; those that a check hands over are not known."""
        return tuple(text for line in lines_of(part) for text in self.sentences_of(line) if text)

    def listed(self, name: str) -> tuple[str, ...]:
        """A list of sentences, of this card or of all cards.

        Raises:
            KeyError: there is none of this name.
        """
        return self.lists[name] if name in self.lists else tuple(text.template for text in remedy(name))


class _Actions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    actions: dict[str, tuple[Line, ...]]


@cache
def shared_actions() -> Mapping[str, tuple[Line, ...]]:
    """Actions that several cards name, by name: `knowledge/actions.toml`."""
    return packed.decode(packed.ROOT, "actions", _Actions).actions


def lines_of(part: str | tuple[Entry, ...]) -> Iterator[Line]:
    """The lines of a part of a case, each in its full form."""
    for entry in (part,) if isinstance(part, str) else part:
        for one in entry if isinstance(entry, tuple) else (entry,):
            yield one if isinstance(one, Line) else Line(say=one)
