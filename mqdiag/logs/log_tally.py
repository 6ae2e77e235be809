"""Everything that is counted in one log."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from mqdiag.facts.vocabulary import FlowControlKind, ListenerKind, LogSide, OffsetPlace
from mqdiag.logs.collections import GcTally
from mqdiag.logs.latency import LatencyTally
from mqdiag.logs.message import Message, is_quiet
from mqdiag.logs.peers import Peer, PeerTally
from mqdiag.logs.safepoints import SafepointTally
from mqdiag.logs.statements import HARMLESS
from mqdiag.logs.tally import EXAMPLE_CHARACTERS, NOBODY, EventTally, Minutes, Span, Subject
from mqdiag.read.logs.stamps import Stamp

BURST_MS = 1000
"""between two channels that a client closes one after the other"""
MOST_ROWS = 2000
"""different resets, or groups under flow control, of one log that are kept"""


class FlowTally(msgspec.Struct):
    """One group and one reason to hold back pulls."""

    lines: int = 0
    threshold: int | None = None
    largest: int | None = None
    delay_ms: int | None = None
    """for how long each line holds back its queue, where the client logs each time; None where it logs one in many"""
    idle_minutes: int = 0
    """minutes in which the consumer finished no message while its cache was full for at least half of the time"""
    span: Span = msgspec.field(default_factory=Span)
    topics: dict[str, None] = msgspec.field(default_factory=dict)
    queues: dict[tuple[str | None, str | None, int | None], None] = msgspec.field(default_factory=dict)


class CounterTally(msgspec.Struct):
    """A consumer's own counter of held-back pulls, which its lines print: it grows until the client restarts."""

    lines: int = 0
    times: int | None = None
    at: int | None = None
    grown: int = 0
    """held-back pulls between the lines of each client's life"""
    before: int = 0
    """held-back pulls that each client counted before its first line here"""
    milliseconds: int = 0


class ResetKey(NamedTuple):
    """A consumer's move; only its own log names the queue, so that two queues may look alike to the broker's."""

    group: str | None
    topic: str | None
    queue_id: int | None
    requested: int
    given: int


class ResetTally(msgspec.Struct):
    """One offset that was asked for, and the one given instead."""

    count: int = 0
    span: Span = msgspec.field(default_factory=Span)
    broker: str | None = None
    broker_max: int | None = None
    no_queue_data: bool = False


class NotMatchedTally(msgspec.Struct):
    """Lookups of offsets that no file holds, of one thread and one place."""

    count: int = 0
    requested: int | None = None
    first_offset: int | None = None
    last_offset: int | None = None
    span: Span = msgspec.field(default_factory=Span)
    minutes: Minutes = msgspec.field(default_factory=Minutes)


class StoredTally(msgspec.Struct):
    """The consume offset of one queue that a client stores again and again."""

    offset: int
    lines: int = 0
    moved: bool = False
    consumed: int = 0
    """messages of its group and topic that listeners finished between its lines"""
    waiting: int = 0
    """those since its last line"""
    span: Span = msgspec.field(default_factory=Span)


class ThrownKey(NamedTuple):
    """An exception of a group's listener."""

    group: str | None
    exception: str
    cause: str | None
    frame: str | None
    of: ListenerKind = "messages"


class SuspendedTally(msgspec.Struct):
    """The message that an orderly queue last failed on."""

    offset: int
    failures: int = 0
    """failures of this message in a row"""
    reconsume_times: int = 0
    """the largest that its lines print"""
    span: Span = msgspec.field(default_factory=Span)


class ConnectedTwice(msgspec.Struct):
    """A client id that several connections of one group had at the same time."""

    addresses: dict[str, None] = msgspec.field(default_factory=dict)
    span: Span = msgspec.field(default_factory=Span)


class ChangeKey(NamedTuple):
    """One subscription that replaced another at the broker."""

    group: str
    topic: str
    before: str
    after: str


class Registrations(msgspec.Struct):
    """The last registrations of a broker at one name server."""

    last: int | None = None
    gap_ms: int = 0
    """how long none was there before `gap_end`, where no later one has shown yet whether the broker stood still"""
    gap_end: int = 0


class ClosingTally(msgspec.Struct):
    """Channels that a client closes, in bursts: one that is shut down closes all of its own at once."""

    alone: int = 0
    """lines of bursts with a single address"""
    together: int = 0
    """lines of bursts with several"""
    _addresses: set[str] = msgspec.field(default_factory=set)
    _lines: int = 0
    _last: int | None = None

    def see(self, address: str, at: int | None, stands_for: int) -> None:
        """Count a line; one without a time is of no burst."""
        if at is None or self._last is None or abs(at - self._last) > BURST_MS:
            self.end()
        self._last = at
        self._addresses.add(address)
        self._lines += stands_for

    def shut_down(self) -> bool:
        """Whether all channels are closed by clients that are shut down, as a console does after each question."""
        self.end()
        return self.together > 0 and not self.alone

    def end(self) -> None:
        """Close the last burst."""
        if len(self._addresses) > 1:
            self.together += self._lines
        else:
            self.alone += self._lines
        self._addresses, self._lines = set(), 0


