"""What a JVM is, guessed from its command line and the names of its threads."""

from __future__ import annotations

from mqdiag.capture.target import PROC, Target
from mqdiag.text import Text, say

_BROKER = say("RocketMQ broker")
_MAIN_CLASSES = (
    ("BrokerStartup", _BROKER),
    ("BrokerContainerStartup", _BROKER),
    ("NamesrvStartup", say("RocketMQ name server")),
    ("ProxyStartup", say("RocketMQ proxy")),
    ("ControllerStartup", say("RocketMQ controller")),
)
# The kernel keeps the first 15 characters of a thread's name.
_THREADS = (
    (("SendMessageThre", "ReputMessageSer"), _BROKER),
    (("ConsumeMessageT",), say("RocketMQ consumer")),
    (("PullMessageServ", "RebalanceServic"), say("RocketMQ client")),
)
MOST_THREADS = 20_000


def guess(target: Target) -> Text:
    """What the user reads about the process; "JVM" if neither command line nor threads tell more."""
    for part in target.command:
        for ending, what in _MAIN_CLASSES:
            if part.endswith(f".{ending}"):
                return what
    names = thread_names(target.pid)
    for starts, what in _THREADS:
        if any(name in starts for name in names):
            return what
    return say("JVM")


def thread_names(pid: int) -> set[str]:
    """The names of a process's threads."""
    names = set()
    try:
        for count, task in enumerate((PROC / str(pid) / "task").iterdir()):
            if count >= MOST_THREADS:
                break
            names.add((task / "comm").read_text(errors="replace").strip())
    except OSError:
        pass
    return names
