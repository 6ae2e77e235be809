"""What a finding is about, in words."""

from __future__ import annotations

from mqdiag.findings import Subject
from mqdiag.render.wording.words import word
from mqdiag.text import NOTHING, Text, say

_WORDS = {"queue_id": "queue", "object_class": "class", "key": "setting"}


def about(subject: Subject) -> list[tuple[Text | str, str]]:
    """The parts that are known, with the word for each: ("group", "CID_orders"), ("queue", "3")."""
    named = ((name, getattr(subject, name)) for name in subject.__struct_fields__)
    return [(word(_WORDS.get(name, name)), str(value)) for name, value in named if value is not None]


def about_line(subject: Subject) -> Text:
    """The same in one line: "group CID_orders, queue 3"; empty when nothing is known."""
    parts = tuple(say("{word} {value}", word=name, value=value) for name, value in about(subject))
    return say("{parts}", parts=parts) if parts else NOTHING
