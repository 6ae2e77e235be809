"""A finding, and the report that carries all of them."""

# Without annotations as strings: msgspec would compile those that cards have at the first card that a run reads.

import enum
from typing import Literal

import msgspec

from mqdiag.acceptance import Acceptance, Lapsed
from mqdiag.facts import (
    AdminFacts,
    CrashFacts,
    FleetFacts,
    HeapFacts,
    Input,
    LogsFacts,
    ProfilesFacts,
    RecordingsFacts,
    ServicesFacts,
    StacksFacts,
    StoresFacts,
)
from mqdiag.facts.diff import DiffFacts
from mqdiag.facts.logs import UNNAMED_BROKER
from mqdiag.facts.processes import ProcessFacts
from mqdiag.facts.redaction import Excerpt, Name, ProcessName, Public, Setting, ThreadName
from mqdiag.facts.secrets import SecretsFacts
from mqdiag.facts.shown import Shown
from mqdiag.facts.verdict import Verdict
from mqdiag.facts.vocabulary import MarginKind
from mqdiag.text import NOTHING, Text, no_words, say, sentences

EvidenceValue = int | float | bool | str | None | tuple[int | float | str, ...]


class Severity(enum.StrEnum):
    """How bad; `--fail-on` compares by rank."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return ("error", "warning", "info").index(self.value)


class Confidence(enum.StrEnum):
    """How sure; the finding's text says what is missing when it is not high."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Subject(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a finding is about; absent parts are left out."""

    group: Public | None = None
    topic: Public | None = None
    broker: Name | None = None
    queue_id: int | None = None
    thread: ThreadName | None = None
    object_class: Public | None = None
    field: Public | None = None
    key: Public | None = None
    environment: Public | None = None
    service: Public | None = None
    host: Name | None = None
    instance: Public | None = None
    """which of several brokers of that name, by where its logs lie"""
    resource: Name | None = None
    """what else it is about: a file system, a service that is called, an address, a command"""
    account: Setting | None = None
    """user and database of a session"""

    @classmethod
    def of(cls, row: object, *parts: str) -> "Subject":
        """What a row of the facts names; group, topic, broker and queue where no parts are given."""
        return cls(**{part: getattr(row, part) for part in parts or ("group", "topic", "broker", "queue_id")})

    def overlaps(self, other: "Subject") -> bool:
        """True unless both name the same part differently: what may be one story."""
        for part in ("group", "topic", "broker", "queue_id", "instance"):
            mine, theirs = getattr(self, part), getattr(other, part)
            if mine is not None and theirs is not None and mine != theirs:
                return False
        return not any(
            one.instance == UNNAMED_BROKER and their.instance != UNNAMED_BROKER and their.broker is not None
            for one, their in ((self, other), (other, self))
        )


