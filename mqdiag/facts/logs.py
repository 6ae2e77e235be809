"""What logs say: events by kind, time and subject, the broker's write latency, and its JVM's collections.

Times are RFC 3339. They carry an offset where the log's zone is known, and none where it is not: a time without
one is as it was printed, and two of them compare only within one host.
"""

from __future__ import annotations

import msgspec

from mqdiag.facts.redaction import AccessKey, Address, ClientId, Excerpt, Name, Public, Setting, ThreadName
from mqdiag.facts.vocabulary import (
    FlowControlKind,
    GcFormat,
    ListenerKind,
    LogKind,
    LogSide,
    OffsetPlace,
    StatementKind,
)
from mqdiag.text import Text, no_words, say

MOST_SUBJECTS = 20
"""rows that a table by subject holds; what is left out is counted"""
UNNAMED_BROKER = "unnamed"
"""`instance` of a broker that answered senders, if its answers do not tell which of several brokers it is"""
EXCERPT_LINES = 20
"""below so many lines a log is an excerpt that somebody cut out"""
MOST_POINTS = 1440
"""points of a series: a day of minutes; a longer time has wider steps"""


class LogFile(msgspec.Struct, frozen=True, kw_only=True):
    """One log, or one member of an archive."""

    path: Public
    kind: LogKind
    format: Public
    """what surrounds a message: plain, json-lines, cri; with the compression"""
    bytes: int
    """as read, inflated if it was packed"""
    lines: int
    event_lines: int
    """lines that hold a text that is searched for in its own place, such as an event's, a latency line's or a
    collection's"""
    unseen_lines: int = 0
    """lines among them of floods that were only counted; mqdiag read one in several of them"""
    first: Public | None = None
    """earliest time of a line"""
    last: Public | None = None
    utc_offset: Public | None = None
    """the zone of its times, such as "+08:00"; None when nothing tells"""
    offset_reason: Text = msgspec.field(default_factory=no_words)
    """why that zone is taken, or why none could be"""
    undated_events: int = 0
    """event lines without a time before or on them"""
    known_heads: float | None = None
    """share of its first lines that have a level, of those that begin a record; None where none does"""
    harmless_lines: int = 0
    """lines that look like trouble, or like nothing that is known, and mean no harm"""
    untold_lines: int = 0
    """lines of a text without records that no reader takes; counted in texts of at most 64 KiB"""
    first_untold: Excerpt = ""
    """the first of them"""

    @property
    def is_understood(self) -> bool:
        """Whether the program that wrote it is known: an event, or harmless lines that are most of it."""
        return self.event_lines > self.harmless_lines or 2 * self.harmless_lines >= self.lines > 0


