"""The request that failed, by the stack below an exception and by the line that it was logged under.

Source: MQClientAPIImpl, NettyRemotingClient, BrokerOuterAPI, SlaveSynchronize, ReplicasManager, 3.2.6 to 5.3.3;
DLedgerRpcNettyService of DLedger 0.1 to 0.3.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.message import Message

Call = Literal["send", "send-back", "pull", "name-server", "controller", "master", "raft", "other"]
"""`master` is what a slave asks its master for: topics, groups, offsets; `raft` is among members of a DLedger group"""

_NAMED: tuple[tuple[Call, str], ...] = (
    ("controller", r"BrokerOuterAPI\.\w{1,60}Controller|ReplicasManager\."),
    ("raft", r"io\.openmessaging\.storage\.dledger\."),
    (
        "name-server",
        r"getAndCreateNameserverChannel|FromNameServer|getBrokerClusterInfo"
        r"|BrokerOuterAPI\.(?:register|unregister|needRegister|sendHeartbeat\b|sendHeartbeatVia|refreshMetadata"
        r"|(?:get|sync)BrokerMemberGroup)",
    ),
    ("master", r"SlaveSynchronize\."),
    ("send-back", r"[cC]onsumerSendMessageBack|\.sendMessageBack\b"),
    ("pull", r"pullMessage|processPullResponse|pullKernelImpl"),
    ("send", r"\bsendMessage|\bsend\w{4,10}Impl|MQClientAPIImpl\$1\."),
)
_FRAME = lazy_pattern("|".join(f"({pattern})" for _, pattern in _NAMED))
_OTHERS = ("MQClientAPIImpl.", "BrokerOuterAPI.")
"""who makes all other calls"""
_COPIED = ("TopicConfig", "ConsumerOffset", "DelayOffset", "SubscriptionGroup", "MessageRequestMode")
_HEADERS: tuple[tuple[Call, tuple[str, ...]], ...] = (
    ("pull", ("execute the pull request exception",)),
    ("send-back", ("sendMessageBack",)),
    ("master", tuple(f"Sync{what} Exception" for what in _COPIED)),
    ("raft", ("Send vote request failed", "DLedgerRpcService")),
    ("send", ("sendKernelImpl", "sendMessage", "Send [", "send message")),
)


def call_of(message: Message) -> Call | None:
    """The call that threw: the deepest known frame tells, else the words around it; None where neither does."""
    by_frames = _by_frames(message.frames())
    if by_frames not in (None, "other"):
        return by_frames
    both = message.both
    return next((call for call, words in _HEADERS if any(word in both for word in words)), by_frames)


@lru_cache(maxsize=64)
def _by_frames(frames: str) -> Call | None:
    """The call of a stack; a log repeats few stacks, and the search takes long."""
    found = _FRAME.search(frames)
    if found is not None:
        return _NAMED[(found.lastindex or 1) - 1][0]
    return "other" if any(caller in frames for caller in _OTHERS) else None
