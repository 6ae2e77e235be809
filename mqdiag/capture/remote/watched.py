"""A JVM on the other side whose heap and logs `--watch` looks at, each look with a connection of its own."""

from __future__ import annotations

import os

from mqdiag.capture.folder import Tell
from mqdiag.capture.jdk import ToolFailed
from mqdiag.capture.remote.jvms import RemoteJvm
from mqdiag.capture.remote.logs import find_remote_logs
from mqdiag.capture.remote.reach import Reach, answer
from mqdiag.capture.remote.scripts import JCMD, NEW_BYTES
from mqdiag.capture.watch import MOST_NEW_BYTES, overlap_begin


class OnOtherSide:
    """See `watch.Watched`. A connection that is lost while logs are searched is left to the next thread dump."""

    def __init__(self, reach: Reach, jvm: RemoteJvm, tell: Tell) -> None:
        self._reach, self._jvm, self._tell = reach, jvm, tell

    def ask(self, word: str) -> str:
        """See `Watched`."""
        return answer(self._reach, JCMD, str(self._jvm.pid), word)

    def log_sizes(self) -> dict[str, int]:
        """See `Watched`.

        Raises:
            ConnectionLost: the way is gone.
        """
        return {log.path: size for log, size in find_remote_logs(self._reach, self._jvm, self._tell)}

    def log_with(self, text: bytes, read_to: dict[str, int]) -> str | None:
        """See `Watched`."""
        words = [
            word
            for path, searched in read_to.items()
            for word in (path, str(searched), str(overlap_begin(searched, text)))
        ]
        try:
            told = answer(self._reach, NEW_BYTES, os.fsdecode(text), str(MOST_NEW_BYTES), *words)
        except ToolFailed:
            return None
        paths = []
        for path, line in zip(list(read_to), told.splitlines(), strict=False):
            size, _, found = line.partition(" ")
            if size.isdecimal():
                read_to[path] = int(size)
            if found == "found":
                paths.append(path)
        return paths[0] if paths else None
