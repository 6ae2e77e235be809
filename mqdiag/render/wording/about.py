"""What a finding is about, in words."""

from __future__ import annotations

from mqdiag.findings import Subject
from mqdiag.render.wording.words import word

_WORDS = {"queue_id": "queue", "object_class": "class", "key": "setting"}


def about(subject: Subject) -> list[tuple[str, str]]:
    """The parts that are known, with the word for each: ("group", "CID_orders"), ("queue", "3")."""
    named = ((name, getattr(subject, name)) for name in subject.__struct_fields__)
    return [(word(_WORDS.get(name, name)), str(value)) for name, value in named if value is not None]


def about_line(subject: Subject) -> str:
    """The same in one line: "group CID_orders, queue 3"; empty when nothing is known."""
    return ", ".join(f"{word} {value}" for word, value in about(subject))
