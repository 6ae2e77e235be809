"""The request that failed, by the stack below an exception and by the line that it was logged under.

Source: MQClientAPIImpl, NettyRemotingClient, BrokerOuterAPI, 3.2.6 to 5.3.3.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.message import Message

Call = Literal["send", "send-back", "pull", "name-server", "other"]

_NAMED: tuple[tuple[Call, str], ...] = (
    ("name-server", r"getAndCreateNameserverChannel|FromNameServer|BrokerOuterAPI\."),
    ("send-back", r"[cC]onsumerSendMessageBack|\.sendMessageBack\b"),
    ("pull", r"pullMessage|processPullResponse|pullKernelImpl"),
    ("send", r"\bsendMessage|\bsend\w{4,10}Impl|MQClientAPIImpl\$1\."),
)
_FRAME = lazy_pattern("|".join(f"({pattern})" for _, pattern in _NAMED))
_ANY_CALL = "MQClientAPIImpl."
_HEADERS: tuple[tuple[Call, tuple[str, ...]], ...] = (
    ("pull", ("execute the pull request exception",)),
    ("send-back", ("sendMessageBack",)),
    ("send", ("sendKernelImpl", "sendMessage", "Send [", "send message")),
)


def call_of(message: Message) -> Call | None:
    """The call that threw: the deepest known frame tells, else the words around it; None where neither does."""
    return _by_frames(message.frames()) or next(
        (call for call, words in _HEADERS if any(word in message.both for word in words)), None
    )


@lru_cache(maxsize=64)
def _by_frames(frames: str) -> Call | None:
    """The call of a stack; a log repeats few stacks, and the search takes long."""
    found = _FRAME.search(frames)
    if found is not None:
        return _NAMED[(found.lastindex or 1) - 1][0]
    return "other" if _ANY_CALL in frames else None
