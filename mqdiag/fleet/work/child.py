"""The worker child as its parent sees it: ask, wait, and replace it when it is gone or too large."""

from __future__ import annotations

import os
import pickle
import select
import signal
import subprocess
import sys
import time
from typing import Any

import msgspec

from mqdiag.errors import MqdiagError
from mqdiag.fleet.options import Limits
from mqdiag.fleet.work.analyse import Request
from mqdiag.fleet.work.child_main import LENGTH, needs_more
from mqdiag.fleet.work.loss import NotAnalysed
from mqdiag.fleet.work.rows import Rows
from mqdiag.report_json import text_of
from mqdiag.text import say

LOOK_S = 0.1
"""between two looks at the child's memory"""
START_S = 600.0
"""for the start with the compiling of all kernels, on a slow and busy node"""
MARGIN = 1.25
"""the child bounds its own memory; what it cannot bound ends it at this multiple"""
GROWN = 0.5
"""share of the memory limit that a child may keep between two incidents"""
LARGEST_ANSWER = 1 << 30
FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP)
"""signals that no incident causes: the kernel sends them for want of memory, others to end all processes of a run"""


class WarmChild:
    """A process that analyses one incident after the other and is replaced when it must be."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._process: subprocess.Popen[bytes] | None = None
        self._served = 0

    @property
    def pid(self) -> int | None:
        """The process, while there is one."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Have the process there, if it is not yet.

        Raises:
            MqdiagError: it does not start on this node.
        """
        if self._process is not None:
            return
        # "-P": no module of the working folder is imported, which may be the folder of the evidence
        command = [sys.executable, "-P", "-m", "mqdiag.fleet.work.child_main"]
        command += [str(self.limits.memory_bytes), str(self.limits.input_bytes), str(os.getpid())]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self._served = 0
        try:
            self._answer(START_S)
        except NotAnalysed as failure:
            self.close()
            raise MqdiagError(
                say("the analysing process does not start on this node: {reason}", reason=failure.reason)
            ) from failure

    def analyse(self, request: Request) -> Rows:
        """The rows of an incident.

        Raises:
            NotAnalysed: it died, took too long or too much memory, or failed inside.
        """
        if self._process is not None and (self._process.poll() is not None or self._is_worn()):
            self.close()
        self.start()
        self._served += 1
        data = pickle.dumps(request)
        try:
            self._send(data)
            answer = self._answer(self.limits.time_s)
        except NotAnalysed:
            self.close()
            raise
        if "failed" in answer:
            if answer["failed"] == "memory":
                self.close()  # freed memory is not always given back
            raise NotAnalysed(kind=answer["failed"], reason=text_of(answer["reason"]))
        return msgspec.convert(answer["rows"], Rows)

    def close(self) -> None:
        """End the process, whatever it does."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _is_worn(self) -> bool:
        kept = _anonymous_bytes(self._running.pid)
        return self._served >= self.limits.recycle_after or kept > GROWN * self.limits.memory_bytes

    @property
    def _running(self) -> subprocess.Popen[bytes]:
        assert self._process is not None
        return self._process

    def _send(self, data: bytes) -> None:
        assert self._running.stdin is not None
        try:
            self._running.stdin.write(LENGTH.pack(len(data)))
            self._running.stdin.write(data)
        except BrokenPipeError:
            raise self._ended() from None

    def _answer(self, patience_s: float) -> dict[str, Any]:
        deadline = time.monotonic() + patience_s
        (size,) = LENGTH.unpack(self._read(LENGTH.size, deadline, patience_s))
        if size > LARGEST_ANSWER:
            raise NotAnalysed(kind="fault", reason=say("its result of {bytes:bytes} is too large", bytes=size))
        answer: dict[str, Any] = msgspec.msgpack.decode(self._read(size, deadline, patience_s))
        return answer

    def _read(self, size: int, deadline: float, patience_s: float) -> bytes:
        assert self._running.stdout is not None
        descriptor = self._running.stdout.fileno()
        # not `select.select`, which refuses descriptors from 1024 on
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        data = bytearray()
        while len(data) < size:
            if poll.poll(LOOK_S * 1000):
                piece = os.read(descriptor, min(size - len(data), 1 << 20))
                if not piece:
                    raise self._ended()
                data += piece
            elif time.monotonic() > deadline:
                raise NotAnalysed(
                    kind="time", reason=say("was not done after {patience_s:seconds}", patience_s=patience_s)
                )
            elif _anonymous_bytes(self._running.pid) > MARGIN * self.limits.memory_bytes:
                raise NotAnalysed(kind="memory", reason=needs_more(self.limits.memory_bytes))
        return bytes(data)

    def _ended(self) -> NotAnalysed:
        code = self._running.wait()
        if -code in FROM_OUTSIDE:
            return NotAnalysed(kind="killed", reason=say("something outside killed the analysing process"))
        if code < 0:
            reason = say("the analysing process ended with signal {signal}", signal=-code)
        else:
            reason = say("the analysing process ended with exit code {code}", code=code)
        return NotAnalysed(kind="crash", reason=reason)


def _anonymous_bytes(pid: int) -> int:
    """Memory that is the process's own; pages of mapped files can be dropped at any time and do not count."""
    total = 0
    try:
        with open(f"/proc/{pid}/status", "rb") as file:
            for line in file:
                if line.startswith((b"RssAnon:", b"RssShmem:")):
                    total += int(line.split()[1]) << 10
    except OSError:
        pass  # it has just ended, which the next read notices
    return total
