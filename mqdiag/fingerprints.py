"""The identity of a fault over dumps and hosts."""

from __future__ import annotations

import msgspec

from mqdiag.findings import Subject
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.sha256 import hex_digest

_NUMBER = lazy_pattern(r"\d+")
# Classes that are made while a program runs: their names end in a number or an address of that run.
_MADE_AT_RUN_TIME = lazy_pattern(r"\$\$.*|(?<=\$Proxy)\d+|(?<=Accessor)\d+")


def fingerprint(rule: str, cause: str, subject: Subject) -> str:
    """Identity of a fault over dumps and hosts: 16 hexadecimal digits.

    Which thread of a pool it hits, and how a generated class is called, differ from run to run.
    """
    named = msgspec.to_builtins(subject)
    if subject.thread is not None:
        named["thread"] = _NUMBER.sub("#", subject.thread)
    if subject.object_class is not None:
        named["object_class"] = _MADE_AT_RUN_TIME.sub("", subject.object_class)
    parts = [rule, cause, *(f"{key}={value}" for key, value in sorted(named.items()))]
    return hex_digest("\0".join(parts))[:16]
