"""The report's own vocabulary for people: states, severities, kinds of evidence, names of fields."""

from __future__ import annotations

from typing import get_args

from mqdiag.facts.vocabulary import (
    Doing,
    FrameKind,
    GcFormat,
    LogKind,
    LossKind,
    OffsetPlace,
    QueueSource,
    RaftRole,
    Role,
    ServerKind,
    TraitKind,
)
from mqdiag.text import Text, Value, say

_WORDS = {
    word.template: word
    for word in (
        say("error"), say("warning"), say("info"),
        say("high"), say("medium"), say("low"),
        say("stuck"), say("blocked"), say("progressing"), say("idle"), say("unknown"),
        say("new"), say("gone"), say("changed"),
        say("group"), say("topic"), say("broker"), say("queue"), say("thread"), say("class"),
        say("field"), say("setting"), say("address"), say("client"), say("host"), say("service"),
        say("instance"), say("environment"), say("resource"), say("account"),
        say("heap"), say("stacks"), say("logs"), say("stores"), say("admin"), say("log"), say("capture"),
        say("resources"),
        say("recordings"), say("recording"), say("profiles"), say("profile"),
        say("heap dump"), say("thread dumps"), say("fleet"), say("count"), say("size"), say("span"),
        say("rocketmq"), say("jdk"), say("application"), say("any"),
    )
}  # fmt: skip
_VOCABULARIES = (
    Role, Doing, LogKind, QueueSource, LossKind, FrameKind, OffsetPlace, GcFormat, TraitKind, ServerKind, RaftRole,
)  # fmt: skip
_WORDS |= {name: Text(name) for vocabulary in _VOCABULARIES for name in get_args(vocabulary)}
"""the closed vocabularies of facts are in the catalogues too"""


def word(name: str) -> Text | str:
    """The word for a value of the report; a name that is none of them stays as it is."""
    return _WORDS.get(name, name)


def queue_number(queue_id: int) -> Value:
    """The number of a queue; below 0 it stands for all queues of a broker, as POP and the gRPC client have them."""
    return queue_id if queue_id >= 0 else say("all")
