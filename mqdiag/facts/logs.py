"""What logs say: events by kind, time and subject, the broker's write latency, and its JVM's collections.

Times are RFC 3339. They carry an offset where the log's zone is known, and none where it is not: a time without
one is as it was printed, and two of them compare only within one host.
"""

from __future__ import annotations

import msgspec

from mqdiag.facts.collector_logs import GcFacts, SafepointPauses
from mqdiag.facts.log_lines import HarmlessLines, LevelLineFacts, QuotedStatement, RepeatedLine, TeamStatement
from mqdiag.facts.offset_logs import OffsetNotMatched, OffsetReset, RepeatedOffset, SuspendedQueue
from mqdiag.facts.redaction import AccessKey, Address, ClientId, Excerpt, Name, Public, Setting, ThreadName
from mqdiag.facts.store_logs import PutLatency, ReplicaGap
from mqdiag.facts.vocabulary import FlowControlKind, ListenerKind, LogKind, LogSide
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
    first_records: int = 0
    """how many of its first lines begin a record"""
    harmless_lines: int = 0
    """lines that look like trouble, or like nothing that is known, and mean no harm"""
    doubted_lines: int = 0
    """lines of events in few places of an application's log, which may be parts of what somebody wrote"""
    cut_at: int | None = None
    """column at which something cut its lines, so that what stood behind is unknown; null where nothing did"""
    pid: int | None = None
    """process that wrote it, where that is a client's own log"""
    name_server: Address | None = None
    """`host:port;host:port` that its clients were given; None where it prints none or several"""
    untold_lines: int = 0
    """lines of a text without records that no reader takes; counted in texts of at most 64 KiB"""
    first_untold: Excerpt = ""
    first_untold_line: int | None = None
    """number of its line from 1"""
    """the first of them"""

    @property
    def is_understood(self) -> bool:
        """Whether the program that wrote it is known: an event, or harmless lines that are most of it."""
        return (
            self.event_lines - self.doubted_lines > self.harmless_lines
            or 2 * self.harmless_lines >= self.lines > 0
        )


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
    """service of others, or number of a request, that the lines are about"""
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


class KnownBroker(msgspec.Struct, frozen=True, kw_only=True):
    """A broker as the log of a name server has it."""

    named: Name
    """as events name it: by its name where logs say it, or else by its address"""
    address: Address
    path: Public
    """the log"""
    log_place: Public = ""
    """where the name server's logs lie, rotated ones too, with what their names add"""
    master: Name | None = None
    """name of a master; None of a slave, and where no topic was registered with it"""
    registered: Public | None = None
    """its last registration after it had been away; None where the log does not show it"""
    left: Public | None = None
    """when the name server took it away"""
    is_there: bool = True
    """it was not taken away since"""


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
            return say("{since} or later, before {before}", self)
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
    known_brokers: tuple[KnownBroker, ...] = ()
    """brokers by each log of a name server, in the order of their last registrations"""
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
    masters: dict[str, Address] = {}
    """addresses of masters by broker's name, as clients' logs have them"""
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
