"""What a log says without the lines that may be a part of a text that somebody wrote."""

from __future__ import annotations

from copy import deepcopy

import msgspec

from mqdiag.logs.counting import Handler
from mqdiag.logs.log_tally import LogTally
from mqdiag.logs.message import STACK_BYTES, Message
from mqdiag.logs.standing import Standing

MOST_WAITING = 40
"""lines of one event in one place that are kept until it is met in another"""


class LessTallies(msgspec.Struct):
    """Two tallies besides that of a log; None where they would be the same."""

    sure: LogTally | None = None
    """tally without any such line"""
    repeated: LogTally | None = None
    """tally without those of events that stand in one place"""
    _waiting: dict[int, list[tuple[Message, Handler]]] = msgspec.field(default_factory=dict)
    """lines of each event in its first place"""
    _behind: tuple[bytes, int, int] = (b"", 0, 0)
    """the block of the last of them, a place in it, and the line ends behind that"""

    def count(
        self, standing: Standing, message: Message, handler: Handler, event: int, tally: LogTally
    ) -> None:
        """Count a line, before the tally of the log has it.

        Args:
            standing: what the line proves.
            message: the line.
            handler: what counts it.
            event: place of its event.
            tally: of the log.
        """
        if not standing.accuses and self.sure is None:
            self.sure, self.repeated = deepcopy(tally), deepcopy(tally)
        if self.sure is None or self.repeated is None:
            return
        if standing.accuses:
            handler(message, self.sure)
        if standing is Standing.ALONE:
            waiting = self._waiting.setdefault(event, [])
            if len(waiting) < MOST_WAITING:
                waiting.append((self._with_little_around(message), handler))
            return
        for earlier, own in self._waiting.pop(event, ()):
            own(earlier, self.repeated)
        handler(message, self.repeated)

    def _with_little_around(self, message: Message) -> Message:
        """A line with no more of the log around it than its record and its stack may take."""
        block, start = message.hit.block, message.hit.start
        begin = block.rfind(b"\n", 0, max(start - STACK_BYTES, 0)) + 1
        end = start + len(message.hit.line) + 2 * STACK_BYTES
        last, place, behind = self._behind
        # the lines of a block come in their order: what stands between two of them is counted once
        is_below = block is last and place <= end
        behind = behind - block.count(b"\n", place, end) if is_below else block.count(b"\n", end)
        self._behind = block, end, behind
        lines = message.lines_read - behind if message.lines_read else 0
        hit = msgspec.structs.replace(message.hit, block=block[begin:end], start=start - begin)
        return Message(hit, message.stamps, lines)

    def prove_nothing(self, tally: LogTally) -> None:
        """Leave out all lines of a log that only quotes them.

        Args:
            tally: of the log.
        """
        self.sure = LogTally(tally.path, tally.kind)
        self.repeated = LogTally(tally.path, tally.kind)

    def prove_little(self, tally: LogTally) -> None:
        """Leave no line sure of a log that stands in a document.

        Args:
            tally: of the log.
        """
        self.sure, self.repeated = LogTally(tally.path, tally.kind), self.repeated or deepcopy(tally)

    def end(self) -> None:
        """Forget lines that stayed alone."""
        self._waiting.clear()
