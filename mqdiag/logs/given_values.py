"""What RocketMQ's own statements print of others: a client names its groups, topics, keys and expressions itself."""

from __future__ import annotations

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.catalogue import HOLE, Entry, catalogue

_END_OF_HEAD = " - "
_MOST_CHARACTERS = 8 << 10
"""characters of a line that are looked at"""
_NAMED = lazy_pattern(
    rb"(?i)(?<![a-z])(?!(?:e|ex|err|failed|because|of|why|with|info)\W*\Z|\w*(?:error|exception|cause|reason|result"
    rb"|msg|message|path|file|fail|failure)\W*\Z)\w{2,60}(?: is)?[ =:\[({'<]{0,4}\Z|^ ?(?:[@~:-]|->)? ?\Z|^\. \[\Z"
    rb"|\b(?:no perm|illegal|illagal), \Z"
)
"""the word before a value that says nothing of a failure, or a value behind another one"""
_BY_CLIENT = lazy_pattern(
    rb"(?i)(?:group(?:id|name)?|topic(?:name|id)?|topicAtGroup|client|client ?id|client ?host|expr?|expression"
    rb"|subscription|sub(?:string|list)?|consumer|producer|\w{0,20}keys?|tags?|namespace|propert(?:y|ies)"
    rb"|username|settings)(?: is)?[ =:\[({']{0,4}\Z"
)
"""the word before a value that a client chooses"""
_OF_AN_EXCEPTION = lazy_pattern(r"(?:#012|\\n)(?:Caused by: )?[\w.$]{0,200}(?:: .{0,200})?\Z")
"""the end of a line in a record of one line, behind which a logger prints an exception"""
_FRAME_BEHIND = lazy_pattern(r"(?: |#011|\\t)at [\w.$<>/@]{3,300}\([\w$]{1,100}\.java:\d{1,6}\)")
_MAP = lazy_pattern(r"\{[\w.-]{1,60}=")
_BRACE = lazy_pattern(r"[{}]")


def is_given(text: str, at: int) -> bool:
    """Whether what stands at a place of a line of RocketMQ's own file is no more than a value that somebody else gave.

    Args:
        text: the line.
        at: where it begins, behind the head.
    """
    begin = text.find(_END_OF_HEAD) + len(_END_OF_HEAD)
    if begin < len(_END_OF_HEAD) or at <= begin:
        return False
    if _OF_AN_EXCEPTION.search(text, begin, at) is not None or _FRAME_BEHIND.search(text, at) is not None:
        return False
    if _is_in_a_map(text[begin:at][-_MOST_CHARACTERS:]):
        return True
    found = catalogue().find_by_words(text[begin:_MOST_CHARACTERS].strip().encode())
    return found is not None and names_its_values(found[1])


def names_its_values(entry: Entry) -> bool:
    """Whether a statement has a word before each of its values, a client chooses one of them, and none is a failure."""
    pieces = entry.pattern.partition("\n")[0].encode().split(HOLE)[:-1]
    return any(map(_BY_CLIENT.search, pieces)) and all(map(_NAMED.search, pieces))


def _is_in_a_map(before: str) -> bool:
    """Whether a map is open, such as the properties of a message: a sender names these as it likes."""
    depth = 0
    for found in _BRACE.finditer(before, max(before.find("{"), 0)):
        depth = max(depth + (1 if found[0] == "{" else -1), 0)
    return depth > 0 and _MAP.search(before) is not None
