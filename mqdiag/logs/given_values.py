"""What RocketMQ's own statements print of others: a client names its groups, topics, keys and expressions itself."""

from __future__ import annotations

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.catalogue import HOLE, Entry, catalogue
from mqdiag.read.logs.heads import END_OF_HEAD

_MOST_CHARACTERS = 8 << 10
"""characters of a line that are looked at"""
_NAMED = lazy_pattern(
    rb"(?i)(?<![a-z])(?<!error )(?<!status )(?!(?:e|ex|failed|because|of|why|with|info)\W*\Z|err\w*\W*\Z"
    rb"|\w*(?:error|exception|cause|reason|result|path|file|fail|failure)\W*\Z|\w+(?:msg|message)\W*\Z)"
    rb"\w{2,60}(?:\(s\))?(?: is)?[ =:\[({'<]{0,4}\Z|^ ?(?:[@~:-]|->)? ?\Z|^\. \[\Z|\b(?:no perm|illegal|illagal), \Z"
)
"""the word before a value that says nothing of a failure, or a value behind another one"""
_BY_CLIENT = lazy_pattern(
    rb"(?i)(?:group(?:id|name)?|topic(?:name|id|\(s\))?|topicAtGroup|client|client ?id|client ?host|expr?|expression"
    rb"|subscription|sub(?:string|list)?|consumer|producer|\w{0,20}keys?|tags?|namespace|propert(?:y|ies)"
    rb"|username|settings|(?<!error )(?<!status )(?:msgs?|message)|msgExt|msgInner|\w{0,4}messageExt|record"
    rb"|request ?header)(?: is)?[ =:\[({']{0,4}\Z"
)
"""the word before a value that a client chooses, or before a message with its topic, keys and properties"""
_LINE_END = (
    r"#012|\\{1,4}n|\\u000[aA]|\\x0[aA]|\\012|<br ?/?>|&#(?:10|x0?[aA]);|[\u2028\u240a\u2424\u00b6]|\^J|\[LF\]"
)
"""what syslog, JSON, pages and tables put in the place of the end of a line"""
_OF_AN_EXCEPTION = lazy_pattern(rf"(?:{_LINE_END})[ \t]*(?:Caused by: )?[\w.$]{{0,200}}(?:: .{{0,200}})?\Z")
"""the end of a line in a record of one line, behind which a logger prints an exception"""
_FRAME_BEHIND = lazy_pattern(
    r"(?:(?<![\w.$-])|#011|\\{1,4}t|\\u0009|\\x09|\\011|\^I)"
    r"(?:at [\w.$<>/@]{3,300}\([\w$]{1,100}\.java:\d{1,6}\)|\.\.\. \d{1,4} (?:more|common frames omitted)\b)"
)
"""a frame of a stack on the same line"""
_WORD = lazy_pattern(r"[A-Za-z]{2}")
_MAP = lazy_pattern(r"\{[\w.-]{1,60}=")
_BRACE = lazy_pattern(r"[{}]")


def is_given(text: str, at: int) -> bool:
    """Whether what stands at a place of a line of RocketMQ's own file is no more than a value that somebody else gave.

    Args:
        text: the line.
        at: where it begins, behind the head.
    """
    begin = text.find(END_OF_HEAD) + len(END_OF_HEAD)
    if begin < len(END_OF_HEAD) or at <= begin:
        return False
    if _OF_AN_EXCEPTION.search(text, begin, at) is not None or _FRAME_BEHIND.search(text, at) is not None:
        return False
    if _is_in_a_map(text[begin:at][-_MOST_CHARACTERS:]):
        return True
    message = text[begin:_MOST_CHARACTERS].strip()
    found = catalogue().find_by_words(message.encode())
    return found is not None and _is_in_a_given_value(found[1], message, at - text.find(message, begin))


def _is_in_a_given_value(entry: Entry, text: str, at: int) -> bool:
    """Whether a place of a text is in none of the values that say why something failed, where a client gave others.

    A value of a client may look like the words behind it, so that such a value ends as late as it can.
    """
    if names_its_values(entry):
        return True
    pieces = [piece.decode() for piece in _pieces(entry)]
    tells = [_NAMED.search(piece.encode()) is None for piece in pieces[:-1]]
    given = [_BY_CLIENT.search(piece.encode()) is not None for piece in pieces[:-1]]
    if not any(given):
        return False
    for number, why in enumerate(tells):
        if not why:
            continue
        begin = _begin(text, pieces, number, is_late=any(given[:number]))
        behind = pieces[number + 1].strip()
        end = text.find(behind, begin) if behind and any(given[number + 1 :]) else len(text)
        if begin <= at and (at < end or end < 0):
            return False
    return True


def _begin(text: str, pieces: list[str], number: int, *, is_late: bool) -> int:
    """Where the value behind a piece begins, if the pieces with words stand as early or as late as they can.

    Marks without words stand as early as they can in any case: a reason may have commas.
    """
    at = first = 0
    if is_late:
        at, first = len(text), next((one for one in range(number, -1, -1) if _WORD.search(pieces[one])), 0)
        for piece in reversed(pieces[first:]):
            at = max(text.rfind(piece.strip(), 0, at), 0) if _WORD.search(piece) else at
    for piece in pieces[first : number + 1]:
        at = max(text.find(piece.strip(), at), at) + len(piece.strip())
    return at


def names_its_values(entry: Entry) -> bool:
    """Whether a statement has a word before each of its values, a client chooses one of them, and none is a failure."""
    pieces = _pieces(entry)[:-1]
    return any(map(_BY_CLIENT.search, pieces)) and all(map(_NAMED.search, pieces))


def _pieces(entry: Entry) -> list[bytes]:
    """What stands before each value of a statement, and behind the last one."""
    return entry.pattern.partition("\n")[0].encode().split(HOLE)


def _is_in_a_map(before: str) -> bool:
    """Whether a map is open, such as the properties of a message: a sender names these as it likes."""
    depth = 0
    for found in _BRACE.finditer(before, max(before.find("{"), 0)):
        depth = max(depth + (1 if found[0] == "{" else -1), 0)
    return depth > 0 and _MAP.search(before) is not None
