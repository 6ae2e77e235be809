"""What a JVM is, guessed from its command line and the names of its threads."""

from __future__ import annotations

import re
from collections.abc import Collection

from mqdiag.capture.jdk import ToolFailed, ask, find_tools
from mqdiag.capture.target import PROC, Target
from mqdiag.text import Text, say

_BROKER = say("RocketMQ broker")
_CONSUMER = say("RocketMQ consumer")
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
    (("ConsumeMessageT",), _CONSUMER),
    (("PullMessageServ", "RebalanceServic"), say("RocketMQ client")),
)
MOST_THREADS = 20_000
_GROUP = re.compile(r'^"ConsumeMessageThread_([^"\n]{1,300})_\d{1,9}"', re.MULTILINE)
"""a consume thread of a client that puts the group into the name, 4.5 and later"""
MOST_GROUPS = 3
ASK_SECONDS = 5.0


def guess(command: tuple[str, ...], threads: Collection[str]) -> Text:
    """What the user reads about a process; "JVM" if neither command line nor threads tell more.

    Args:
        command: its command line.
        threads: names of its threads, as the kernel keeps them.
    """
    for part in command:
        for ending, what in _MAIN_CLASSES:
            if part.endswith(f".{ending}"):
                return what
    for starts, what in _THREADS:
        if any(name in starts for name in threads):
            return what
    return say("JVM")


def guess_with_groups(target: Target) -> Text:
    """The same of a process on this host, with the groups of a consumer, for which one thread dump is taken."""
    what = guess(target.command, thread_names(target.pid))
    jcmd = find_tools(target).get("jcmd") if what == _CONSUMER else None
    if jcmd is None:
        return what
    try:
        return consumer_of(ask(jcmd, target, "Thread.print", seconds=ASK_SECONDS))
    except (ToolFailed, OSError):
        return what


def consumer_of(thread_dump: str) -> Text:
    """What a consumer is by the names of its threads."""
    groups = tuple(sorted({group for group in _GROUP.findall(thread_dump) if not group.isdigit()}))
    if not groups:
        return _CONSUMER
    shown = groups[:MOST_GROUPS]
    return say("consumer of {count:group|groups} {groups}", count=len(groups), groups=shown)


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
