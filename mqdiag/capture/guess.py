"""What a JVM is, guessed from its command line and the names of its threads."""

from __future__ import annotations

from mqdiag.capture.target import PROC, Target

_MAIN_CLASSES = (
    ("BrokerStartup", "RocketMQ broker"),
    ("BrokerContainerStartup", "RocketMQ broker"),
    ("NamesrvStartup", "RocketMQ name server"),
    ("ProxyStartup", "RocketMQ proxy"),
    ("ControllerStartup", "RocketMQ controller"),
)
# The kernel keeps the first 15 characters of a thread's name.
_THREADS = (
    (("SendMessageThre", "ReputMessageSer"), "RocketMQ broker"),
    (("ConsumeMessageT",), "RocketMQ consumer"),
    (("PullMessageServ", "RebalanceServic"), "RocketMQ client"),
)
MOST_THREADS = 20_000


def guess(target: Target) -> str:
    """A word for a person; "JVM" where nothing tells more."""
    for part in target.command:
        for ending, what in _MAIN_CLASSES:
            if part.endswith(f".{ending}"):
                return what
    names = thread_names(target.pid)
    for starts, what in _THREADS:
        if any(name in starts for name in names):
            return what
    return "JVM"


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
