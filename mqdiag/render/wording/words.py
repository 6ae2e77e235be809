"""Words of the report's fields, as a person reads them: severities, confidences, states, kinds of evidence."""

from __future__ import annotations

from mqdiag.text import say

WORDS = frozenset(
    map(
        str,
        (
            say("error"), say("warning"), say("info"), say("note"),
            say("high"), say("medium"), say("low"),
            say("stuck"), say("blocked"), say("progressing"), say("idle"), say("unknown"),
            say("new"), say("gone"), say("changed"),
            say("group"), say("topic"), say("broker"), say("queue"), say("thread"), say("class"),
            say("field"), say("setting"), say("address"), say("client"), say("host"), say("service"),
            say("instance"),
            say("heap"), say("stacks"), say("logs"), say("stores"), say("admin"), say("log"),
            say("heap dump"), say("thread dumps"), say("fleet"), say("count"), say("size"), say("span"),
            say("rocketmq"), say("jdk"), say("application"),
        ),
    )
)  # fmt: skip
"""What `word` translates; everything else is a name."""


def word(value: str) -> str:
    """The word in the chosen language; what is no word of ours stays as it is."""
    return say(value) if value in WORDS else value
