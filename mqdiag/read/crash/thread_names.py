"""Names of threads in a thread dump that have line ends: what stands in them is no line of the JVM's."""

from __future__ import annotations

import msgspec

_DUMP = "Full thread dump"
MOST_LINES = 1_000
"""lines of one name"""


class ThreadNames(msgspec.Struct):
    """Tells which lines of a text stand inside of a name, from one line to the next."""

    _in_dump: bool = False
    _left: int = 0
    """lines that the name which is open may still have"""

    def hold(self, line: str) -> bool:
        """Whether a line begins inside of a name.

        Args:
            line: the next line of the text.
        """
        if self._left:
            self._left = 0 if '"' in line else self._left - 1
            return True
        self._in_dump = self._in_dump or line.startswith(_DUMP)
        # the header of a thread closes the name on the line that begins it
        if self._in_dump and line.startswith('"') and '"' not in line[1:]:
            self._left = MOST_LINES
        return False