class TimeRange(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A time without a pause of more than ten minutes, in RFC 3339; without an offset where the zone is not known."""

    first: Public
    last: Public


class Margin(msgspec.Struct, frozen=True, kw_only=True):
    """How far from its limit a rule was that found nothing."""

    rule: Public
    """the rule whose limit it is; the engine fills it in"""
    label: Text
    """what was measured"""
    value: float
    limit: float
    """from which on the rule would have spoken, as it is in force"""
    kind: MarginKind


class TeamWords(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one file of a team adds to a finding; its sentences stand in the finding too, with the name of the file."""

    by: Public
    """the file, as `--knowledge` was given its folder"""
    statement: Public | None = None
    """name of its log statement that was found"""
    library: Public | None = None
    """name of its library that the finding names"""
    runbook: Public | None = None
    actions: tuple[Public, ...] = ()
    """its sentences among those of `remedy`"""
    references: tuple[Public, ...] = ()
    """its entries among those of `references`"""


class Action(msgspec.Struct, frozen=True, kw_only=True):
    """Something to do about a finding."""

    text: Text
    """what to do, in a sentence or two"""
    command: Text = msgspec.field(default_factory=no_words)
    """how, as a line for a shell; a word in capitals stands for a name that the evidence does not tell"""
    risk: Text = msgspec.field(default_factory=no_words)
    """what it costs or may break, in a clause"""
    rule: Public
    """the rule whose finding asks for it"""

    @property
    def with_price(self) -> Text:
        """What to do, and what it costs."""
        return sentences(self.text, self._price)

    @property
    def in_a_line(self) -> Text:
        """What to do with its command, and what it costs."""
        run = say("Run `{command}`.", command=self.command) if self.command else None
        return sentences(self.text, run, self._price)

    @property
    def _price(self) -> Text | None:
        return say("The price: {risk}.", risk=self.risk) if self.risk else None


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One cause with the numbers that prove it.

    `fingerprint` holds no address, count or time: the same fault keeps it over dumps and hosts. `weight` is
    the share of heap or of threads explained, for ordering.
    """

    rule: Public
    """the rule's stable name"""
    severity: Severity
    cause: Public
    """one of the causes that the rule's page lists"""
    confidence: Confidence
    fingerprint: Public
    """identity of the fault over dumps and hosts"""
    title: Text
    """the finding in one sentence"""
    subject: Subject
    evidence: dict[str, EvidenceValue]
    """the numbers that prove it, with their units in the keys"""
    remedy: tuple[Text, ...]
    """what to do, in steps: the sentences of `now`, then those of `then`, each with its command and its risk"""
    now: tuple[Action, ...] = ()
    """what to do in this minute, in the order of effect; empty where nothing helps at once"""
    then: tuple[Action, ...] = ()
    """what to change so that it does not come back"""
    explanation: tuple[Text, ...] = ()
    """the evidence in sentences, with the arithmetic, for a person"""
    confidence_reason: Text = msgspec.field(default_factory=no_words)
    """what makes it sure, or what is missing"""
    caused_by: tuple[Public, ...] = ()
    """fingerprints of the findings that explain this one"""
    references: tuple[Public, ...] = ()
    """articles, issues and classes that the rule rests on"""
    weight: float = 0.0
    """share of the heap or of the threads that it explains"""
    seen_in: tuple[Public, ...] = ()
    """kinds of evidence that it was found in: heap, stacks, logs, stores, admin"""
    rests_on: tuple[Public, ...] = ()
    """paths of the inputs that it was found in, from `mqdiag diagnose`"""
    processes: tuple[ProcessName, ...] = ()
    """names of the processes that it was found in, where the evidence is of several"""
    felt_in: tuple[ProcessName, ...] = ()
    """names of other processes that are known to wait for what it is about"""
    when: tuple[TimeRange, ...] = ()
    """when it was, by the times of the lines or the dump that show it; empty where nothing tells"""
    lies_at: Literal["client", "broker", "any"] = "client"
    """the process in which the fault lies"""
    in_chain: Text = msgspec.field(default_factory=no_words)
    """the fault as a link of a chain of causes"""
    consequence: Text = msgspec.field(default_factory=no_words)
    """its impact now, for the operator: what a restart costs, what is delivered again"""
    tells_most: bool = False
    """among findings of its rule it is the one that tells a chain best"""
    undecides: bool = False
    """it says that the evidence does not suffice, not that something is wrong"""
    may_be_quoted: bool = False
    """somebody may have written all that shows it into a message of an application; it is a warning at most"""
    gives_way_to: tuple[Public, ...] = ()
    """rules of which a finding takes its place, so that this one stands only without them; "*" for any rule,
    "any fault" for a fault in the same evidence, "same threads" for findings that name most of its threads"""
    accepted: Acceptance | None = None
    """set when it is known and does not count for the exit code"""
    team: tuple[TeamWords, ...] = ()
    """what files of a team add to it, see `--knowledge`"""

    @property
    def is_fault(self) -> bool:
        """Whether it says that something is wrong, whether or not somebody accepted it."""
        return self.severity in (Severity.ERROR, Severity.WARNING) and not self.undecides

    def fails_at(self, least: Severity) -> bool:
        """Whether it fails a run that allows no findings of this severity or a worse one."""
        return self.accepted is None and self.severity.rank <= least.rank


class Skipped(msgspec.Struct, frozen=True, kw_only=True):
    """A check that was not made, and why."""

    rule: Public
    reason: Text
    needs: tuple[Public, ...] = ()
    """kinds of evidence that it would look at and that were not given"""


class Failed(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that crashed; the report is still written."""

    rule: Public
    error: Excerpt


class RuleTraits(msgspec.Struct, frozen=True, kw_only=True):
    """What a rule's file has and its reports give as it stands."""

    references: tuple[Public, ...]
    """articles, issues, classes that the rule rests on"""
    limits: dict[str, float] = {}
    """thresholds by name; `mqdiag.toml` can set each"""
    ranges: dict[str, tuple[float, float]] = {}
    """least and greatest value of a limit, where it is not any number from 0 up"""
    explained_by: tuple[Public, ...] = ()
    """rules whose finding on the same subject is the root cause; "rule:cause" where only one of its causes is"""
    explained_causes: tuple[Public, ...] = ()
    """causes of its own findings that those rules explain; empty for all"""
    of_process: bool = False
    """it names a thread, yet hits the whole process: it may explain what any group of it suffers"""
    links: bool = True
    """whether a chain of causes shows it behind its cause; False for a rule that says there what its cause says"""
    same_as: tuple[Public, ...] = ()
    """rules that show the same fault in other evidence"""
    severity_alone: Severity | None = None
    """severity of a finding that no other finding explains; None where that changes nothing"""
    since: Public = "1.0.0"
    """the release that first had it; a test holds rules that the last release did not have to a later one"""


class RuleCard(RuleTraits, frozen=True, kw_only=True):
    """A rule's own texts, for catalogues and for renderers, which know no rules."""

    name: Public
    title: Text
    why: Text
    causes: tuple[Public, ...]
    severities: tuple[Severity, ...]
    now: tuple[Action, ...] = ()
    """what to do in this minute"""
    remedy: tuple[Text, ...]
    """what to change so that it does not come back"""
    needs: tuple[Public, ...]
    """evidence without which it cannot be checked"""
    any_of: tuple[Public, ...] = ()
    """kinds of evidence; one of them is enough"""
    leads_to: dict[str, Text] = {}
    """the word between it and an effect, by the effect's rule"""
    proven_on: Text = msgspec.field(default_factory=no_words)
    """on what evidence the rule was tried where that is not obvious; empty for real dumps and stacks"""

    @property
    def evidence(self) -> str:
        """What it needs, for a person: "heap", "stacks or heap", "any"."""
        return ", ".join((*self.needs, *filter(None, (" or ".join(self.any_of),)))) or "any"


State = Literal["fault", "healthy", "undecided"]
"""How the processes are that the evidence is of."""


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the evidence as it stands there, for a reader who judges by himself."""

    path: Public
    line: int | None = None
    """number of its line, from 1; null where it has none or that is not known"""
    text: Text
    """the line, the thread with its state and frames, or the object"""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of a run; renderers, exit codes, fleets and notebooks read it, and none decides for itself."""

    state: State
    """fault: there is a finding at warning or above; healthy: the evidence was read whole and shows no fault;
    undecided: something is missing, was not read or not understood"""
    text: Text
    """the answer in one or two sentences"""
    reason: Text = msgspec.field(default_factory=no_words)
    """how sure it is, or what is missing"""
    margins: tuple[Margin, ...] = ()
    """how far the rules that found nothing were from their limits"""
    seen: tuple[Seen, ...] = ()
    """where it is undecided, what of the evidence may matter most"""
    next: Action | None = None
    """where it is undecided, the one thing to do that helps most; null where nothing is known to help"""
    lowered: int = 0
    """errors and warnings that the configuration lowered, ignored or kept from being found"""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """One run: what was given, what was found, what could not be checked, and the facts behind it."""

    schema_version: int = 1
    """raised when a field goes or changes its meaning"""
    mqdiag: Public
    """version that wrote the report"""
    answer: Answer = msgspec.field(default_factory=lambda: Answer(state="undecided", text=NOTHING))
    """what the run says; made last, when all else is known"""
    inputs: tuple[Input, ...]
    findings: tuple[Finding, ...] = ()
    """the worst first, a root cause before what it explains"""
    skipped: tuple[Skipped, ...] = ()
    failed: tuple[Failed, ...] = ()
    checked: tuple[Public, ...] = ()
    """rules that had the evidence they need and ran to their end"""
    ignored: tuple[Finding, ...] = ()
    """found, but left out of `findings` by the configuration"""
    lapsed: tuple[Lapsed, ...] = ()
    """what was accepted once and has no effect any more"""
    lowered: tuple[Public, ...] = ()
    """the rule of each error and warning that the configuration lowered, ignored or kept from being found"""
    lowered_by: Public | None = None
    """the configuration that did"""
    rule_cards: tuple[RuleCard, ...] = ()
    """the rules that found something, in their own words"""
    heap: HeapFacts | None = None
    stacks: StacksFacts | None = None
    logs: LogsFacts | None = None
    stores: StoresFacts | None = None
    """store folders of brokers, from `mqdiag diagnose`"""
    admin: AdminFacts | None = None
    """mqadmin output"""
    crash: CrashFacts | None = None
    """crash reports of the JVM"""
    recordings: RecordingsFacts | None = None
    """recordings of Java Flight Recorder"""
    profiles: ProfilesFacts | None = None
    """collapsed stacks of a profiler"""
    services: ServicesFacts | None = None
    """logs and answers of databases, access logs and sockets, from `mqdiag diagnose`"""
    diff: DiffFacts | None = None
    """what changed, from `mqdiag diff`; `findings` are then those that are new or worse"""
    verdict: Verdict | None = None
    """all evidence as one answer, from `mqdiag diagnose`"""
    process: ProcessFacts | None = None
    """the process that `heap` and `stacks` belong to, from `mqdiag diagnose`; of several, that of the first finding"""
    other_processes: tuple[ProcessFacts, ...] = ()
    """what was read of the others"""
    fleet: FleetFacts | None = None
    """many incidents together, from `mqdiag fleet`"""
    show: Shown | None = None
    """one object or class, from `mqdiag show`"""
    secrets: SecretsFacts | None = None
    """what must not get into other hands, from `mqdiag secrets`"""
