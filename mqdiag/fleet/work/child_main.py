"""The process that analyses: takes incidents from its standard input until that is closed.

It has memory of its own that the kernel bounds, and may be killed at any moment: whoever started it counts on
nothing but an answer or an end.
"""

from __future__ import annotations

import ctypes
import errno
import os
import pickle
import resource
import signal
import struct
import sys
from typing import IO, Any

import msgspec

from mqdiag.errors import first_line, is_out_of_threads
from mqdiag.report_json import text_values
from mqdiag.text import Text, say

PR_SET_PDEATHSIG = 1  # linux/prctl.h
LENGTH = struct.Struct(">Q")


def main(memory_bytes: int, file_bytes: int, parent: int) -> None:
    """Serve.

    Args:
        memory_bytes: limit of anonymous memory.
        file_bytes: limit of any file that it writes: what a compressed input may inflate to.
        parent: who must live for this process to live.
    """
    _end_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # The protocol keeps the real standard output; a stray print goes to the log.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    requests = sys.stdin.buffer
    from mqdiag.fleet.work.analyse import analyse, warm

    warm()
    resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
    _send(answers, {"ready": True})
    while (head := requests.read(LENGTH.size)) and len(head) == LENGTH.size:
        request = pickle.loads(requests.read(LENGTH.unpack(head)[0]))
        try:
            answer: dict[str, Any] = {"rows": analyse(request)}
        except Exception as error:
            answer = _failure(error, memory_bytes, redact=request.redact)
        _send(answers, answer)
        del answer, request


def _failure(error: Exception, memory_bytes: int, *, redact: bool) -> dict[str, Any]:
    text = first_line(error)
    if (
        isinstance(error, MemoryError)
        or (isinstance(error, OSError) and error.errno == errno.ENOMEM)
        or is_out_of_threads(error)  # no room for its stack
        or (isinstance(error, ImportError) and "failed to map" in text)
    ):
        return {"failed": "memory", "reason": text_values(needs_more(memory_bytes))}
    # The text of an error can be one of the evidence.
    kind = type(error).__name__
    reason = say("internal fault: {kind}", kind=kind)
    if not redact:
        reason = say("internal fault: {kind}: {error}", kind=kind, error=text)
    return {"failed": "fault", "reason": text_values(reason)}


def needs_more(memory_bytes: int) -> Text:
    """The reason of a failure for want of memory."""
    return say(
        "needs more than the {memory_bytes:bytes} of memory that --memory gives", memory_bytes=memory_bytes
    )


def _send(stream: IO[bytes], answer: dict[str, Any]) -> None:
    data = msgspec.msgpack.encode(answer)
    stream.write(LENGTH.pack(len(data)) + data)
    stream.flush()


def _end_with(parent: int) -> None:
    """Be killed when the parent dies, however it dies: nothing of a lost executor may stay behind."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
