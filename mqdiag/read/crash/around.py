"""What stands around the lines of a report's head in the log of another program."""

from __future__ import annotations

import re

import msgspec

from mqdiag.read.crash.recognise import FRAMES, HEADS
from mqdiag.read.wrappers import QUOTED

SIGNS = "# \t_*"
"""what stands before each line of a report's head, and the marks with which a page makes a line stand out"""
LONGEST_AROUND = 200
_NUMBER = re.compile(r"\d+")


class Around(msgspec.Struct):
    """What a build tool, a table or a program puts around each line of a head, alike but for its numbers."""

    before: str | None = None
    """its text with 0 for each number; None outside of such a head"""
    after: str = ""

    def taken_off(self, line: str) -> str | None:
        """The line without it; None where nothing stands around the line."""
        for head in (*HEADS, *FRAMES):
            at = line.find(head, 0, LONGEST_AROUND + len(head))
            if at < 0:
                continue
            before = line[:at].rstrip(SIGNS)
            self.before = _shape(before) if before.strip() and QUOTED.strip() not in before else None
            ends_here = self.before is not None and head in HEADS
            self.after = line[at + len(head) :].removeprefix(":") if ends_here else ""
            break
        if self.before is None:
            return None
        for end in (place for place, sign in enumerate(line[:LONGEST_AROUND]) if sign in SIGNS):
            if _shape(line[:end].rstrip(SIGNS)) == self.before:
                break
        else:
            if _shape(line.rstrip(SIGNS)) != self.before:
                self.before = None
            return None
        own = line[end:].strip(" \t")
        return own.removesuffix(self.after) if self.after else own


def _shape(text: str) -> str:
    return _NUMBER.sub("0", text)
