"""One log after the other, in constant memory: bytes in, a tally out."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import msgspec

from mqdiag.errors import TAKES_ANY, InputError, empty_file
from mqdiag.logs.counting import handler_of
from mqdiag.logs.less_tallies import LessTallies
from mqdiag.logs.level_lines import LevelLines
from mqdiag.logs.log_tally import LogTally
from mqdiag.logs.message import Message
from mqdiag.logs.other_clients import other_client
from mqdiag.logs.process_ids import process_id
from mqdiag.logs.provenance import Provenance
from mqdiag.logs.quoted import QuotedLines, says_something
from mqdiag.logs.repeats import repeated_text
from mqdiag.logs.standing import Standing, as_written
from mqdiag.logs.statements import beginnings, searched
from mqdiag.logs.untold import MOST_BYTES, Untold, untold_lines
from mqdiag.logs.usual_pauses import LITERAL, UsualPauses
from mqdiag.read.lines_in_names import without_lines_in_names
from mqdiag.read.logs.again import without_copies
from mqdiag.read.logs.blocks import blocks
from mqdiag.read.logs.columns import column_of_cuts, with_open_end
from mqdiag.read.logs.documents import is_document
from mqdiag.read.logs.heads import known_heads
from mqdiag.read.logs.levels import HEAD_BYTES as HEAD_BYTES_OF_LINE
from mqdiag.read.logs.levels import level_in, words_of
from mqdiag.read.logs.listings import has_messages, listing_of
from mqdiag.read.logs.scan import Counts, Scanner, Take, Words
from mqdiag.read.logs.shape import OWN_FORMS, SAMPLE_LINES, Shape, has_records, shape_of
from mqdiag.read.logs.stamps import StampReader, has_clock
from mqdiag.text import say

if TYPE_CHECKING:
    from mqdiag.knowledge.team.statement import Statement
    from mqdiag.logs.team_lines import StatementTally

HEAD_BYTES = 64 << 10
_TAIL_BYTES = 16 << 10
_FREED_BYTES = 8 << 20
"""more than the blocks take that are alive at once"""


class ReadLog(msgspec.Struct):
    """A log that was read."""

    path: str
    shape: Shape
    counts: Counts
    tally: LogTally
    less: LessTallies
    levels: LevelLines
    quiet_ms: int | None
    """for how long it goes on after its last line at WARN or ERROR that is not harmless; None where nothing tells"""
    other_client: str | None
    """the client that wrote it, if that is not the Java client"""
    identity: tuple[int, int, int]
    """the same for a copy of the log: its bytes, its lines, a checksum of the first and the last of them"""
    quoted: QuotedLines
    known_heads: float | None
    """share of the first lines whose time or level could be told; None where no line begins a record"""
    first_records: int
    """how many of these lines there are"""
    repeated: tuple[str, int] | None
    """what an excerpt says again and again, and how often"""
    untold: Untold
    doubted: int
    """lines of events that may be a part of what somebody wrote"""
    column: int | None
    """at which something cut its lines; None where they end by themselves"""
    pid: int | None
    """the process that wrote it, as far as its lines tell"""
    is_document: bool
    """whether it stands in a ticket, a page, a mail or a table"""
    team: list[StatementTally]
    """for each statement of a team, in their order"""


class _Watched(msgspec.Struct):
    """Blocks on their way to the search, of which the last is kept for the log's own times."""

    source: Iterator[bytes]
    see: Callable[[bytes], None] | None
    """told each block besides"""
    tail: bytes = b""

    def __iter__(self) -> Iterator[bytes]:
        for block in self.source:
            self.tail = block
            if self.see is not None:
                self.see(block)
            yield block