class LogPoint(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How often something was logged in one step of a series."""

    at: Public
    """begin of the step"""
    count: int


class LogSubject(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How often one event was logged about one subject."""

    group: Public | None = None
    topic: Public | None = None
    broker: Name | None = None
    queue_id: int | None = None
    thread: ThreadName | None = None
    member: Name | None = None
    """member of a Raft group that wrote the lines"""
    service: Name | None = None
    """service of others that the lines are about"""
    account: AccessKey | None = None
    """access key of the requests that the lines are about; no secret"""
    count: int
    first: Public | None = None
    last: Public | None = None


class LogGroup(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How often one event was logged about one consumer group."""

    group: Public
    count: int
    """lines"""
    occurrences: int | None = None
    """what they stand for, as for the event"""
    first: Public | None = None
    last: Public | None = None
    peak_per_minute: int | None = None
    peak_at: Public | None = None


class LogEvent(msgspec.Struct, frozen=True, kw_only=True):
    """All lines of one kind, over all files of one clock."""

    kind: Public
    """stable name, such as flow-control-span or busy-timeout-clean"""
    side: LogSide | None = None
    """None for lines that both may write"""
    count: int
    """lines"""
    occurrences: int | None = None
    """what the lines stand for where RocketMQ logs one in a thousand; None where every one is logged"""
    first: Public | None = None
    last: Public | None = None
    peak_per_minute: int | None = None
    peak_at: Public | None = None
    """begin of the minute with the most lines"""
    step_minutes: int = 1
    """width of the series' steps"""
    series: tuple[LogPoint, ...] = ()
    """lines over time, steps without any left out"""
    subjects: tuple[LogSubject, ...] = ()
    """the most frequent ones"""
    subjects_left_out: int = 0
    lines_left_out: int = 0
    """lines about subjects that are left out"""
    groups: tuple[LogGroup, ...] = ()
    """the same lines by group, where they name one; the most frequent ones"""
    sampled: bool = False
    """a flood: of more than 200 such lines in a MiB one in several was looked at, and the parts are estimates"""
    unsigned: int = 0
    """lines among them below a record of an application at INFO: the process may have printed them there, or they are a
    part of its message, which somebody wrote"""
    values: dict[str, int] = {}
    """numbers that its lines carry, such as largest_wait_ms; the names say which of them is kept"""
    example: Excerpt = ""
    """the first such message, cut; of an exception that ended a start, its deepest cause"""
    example_line: int | None = None
    """number of its line in the first of the files, from 1; None where the lines were not counted"""
    files: tuple[Public, ...] = ()


class FlowControlFacts(msgspec.Struct, frozen=True, kw_only=True):
    """One consumer group that held back its own pulls for one reason."""

    group: Public | None = None
    """None for lite pull: its lines name no group"""
    kind: FlowControlKind
    lines: int
    occurrences: int
    """held-back pulls that the lines stand for, by the counter that they print"""
    threshold: int | None = None
    """the threshold last printed: the one in force, after any division or later setter"""
    largest: int | None = None
    """largest value printed: messages, MiB or offsets"""
    first: Public | None = None
    last: Public | None = None
    seconds: float | None = None
    """from the first line to the last of each client's life, summed"""
    queues_held_back: float | None = None
    """mean number of queues held back at once between the lines; None with one line only"""
    topics: tuple[Public, ...] = ()
    queues: int = 0
    """queues named in its lines, which are one in a thousand"""
    logs_each: bool = False
    """the gRPC client logs each held-back pull, and waits for a second; others log one in 1,000, and wait for 50 ms"""
    idle_minutes: int = 0
    """minutes in which a gRPC consumer finished no message while its cache was full"""
    path: Public = ""


class OffsetReset(msgspec.Struct, frozen=True, kw_only=True):
    """A broker that gave a consumer another offset than it asked for."""

    group: Public | None = None
    topic: Public | None = None
    queue_id: int | None = None
    broker: Name | None = None
    requested: int
    given: int
    broker_max: int | None = None
    """end of the broker's queue at that time"""
    no_queue_data: bool = False
    """the queue was empty on the broker, as after its topic was made again"""
    count: int = 1
    first: Public | None = None
    last: Public | None = None
    instance: Public | None = None
    """which of several brokers of that name, as in `brokers`"""
    sides: tuple[LogSide, ...] = ()
    """which logs say so"""

    @property
    def moved_on(self) -> bool:
        """Whether the broker gave a later offset than a real one that was asked for."""
        return 0 < self.requested < self.given


class OffsetNotMatched(msgspec.Struct, frozen=True, kw_only=True):
    """Lookups of offsets in store files that do not hold them, by who asked and by where the offset lies."""

    thread: ThreadName | None
    """pool or service that asked, without its number; None where the line names none"""
    place: OffsetPlace
    file_bytes: int | None = None
    """size of one store file: 1 GiB commit log, 6,000,000 consume queue by default"""
    count: int
    peak_per_minute: int | None = None
    requested: int | None = None
    """offset of the last line"""
    first_offset: int | None = None
    last_offset: int | None = None
    first: Public | None = None
    last: Public | None = None


class RepeatedOffset(msgspec.Struct, frozen=True, kw_only=True):
    """An offset that a client stored again and again while its listeners finished messages of that topic."""

    group: Public | None = None
    topic: Public | None = None
    broker: Name | None = None
    queue_id: int | None = None
    offset: int
    lines: int
    """one a minute"""
    consumed: int
    """messages that the group's listeners finished meanwhile"""
    first: Public | None = None
    last: Public | None = None


class Connections(msgspec.Struct, frozen=True, kw_only=True):
    """Connections of one process to an address, or those that a host made to it."""

    path: Public
    """the log"""
    address: Address
    """host and port of the server; the host of clients that connect to this one"""
    incoming: bool
    """others connect to this process"""
    opened: int
    """attempts too"""
    closed: int
    """those that lived for two seconds or longer, or for how long is not known"""
    closed_per_minute: float | None = None
    """from the first to the last; None below two of them, or without times"""
    brief: int = 0
    """those that lived for less than two seconds: failed attempts of a client, or probes of a server"""
    brief_per_minute: float | None = None
    usual_life_s: int | None = None
    """the most frequent time from the opening to the closing; None where no connection is seen to begin and end"""
    usual_lives: int = 0
    """connections that lived so long, one second more or less"""
    first: Public | None = None
    """time of the first of the closings"""
    last: Public | None = None


class ListenerException(msgspec.Struct, frozen=True, kw_only=True):
    """What the listener of one group threw, from one place."""

    group: Public | None = None
    """None in the lines of rocketmq-spring"""
    exception: Public
    """its class"""
    cause: Public | None = None
    """class of its innermost cause"""
    frame: Public | None = None
    """the application's own top frame; the top frame where only that is known"""
    of: ListenerKind = "messages"
    count: int
    first: Public | None = None
    last: Public | None = None


class SuspendedQueue(msgspec.Struct, frozen=True, kw_only=True):
    """A queue of an orderly consumer by the message that it failed on last."""

    group: Public | None = None
    topic: Public | None = None
    broker: Name | None = None
    queue_id: int | None = None
    offset: int
    failures: int
    """lines about this message in a row"""
    reconsume_times: int = 0
    """the largest that these lines print"""
    first: Public | None = None
    last: Public | None = None


class SharedClientId(msgspec.Struct, frozen=True, kw_only=True):
    """A client id that two processes had at the same time."""

    group: Public
    """both have a consumer of it"""
    client_id: ClientId
    addresses: tuple[Address, ...] = ()
    """from where both were connected, by the broker's log"""
    paths: tuple[Public, ...] = ()
    """the logs of the two clients"""
    seconds: float | None = None
    """for how long at least"""
    first: Public | None = None
    last: Public | None = None


class SubscriptionChange(msgspec.Struct, frozen=True, kw_only=True):
    """A heartbeat that replaced what a group subscribes to by something else."""

    group: Public
    topic: Public
    before: Public
    """tags or SQL; "*" for all messages"""
    after: Public
    count: int
    first: Public | None = None
    last: Public | None = None


class PutMinute(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Puts of one step by how long they took."""

    at: Public
    puts: int
    from_100_ms: int


class PutLatency(msgspec.Struct, frozen=True, kw_only=True):
    """The broker's own distribution of write times: the PAGECACHERT lines of store.log, one a minute."""

    lines: int
    puts: int
    buckets: dict[str, int]
    """puts by the bucket names that the broker prints"""
    from_10_ms: int
    from_100_ms: int
    from_1_s: int
    slow_minutes: int = 0
    """lines with at least one put of 100 ms or more"""
    worst: PutMinute | None = None
    """the minute with the most puts of 100 ms or more"""
    first: Public | None = None
    last: Public | None = None
    step_minutes: int = 1
    series: tuple[PutMinute, ...] = ()


class ReplicaGap(msgspec.Struct, frozen=True, kw_only=True):
    """`Slave fall behind master` lines: how far a slave was behind, or ahead of, its master."""

    lines: int
    largest_bytes: int
    smallest_bytes: int
    """negative: the slave had more than the master"""
    last_bytes: int
    negative_lines: int
    replica_seen: bool = False
    """the log shows that a slave is there; without one the same line counts all that the master ever wrote"""
    growing: bool | None = None
    """whether the gap grew from the first to the last line; None with one line only"""
    first: Public | None = None
    last: Public | None = None
    path: Public = ""


class GcPause(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """All pauses of one step."""

    at: Public
    """begin of the step"""
    pause_ms: float


class GcRun(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Full collections one after the other that freed little."""

    at: Public | None = None
    seconds: float
    full: int
    for_room: int | None = None
    """full collections that nothing but the want of room caused: no System.gc(), no heap dump, no full metaspace, and
    no array that is too large for a heap of which half is free"""
    old_full: int | None = None
    """full collections that left the old generation full; only JDK 8 prints it in the line of the pause"""
    pause_share: float
    """share of that time that was spent in pauses, young collections included"""
    freed_share: float
    """share of the heap that one of them freed, on average"""
    asked: int = 0
    """full collections that System.gc() asked for, and that left room"""


class GcFacts(msgspec.Struct, frozen=True, kw_only=True):
    """One GC log."""

    path: Public
    format: GcFormat
    collections: int
    unread: int = 0
    """lines of pauses in a form that is not known"""
    full: int
    pause_ms: float
    """all pauses"""
    longest_pause_ms: float
    seconds: float | None = None
    """from the first line, or the begin of the first pause, to the last line"""
    worst_share: float | None = None
    """largest share of a minute that was spent in pauses; of the whole log where that is shorter than a minute"""
    worst_at: Public | None = None
    futile_run: GcRun | None = None
    """run with the longest pauses among those of full collections that each freed less than 10 % of the heap with the
    longest pauses"""
    open_run: GcRun | None = None
    """the run of such collections that the log ends in, up to the end of the log"""
    heap_bytes: int | None = None
    """largest size of the heap"""
    heap_after_bytes: int | None = None
    """after the last full collection; after the last of any kind when there was none"""
    used_share: float | None = None
    """share of the heap in use after the last collection of any kind"""
    filled: int = 0
    """full collections for room one after the other, up to the last, that left a heap of the same size full; of ZGC
    cycles that freed next to nothing of a heap that is nearly full"""
    old_filled: int = 0
    """the last full collections that left the old generation full; only JDK 8 prints it in the line of the pause"""
    seconds_to_full: float | None = None
    """until the heap is full if it goes on as in the last collections, each of which left more than the one before;
    None where there are few of them, or some are full"""
    to_space_exhausted: int = 0
    allocation_stalls: int = 0
    """times that a thread had to wait for ZGC"""
    asked: int = 0
    """collections that System.gc() asked for"""
    asked_pause_ms: float = 0.0
    """their pauses"""
    step_minutes: int = 1
    series: tuple[GcPause, ...] = ()


class SafepointPauses(msgspec.Struct, frozen=True, kw_only=True):
    """Pauses of the whole JVM in one log, by what they consist of."""

    path: Public
    pauses: int
    total_ms: float
    reaching_ms: float | None = None
    """the part in which the JVM waited for its threads to stop; None where no line tells"""
    long: int = 0
    """pauses of a second or longer"""
    longest_ms: float
    longest_reaching_ms: float | None = None
    longest_operation: Public | None = None
    """what the longest was for, such as G1CollectForAllocation; None up to JDK 12"""
    longest_at: Public | None = None
    first: Public | None = None
    last: Public | None = None
    operations: dict[str, int] = {}
    """milliseconds by operation, the largest first"""


class VersionRange(msgspec.Struct, frozen=True, kw_only=True):
    """Between which versions a broker is, as far as its logs tell."""

    since: Public | None = None
    """it is this version or a later one"""
    before: Public | None = None
    """it is earlier than this version"""
    told_by: tuple[Text, ...] = ()
    reason: Text = msgspec.field(default_factory=no_words)
    """why neither is known"""

    @property
    def said(self) -> Text:
        """The range in words."""
        if self.since is not None and self.before is not None:
            return say("{since} or later, before {before}", since=self.since, before=self.before)
        if self.since is not None:
            return say("{since} or later", since=self.since)
        return say("before {before}", before=self.before)


class OfLogs(msgspec.Struct, frozen=True, kw_only=True):
    """What logs say by themselves: all of a run, or those of one of several brokers."""

    events: tuple[LogEvent, ...] = ()
    """the most frequent kinds first"""
    not_matched: tuple[OffsetNotMatched, ...] = ()
    pagecachert: PutLatency | None = None
    """None when no log has such a line; with several brokers each has its own in `brokers`"""
    replica_gaps: tuple[ReplicaGap, ...] = ()
    settings: dict[str, Setting] = {}
    """broker settings that start-up lines print, such as brokerRole; two values with a comma between where they
    differ from start to start; with several brokers each has its own in `brokers`"""


class BrokerLogs(OfLogs, frozen=True, kw_only=True):
    """One of several brokers: what its own logs say, and what senders were answered by it."""

    name: Name | None = None
    """None where no line names it, as in a store.log alone"""
    address: Address | None = None
    instance: Public | None = None
    """what tells it from others of its name: the end of the path where its logs lie"""
    paths: tuple[Public, ...] = ()
    """its own logs; none for one that only senders name"""
    first: Public | None = None
    """earliest line of its own logs"""
    last: Public | None = None
    version: VersionRange | None = None

    @property
    def called(self) -> str:
        """Its name, and what tells it from others of that name."""
        known = (self.name or "", f"({self.instance})" if self.instance else "")
        return " ".join(part for part in known if part) or self.address or "?"


class UnknownText(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A text at WARN or ERROR that no rule judges."""

    text: Excerpt
    """with N for each number; cut"""
    count: int


class RepeatedLine(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What most lines of an excerpt say, below WARN."""

    text: Excerpt
    """without the time"""
    count: int


class HarmlessLines(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Lines that look like trouble and mean none."""

    kind: Public
    count: int
    why: Text
    """as a sentence"""
    example: Excerpt


MOST_PASSING = 20
"""passing lines of one rule that a start, a shutdown and a rebalance of one process explain"""


class LevelLineFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Lines at WARN and ERROR by what is known of them; lines of a stack trace belong to the line above them."""

    harmless: int = 0
    passing: dict[str, int] = {}
    """lines that are harmless in small numbers, by the rule that judges them when they are many"""
    symptoms: dict[str, int] = {}
    """lines that a rule judges, by the rule"""
    faults: int = 0
    """lines about something that failed and that no rule judges"""
    unclassified: int = 0
    """RocketMQ's lines without a verdict"""
    foreign: int = 0
    """lines that are not RocketMQ's, or of a version or a layout that is not known; exceptions without a level"""
    unseen: int = 0
    """lines of floods that were counted like a line near them; they are part of the other counts"""
    commonest: tuple[UnknownText, ...] = ()
    """the three commonest texts of faults, unclassified and foreign lines"""

    @property
    def not_understood(self) -> int:
        """Lines that no rule judges and that are not known to be harmless."""
        return self.faults + self.unclassified + self.foreign

    @property
    def weak(self) -> dict[str, int]:
        """Lines that some rule judges and that a start, a shutdown or a rebalance does not explain, by the rule."""
        weak = dict(self.symptoms)
        for rule, count in self.passing.items():
            if count > MOST_PASSING:
                weak[rule] = weak.get(rule, 0) + count
        return weak

    @property
    def all_harmless(self) -> bool:
        """Whether every line is known to be harmless, so that an all-clear may be given over them."""
        return not self.not_understood and not self.weak and not self.unseen


class TeamStatement(msgspec.Struct, frozen=True, kw_only=True):
    """A log statement of a team's own, in the log of one program with its rotated files, beside the team's limit."""

    name: Public
    by: Public
    """the file of the team that describes it"""
    text: Public
    kind: StatementKind
    limit: float
    """lines, lines a minute, seconds without a line, or lines that no other line follows, from where it is a fault"""
    within_seconds: float | None = None
    """for a sequence: how long the other line may take"""
    lines: int
    measured: float | None
    """the same as `limit`; None where the times of the lines do not tell"""
    since: Public | None = None
    """begin of the minute with the most lines or of the longest time without one; first line that nothing follows"""
    first: Public | None = None
    last: Public | None = None
    undated: int = 0
    """lines without a time"""
    sampled: bool = False
    """whether of a flood one line in several was looked at"""
    example: Excerpt = ""
    files: tuple[Public, ...] = ()
    severity: Public
    confidence: Public
    """the greatest that the team's file allows"""
    title: Public
    explanation: tuple[Public, ...] = ()
    actions: tuple[Public, ...] = ()


class QuotedStatement(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A line that holds the words of a log statement where the statement does not print them."""

    path: Public
    line: int
    """number of the line from 1, in an excerpt after cut lines were joined again"""
    quotes: Public
    """the words"""
    text: Excerpt
    """the line; cut"""


class LogsFacts(OfLogs, frozen=True, kw_only=True):
    """All logs of one run."""

    files: tuple[LogFile, ...] = ()
    flow_control: tuple[FlowControlFacts, ...] = ()
    offset_resets: tuple[OffsetReset, ...] = ()
    resets_left_out: int = 0
    stored_offsets: tuple[RepeatedOffset, ...] = ()
    """offsets of queues that stood still while others of their topic did not move either"""
    subscription_changes: tuple[SubscriptionChange, ...] = ()
    connections: tuple[Connections, ...] = ()
    """peers with at least two connections that ended, those with the most first"""
    listener_exceptions: tuple[ListenerException, ...] = ()
    """the most frequent ones first"""
    shared_client_ids: tuple[SharedClientId, ...] = ()
    suspended_queues: tuple[SuspendedQueue, ...] = ()
    """those that failed most often in a row first"""
    gc: tuple[GcFacts, ...] = ()
    safepoints: tuple[SafepointPauses, ...] = ()
    broker_version: VersionRange | None = None
    """None where no log tells; with several brokers each has its own in `brokers`"""
    brokers: tuple[BrokerLogs, ...] = ()
    """one row for each broker where the logs are of several; empty where all of them are of one or of none"""
    bytes: int = 0
    lines: int = 0
    level_lines: LevelLineFacts | None = None
    """None when the logs were not read for levels, as in reports of earlier versions"""
    repeated: tuple[RepeatedLine, ...] = ()
    """lines of logs with fewer than 20 lines, one text each; a number that moves makes two texts"""
    quoted: tuple[QuotedStatement, ...] = ()
    """the first lines of each log that quote a log statement; `quoted` of its input counts all of them"""
    other_clients: tuple[Public, ...] = ()
    """clients that are not the Java client, by the layout of their logs: C++, Go, Python, .NET or gRPC Java; what they
    log is not in the catalogue, so that an all-clear over it is not possible"""
    harmless: tuple[HarmlessLines, ...] = ()
    """the most frequent kinds first"""
    team: tuple[TeamStatement, ...] = ()
    """log statements that a team describes by `--knowledge`, of those that stand in the logs"""

    @property
    def is_excerpt(self) -> bool:
        """Whether all logs together have so few lines that somebody cut them out."""
        return 0 < self.lines < EXCERPT_LINES

    def event(self, kind: str) -> LogEvent | None:
        """The event of a kind, None when no line has it; the larger one when two clocks have it."""
        return max((one for one in self.events if one.kind == kind), key=lambda one: one.count, default=None)

    def count(self, *kinds: str) -> int:
        """Lines of these kinds together."""
        return sum(one.count for one in self.events if one.kind in kinds)
