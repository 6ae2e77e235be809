"""Words of the report's fields, as a person reads them: severities, confidences, states, kinds of evidence."""

from __future__ import annotations

from mqdiag.language import later, say

WORDS = frozenset(
    map(
        str,
        (
            later("error"), later("warning"), later("info"), later("note"),
            later("high"), later("medium"), later("low"),
            later("stuck"), later("blocked"), later("progressing"), later("idle"), later("unknown"),
            later("new"), later("gone"), later("changed"),
            later("group"), later("topic"), later("broker"), later("queue"), later("thread"), later("class"),
            later("field"), later("setting"), later("address"), later("client"), later("host"), later("service"),
            later("instance"),
            later("heap"), later("stacks"), later("logs"), later("stores"), later("admin"), later("log"),
            later("heap dump"), later("thread dumps"), later("fleet"), later("count"), later("size"), later("span"),
            later("rocketmq"), later("jdk"), later("application"),
        ),
    )
)  # fmt: skip
"""What `word` translates; everything else is a name."""


def word(value: str) -> str:
    """The word in the chosen language; what is no word of ours stays as it is."""
    return say(value) if value in WORDS else value