class GapTally(msgspec.Struct):
    """How far the slave was behind."""

    lines: int = 0
    largest: int = 0
    smallest: int = 0
    first: int = 0
    last: int = 0
    negative: int = 0
    shrank: bool = False
    span: Span = msgspec.field(default_factory=Span)


class BrokerTally(msgspec.Struct):
    """A broker at a name server."""

    master: str | None = None
    """name of a master; None of a slave, and where no topic was registered with it"""
    registered: int | None = None
    """its last registration after it had been away"""
    left: int | None = None
    """when the name server last took it away"""
    is_there: bool = True


class TimerProgress(NamedTuple):
    """A line of progress of a broker's timer wheel."""

    at: int | None
    read_time: str
    """whose messages the way out reads, as printed"""
    out_behind_s: int
    read_offset: int
    """up to which the way in has read its topic"""
    in_behind: int


class LogTally(msgspec.Struct):
    """What one log says."""

    path: str
    kind: str
    seconds_only: bool = False
    """the digits below the second are none: 4.x clients print the second again"""
    zone_minutes: int | None = None
    """zone of its times, once a line has named one"""
    events: dict[tuple[str, LogSide | None], EventTally] = msgspec.field(default_factory=dict)
    flow: dict[tuple[str | None, FlowControlKind], FlowTally] = msgspec.field(default_factory=dict)
    counters: dict[tuple[str | None, str], CounterTally] = msgspec.field(default_factory=dict)
    resets: dict[ResetKey, ResetTally] = msgspec.field(default_factory=dict)
    resets_left_out: int = 0
    overflows: dict[int, int] = msgspec.field(default_factory=dict)
    """largest offset of the broker's queue by the offset that was requested beyond it"""
    no_data: dict[int, None] = msgspec.field(default_factory=dict)
    """offsets requested of queues without any data"""
    not_matched: dict[tuple[str | None, OffsetPlace, int | None], NotMatchedTally] = msgspec.field(
        default_factory=dict
    )
    stored: dict[Subject, StoredTally] = msgspec.field(default_factory=dict)
    moved: set[bytes] = msgspec.field(default_factory=set)
    """queues and clients as lines name them, once a stored offset moved: what they store later decides nothing"""
    refused_offsets: dict[tuple[str, Subject], tuple[int, int]] = msgspec.field(default_factory=dict)
    """the last offset that a client stored although the broker had a larger one, and that larger one"""
    connecting: set[str] = msgspec.field(default_factory=set)
    """addresses to which a client began to connect, until it is connected"""
    unlocked: dict[Subject, int | None] = msgspec.field(default_factory=dict)
    """when an orderly consumer last left a queue aside because it had no lock, until it has one"""
    brokers_left: list[int] = msgspec.field(default_factory=list)
    """when a name server saw the end of a connection of some broker, until it says which one it took away"""
    registering: dict[str, tuple[str, int | None]] = msgspec.field(default_factory=dict)
    """by thread of a name server, the broker whose topics it registered last, and when"""
    delayed_sizes: dict[str, tuple[int, int]] = msgspec.field(default_factory=dict)
    """by thread that stores delayed messages, the size of one that is too large, and the limit, until it gives up"""
    delayed_tried: dict[int | None, tuple[str, Subject, int]] = msgspec.field(default_factory=dict)
    """by queue of a delay level, kind, subject and offset of the message that could not be stored last"""
    known_brokers: dict[str, BrokerTally] = msgspec.field(default_factory=dict)
    """by address, what a name server has of brokers, in the order of their last registrations"""
    registrations: dict[str, Registrations] = msgspec.field(default_factory=dict)
    """those of the broker that writes the log, by the address of the name server"""
    timer_progress: list[TimerProgress] = msgspec.field(default_factory=list)
    """the last lines of the timer wheel"""
    changes: dict[ChangeKey, tuple[int, Span]] = msgspec.field(default_factory=dict)
    peers: dict[Peer, PeerTally] = msgspec.field(default_factory=dict)
    acknowledgements: dict[tuple[int, int], int] = msgspec.field(default_factory=dict)
    """how often the broker read the acknowledgement at an offset of a revive queue"""
    connected: dict[tuple[str, str], dict[str, int | None]] = msgspec.field(default_factory=dict)
    """by group and client id, the addresses from which consumers are connected, and since when"""
    at_remote: dict[str, dict[tuple[str, str], None]] = msgspec.field(default_factory=dict)
    """by address, the groups and client ids that are connected from it"""
    closings: ClosingTally = msgspec.field(default_factory=ClosingTally)
    says_who_left: bool = False
    """it has lines about connections that ended"""
    connected_twice: dict[tuple[str, str], ConnectedTwice] = msgspec.field(default_factory=dict)
    clients: dict[str, list[Span]] = msgspec.field(default_factory=dict)
    """by client id, from start to shutdown; without an end while the client runs"""
    heartbeats_to: dict[str, dict[str, None]] = msgspec.field(default_factory=dict)
    """by broker's name, the addresses of the master that clients of this process sent heartbeats to"""
    name_servers: dict[str, None] = msgspec.field(default_factory=dict)
    """what clients of this process were given as the addresses of name servers"""
    consumers: dict[str, None] = msgspec.field(default_factory=dict)
    """groups whose consumers started"""
    grpc_groups: dict[str, str] = msgspec.field(default_factory=dict)
    """group of each consumer of the gRPC client by its client id"""
    grpc_endpoint: str | None = None
    """address of the proxy that the gRPC client was given"""
    grpc_full: dict[str, tuple[FlowControlKind, int]] = msgspec.field(default_factory=dict)
    """by client id, why its cache was full last, and how often it said so since it last wrote its statistics"""
    thrown: dict[ThrownKey, tuple[int, Span]] = msgspec.field(default_factory=dict)
    suspended: dict[Subject, SuspendedTally] = msgspec.field(default_factory=dict)
    """by queue"""
    latency: LatencyTally = msgspec.field(default_factory=LatencyTally)
    gaps: GapTally = msgspec.field(default_factory=GapTally)
    replica_seen: bool = False
    gc: GcTally = msgspec.field(default_factory=GcTally)
    safepoints: SafepointTally = msgspec.field(default_factory=SafepointTally)
    settings: dict[str, str] = msgspec.field(default_factory=dict)
    brokers: dict[str, dict[str, None]] = msgspec.field(default_factory=dict)
    """names of brokers by the address that the log gives them"""
    printed: set[str] = msgspec.field(default_factory=set)
    """names of settings that a broker printed when it started, of those that tell versions"""
    says_fix_to: bool = False
    """an overflow line in the words of 5.x"""
    started_as: tuple[str, str] | None = None
    """name and address of the broker that says here that it has started"""
    raft_member: str | None = None
    """the controller that says here that it has started, by its address in the group of SOFAJRaft"""
    ended_in: int = -1
    """where the record begins that told last in words of a start that failed"""
    ended_at: int = -1
    """where the last stack begins that ended a start"""
    said_nothing: int = 0
    """lines of stacks that were looked at and told nothing: they ended no start, or have no exception"""
    span: Span = msgspec.field(default_factory=Span)

    def at(self, message: Message) -> int | None:
        """The time of a line in the log's own zone."""
        stamp = message.record.stamp
        return None if stamp is None else self.in_own_zone(stamp)

    def in_own_zone(self, stamp: Stamp) -> int:
        """A time in the log's own zone, which is that of the first time that has one."""
        if stamp.offset_minutes is None:
            return stamp.wall_ms // 1000 * 1000 if self.seconds_only else stamp.wall_ms
        if self.zone_minutes is None:
            self.zone_minutes = stamp.offset_minutes
        return stamp.wall_ms + (self.zone_minutes - stamp.offset_minutes) * 60_000

    def add(
        self,
        kind: str,
        message: Message,
        subject: Subject = NOBODY,
        *,
        side: LogSide | None = None,
        weight: int | None = None,
        example: str = "",
    ) -> EventTally | None:
        """Count an event line; None when it repeats an event of the same record.

        Args:
            kind: of the event.
            message: the line.
            subject: what it is about.
            side: whose log has it.
            weight: how many occurrences it stands for.
            example: the words that tell most, where these are not of the line itself.
        """
        tally = self.events.get((kind, side))
        if tally is None:
            tally = self.events[kind, side] = EventTally(kind, side, files={self.path: None})
            tally.example = (example or message.text).strip()[:EXAMPLE_CHARACTERS]
            tally.line = message.number_of(example) if example else message.number
        record = message.record
        if record.header and tally.last_record == record.start:
            return None
        tally.last_record = record.start
        if self.kind == "application" and record.header and is_quiet(record.header):
            tally.unsigned += message.stands_for
        tally.add(self.at(message), subject, message.stands_for, weight)
        return tally

    def is_harmless(self, text: str) -> bool:
        """Whether the first line of a kind that is known to be no trouble has this text."""
        return any(
            text in tally.example for (kind, _), tally in self.events.items() if kind.startswith(HARMLESS)
        )
