"""One input file and how much of it could be read."""

from __future__ import annotations

import msgspec

from mqdiag.errors import Lack
from mqdiag.facts.redaction import Public
from mqdiag.facts.vocabulary import InputKind
from mqdiag.text import Text, say

AMONG_LINES = say("it stands among the lines of a log, into which somebody may have pasted it")


class Input(msgspec.Struct, frozen=True, kw_only=True):
    """A file (or `-`) that was given.

    `captured_at` is RFC 3339 with an offset when the evidence says which instant it is; a thread dump's date
    line has no zone, so its text stands in `captured_at_local` instead.
    """

    path: Public
    """as it was given"""
    kind: InputKind | None = None
    """None if it is not known"""
    format: Public | None = None
    """format version and compression; with an `error` the form that the first bytes tell, where it is no evidence"""
    bytes: int | None = None
    """size of the file as it is, compressed if it is"""
    captured_at: Public | None = None
    captured_at_local: Public | None = None
    complete: bool = True
    """false when it is cut, partly corrupt or not readable at all"""
    error: Text | None = None
    """why nothing could be read, in one line"""
    lack: Lack | None = None
    """what was lacking where there is an `error` and the input itself is not at fault"""
    skipped: Text | None = None
    """why `mqdiag diagnose` left it alone: no evidence of a known kind, seen already, beyond a limit"""
    stopped_at_byte: int | None = None
    """where reading stopped in an incomplete input, counted in the uncompressed data"""
    read_share: float | None = None
    """share of an incomplete input that was read, 0 to 1; None where nothing tells"""
    found_references_share: float | None = None
    """share of an incomplete dump's references whose target was read, 0 to 1; more than the share of its bytes"""
    problem: Text | None = None
    """what was wrong at that byte"""
    quoted: int = 0
    """lines of a log that hold the words of a log statement in another place than the statement prints them: in
    quotation marks, in a value, behind other words; no finding rests on them"""
    pasted: int = 0
    """thread dumps, crash reports and answers of mqadmin that somebody pasted into a text of this log: whose they are,
    nobody knows, so no finding that rests on them is of more than medium confidence; those of the first two are
    information. Also logs and crash reports that stand in a document, such as a ticket: their findings stay what they
    are, with medium confidence at the most"""
    may_be_quoted: bool = False
    """a statement in an answer or log of a database may go on below its line: a user may have written what is there,
    so that it counts with low confidence, and may hide other lines"""
    contradictory: bool = False
    """records of a dump contradict each other, so that nothing in it is sure: several objects have one id, or threads
    of two processes stand in one dump"""

    @property
    def was_read(self) -> bool:
        """Whether anything of it could be read."""
        return self.error is None and self.skipped is None

    @property
    def has_two_processes(self) -> bool:
        """Whether lines or threads of two processes stand in one thread dump of it."""
        return self.kind == "stacks" and self.contradictory
