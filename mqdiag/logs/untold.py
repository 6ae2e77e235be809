"""Lines of a short text that no reader takes: what nobody understood may be what matters."""

from __future__ import annotations

import msgspec

from mqdiag.facts.redaction import HIDDEN
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.bare_exceptions import is_of_a_record
from mqdiag.read.logs.levels import HEAD_BYTES, level_in
from mqdiag.read.logs.stamps import has_clock

MOST_BYTES = 64 << 10
"""size of a text whose lines are looked at; what is longer is a log of its own"""
MOST_RECORDS = 0.5
"""share of the other lines with a time or a level, from which on the rest belongs to these"""
TEXT_CHARACTERS = 160
_STARTED = b"boot success"
"""behind it nothing above has kept the process from its start"""
_PLAIN = lazy_pattern(
    # a prompt with its command, a step of a shell's -x, a heading of a post, what a person sets apart or leaves out
    rb"(?:(?:sh|nohup|start) )*(?:\.?[\w./\\-]{0,80})?mq(?:namesrv|broker|proxy|admin|controller|shutdown)"
    rb"(?:\.cmd|\.sh)?(?:\s|$)|(?:\[[\w.@-]{1,80} [^\]\n]{1,200}\])?(?:[\w.-]{1,40}@[\w.-]{1,80}:\S{0,200})?[$#+>] "
    rb"|\[exec\] |```|#|-{3,}|={3,}|(?:\.{3,}|\xe2\x80\xa6{1,6})\s*$"
    # a setting
    rb"|[A-Za-z][\w.-]{1,80} ?= ?\S{0,400}\s*$"
)


class Untold(msgspec.Struct, frozen=True):
    """What is left of a text."""

    count: int = 0
    first: str = ""
    line: int | None = None
    """number of the first of them, from 1"""

    def hidden(self) -> Untold:
        """The same without what the first of them says."""
        return msgspec.structs.replace(self, first=HIDDEN if self.first else "")


def untold_lines(text: bytes, taken: set[int]) -> Untold:
    """Lines that are no record, no part of one, no setting and no command; none where most lines are records.

    Args:
        text: all of it.
        taken: where the lines begin that have a statement in its own place.
    """
    left: list[tuple[int, bytes]] = []
    filled = records = at = 0
    for number, line in enumerate(text.split(b"\n"), 1):
        begin, at = at, at + len(line) + 1
        if not line.strip():
            continue
        if _STARTED in line:
            left = []
        if begin in taken or _STARTED in line:
            continue
        filled += 1
        if level_in(line, HEAD_BYTES) is not None or has_clock(line):
            records += 1
        elif not _PLAIN.match(line) and not is_of_a_record(line):
            left.append((number, line))
    if not left or records > MOST_RECORDS * filled:
        return Untold()
    number, first = left[0]
    return Untold(len(left), first.decode(errors="replace").strip()[:TEXT_CHARACTERS], number)