class LogsReader:
    """Reads logs one by one; the search is set up once for all of them."""

    def __init__(self, statements: tuple[Statement, ...] = ()) -> None:
        """Set up the search.

        Args:
            statements: of a team.
        """
        self._statements = statements
        self._rows = rows = searched()
        self._scanner = Scanner(rows.literals, rows.wanted, rows.changes)

    def read(self, path: str, chunks: Iterator[bytes]) -> ReadLog:
        """Read one log to its end.

        Raises:
            InputError: it is empty, no text, or no log.
        """
        _keep_freed_memory()
        given = next(chunks, b"")
        in_document = is_document(given[:HEAD_BYTES])
        chunks = _joined(given, chunks)
        source = blocks(
            path, without_copies(without_lines_in_names(chunks)), beginnings(), beginnings(harmless=True)
        )
        first = next(source, b"")
        if not first.strip():
            raise empty_file(path)
        head = first[:HEAD_BYTES]
        listing = listing_of(head, path)
        shape, standings = as_written(shape_of(head, path), first, listing)
        levels = LevelLines(words_of(first), own_file=shape.form in OWN_FORMS)
        counts = Counts()
        tally = LogTally(path, shape.kind, seconds_only=shape.form == "client-4")
        stamps = StampReader()
        rows, provenance, quoted = self._rows, Provenance(shape.form), QuotedLines()
        less, column = LessTallies(), column_of_cuts(head)
        team = None
        if self._statements:
            from mqdiag.logs.team_lines import TeamLines  # most runs know of no team

            team = TeamLines(self._statements, tally)
        of_users = listing is not None and listing.is_of_users  # a team's statement in one proves nothing
        watched = _Watched(_joined(first, source), None if team is None or of_users else team.see)
        last_position, last_handler = -1, None
        taken: set[int] = set()
        alone = early = 0
        # in Python 3.11 a member of an enumeration takes longer to name than to compare
        forged, sure = Standing.FORGED, Standing.SURE
        # no logger writes into a log of collections
        pauses = UsualPauses(tally, provenance) if shape.kind == "gc" and column is None else None
        take = None if pauses is None else Take(rows.literals.index(LITERAL), pauses.take)
        for hit in self._scanner.hits(iter(watched), counts, Words(levels.words, levels.see), take):
            if pauses is not None:
                pauses.count_before(hit.position)
            handler = handler_of(rows.event_of[hit.literal])
            if hit.position == last_position and handler is last_handler:
                continue  # two of a handler's literals on one line
            literal, event = rows.literals[hit.literal], rows.event_of[hit.literal]
            if column is not None:
                hit.line = with_open_end(hit.line, literal, column)
            message = Message(hit, stamps, counts.lines)
            standing = forged
            if provenance.is_own(message):
                standing = standings.of(message, rows.statements[hit.literal], literal, event)
            if standing is forged:
                quoted.not_in_place(message, literal, handler, tally, counts)
                continue
            last_position, last_handler = hit.position, handler
            quoted.own(hit.position)
            is_record = hit.position >= MOST_BYTES or level_in(hit.line, HEAD_BYTES_OF_LINE) is not None
            if not is_record and says_something(message, handler, tally):
                taken.add(hit.position)
            if standing is not sure or less.sure is not None:
                alone += message.stands_for if standing is Standing.ALONE else 0
                early += message.stands_for if standing is Standing.EARLY else 0
                less.count(standing, message, handler, event, tally)
            handler(message, tally)
        if pauses is not None:
            pauses.count_before(None)
        quoted.end()
        less.end()
        for one in (tally, less.sure, less.repeated):
            if one is not None:
                _end(one, head, watched.tail[-_TAIL_BYTES:])
        client = other_client(head)
        is_short = counts.bytes <= min(len(head), MOST_BYTES)
        known = client is not None or counts.hit_lines or has_clock(head) or has_records(head)
        if tally.span.first is None and not known and not is_short:
            raise InputError(
                path, say("is not a log: none of its first lines has a time or a level"), hint=TAKES_ANY
            )
        repeated = repeated_text(head.split(b"\n")) if counts.bytes == len(head) else None
        if repeated is not None and tally.is_harmless(repeated[0]):
            repeated = None
        untold = untold_lines(head, taken) if is_short and shape.kind == "application" else Untold()
        if of_users or has_messages(head):
            quoted.hide()
            levels.hide()
            repeated, untold = None, untold.hidden()
        told = [] if team is None else team.tallies
        return ReadLog(
            path,
            shape,
            counts,
            tally,
            less,
            levels,
            _quiet_ms(levels, tally, stamps),
            client,
            _identity(counts, head, watched.tail),
            quoted,
            *known_heads(head),
            repeated,
            untold,
            alone + (early if client is None and 2 * early < counts.lines else 0),
            column,
            process_id(tally, watched.tail[-_TAIL_BYTES:]),
            in_document,
            told,
        )


def _keep_freed_memory() -> None:
    """Have glibc use the memory of a block for the next one, and not have the system clear its pages for each.

    Source: mallopt(3): what is freed stays in the process up to twice the size of the largest piece freed so far. The
    pages of this one are never touched.
    """
    piece = bytes(_FREED_BYTES)
    del piece


def _identity(counts: Counts, head: bytes, tail: bytes) -> tuple[int, int, int]:
    """The identity of a log, by whole lines: where blocks end depends on how a copy is packed."""
    first_line, last_line = head.lstrip().split(b"\n", 1)[0], tail.rstrip().rpartition(b"\n")[2]
    return (counts.bytes, counts.lines, zlib.crc32(first_line + b"\n" + last_line))


def _quiet_ms(levels: LevelLines, tally: LogTally, stamps: StampReader) -> int | None:
    stamp, end = stamps.of_line(levels.last), tally.span.last
    if stamp is None or end is None:
        return None
    shift = 0
    if stamp.offset_minutes is not None and tally.zone_minutes is not None:
        shift = (tally.zone_minutes - stamp.offset_minutes) * 60_000
    return max(0, end - stamp.wall_ms - shift)


def _joined(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _end(tally: LogTally, head: bytes, tail: bytes) -> None:
    if tally.closings.shut_down() and (closed := tally.events.get(("channel-closed", "client"))):
        closed.keep_largest("closed_together", closed.count)
    _see_ends(tally, head, tail)


def _see_ends(tally: LogTally, head: bytes, tail: bytes) -> None:
    """The log's first and last times, whether or not those lines are events."""
    for lines in (head.split(b"\n", SAMPLE_LINES)[:SAMPLE_LINES], reversed(tail.split(b"\n")[1:] or [tail])):
        stamps = StampReader()
        for line in lines:
            stamp = stamps.of_line(line)
            if stamp is None:
                continue
            if tally.zone_minutes is None:
                tally.zone_minutes = stamp.offset_minutes
            shift = 0
            if stamp.offset_minutes is not None and tally.zone_minutes is not None:
                shift = (tally.zone_minutes - stamp.offset_minutes) * 60_000
            wall = stamp.wall_ms + shift
            tally.span.see(wall // 1000 * 1000 if tally.seconds_only else wall)
            break
    for event in tally.events.values():
        tally.span.take(event.span)
