"""How lines of logs begin: the words for their levels in Java and other languages, and which lines begin a record."""

from __future__ import annotations

from mqdiag.lazy_pattern import lazy_pattern

_CAPITALS = ("TRACE", "DEBUG", "INFO", "WARN(?:ING)?", "ERROR?", "FATAL?", "SEVERE")
ANY = f"(?:{'|'.join(_CAPITALS)})"
"""pattern of the words in capital letters, in which nearly all logs have them"""
_LETTERS = (b"--W--", b"--E--", b"--C--")
"""a warning, an error and worse as spdlog prints them for the gRPC client in C++"""
COMMON: tuple[bytes, ...] = (b"WARN", b"ERRO", b"FATA")
"""beginnings of the words for a warning or worse; three words alone, with four the search is seven times slower"""
ALL: tuple[bytes, ...] = (*COMMON, b"SEVERE", b"warn", b"error", b"fatal", b"severe", *_LETTERS)
LOUD = frozenset({b"WARN", b"WARNING", b"ERROR", b"ERRO", b"FATAL", b"FATA", b"SEVERE", *_LETTERS})
"""the words for a warning or worse, in capital letters"""
DIGITS = b"0123456789"
SAME_DIGITS = bytes.maketrans(b"123456789", b"000000000")
"""makes lines equal that differ in digits alone, where these tell nothing"""
HEAD_BYTES = 240
"""bytes of a line in which its level stands"""
SHORT_BYTES = 256 << 10
"""size below which the slower search costs less than a hundredth of a second"""
# Each search begins with a few single bytes, for which `re` skips all others.
_CAPITAL = lazy_pattern(
    # behind the sign with which logback begins a line of its own status, too
    rb"[TDIWEFS](?:(?<![\w.$-].)|(?<=\|-.))"
    + f"(?:{'|'.join(f'(?<={word[0]}){word[1:]}' for word in _CAPITALS)})".encode()
    + rb"(?![\w.(-])"
)
_WORD = (
    rb"[ \t]{0,8}(trace|debug|info|warn(?:ing)?|error|fatal|severe|(?<=\[)--[TDIWEC]--)"
    rb"(?=[\]|)>:\"]|[ \t](?!=)|$)"
)
# these are ordinary words too, and count as levels behind a time, in brackets, before a colon and in "level=warn"
_SMALL_FIRST = lazy_pattern(_WORD)
_SMALL = lazy_pattern(
    rb"[:l\[|(<](?:(?<=:)\d\d(?:[.,]\d{1,9})?Z?[ \t]|(?<=l)(?<!\w.)evel=\"?|(?<=[\[|(<]))" + _WORD
)

_OF_THE_JVM = lazy_pattern(rb"\]\[\w{4,7} *\]\[(?:gc|safepoint|os|pagesize|cds|jit|class|codecache|logging)\b")
"""level and first tag of the JVM's own log lines, which have their levels in small letters"""
_LONGEST = 400
"""characters of a line that are looked at"""
_CLOCK = r"\d{1,2}:\d\d:\d\d"
_DATE = (
    r"(?:\d{4}[-/.]\d\d[-/.]\d\d[T ]|\d\d-\d\d[- ]|\d\d[/-][A-Z][a-z]{2}[/-]\d{4}[: ]"
    r"|[A-Z][a-z]{2} [ \d]?\d,? (?:\d{4},? )?)"
)
LEVEL = r"(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|CRITICAL|trce|dbug|info|warn|fail|crit|debug|error):"
"""pattern of a level at the beginning of a line, as Python and .NET print it where they print no time"""
_BEGIN = lazy_pattern(
    # a priority of syslog, a key, or the letter of a level, then a time and something behind it
    rf"(?:<\d{{1,3}}>\d? ?|(?:time|ts|t|@timestamp)=|[A-Z], )?[^\w\n]{{0,3}}(?:[A-Z]\d{{4}} )?{_DATE}?{_CLOCK}"
    r"(?:[.,:]\d{1,9})?(?: ?(?:[AP]M|Z|UTC|[+-]\d\d:?\d\d))?(?:\W{1,8}\w|.{0,8}[\]|>)].{0,3}\S)"
    rf"|{LEVEL}\S{{0,60}} ?\S"
    # the client, the user and the time of an access log
    rf"|\S{{1,100}} \S{{1,60}} .{{1,200}}? \[{_DATE}{_CLOCK} "
)
_OF_A_STACK = lazy_pattern(r"(?:at |Caused by: |Suppressed: |\.\.\. \d|#|\s)")
"""the beginning of a line below a record, behind what a collector put before it"""


def level_in(line: bytes, most: int) -> tuple[bytes, int] | None:
    """(the word for the level as it is written, where it ends) in so many bytes of a line; None where none is."""
    capital = _CAPITAL.search(line, 0, most)
    if capital is not None:
        return capital[0], capital.end()
    small = _SMALL_FIRST.match(line, 0, most) or _SMALL.search(line, 0, most)
    return None if small is None else (small[1], small.end(1))


def words_of(text: bytes) -> tuple[bytes, ...]:
    """The words to search a log for, by its first block.

    A short log is searched for all of them, a long one for those in capital letters unless its beginning has others. A
    long log of the JVM's collections counts as one in capital letters.
    """
    if len(text) < SHORT_BYTES:
        return ALL
    for line in text[:SHORT_BYTES].split(b"\n")[:-1]:
        found = level_in(line, HEAD_BYTES)
        other = found is not None and (found[0].islower() or found[0][:1] in b"S-")
        if other and not _OF_THE_JVM.search(line, 0, HEAD_BYTES):
            return ALL
    return COMMON


def begins_record(text: str, message: int = 0) -> bool:
    """Whether a line begins as the records of some logger do, whatever it prints there.

    Args:
        text: the line.
        message: where it begins behind what collectors put before it.
    """
    return _BEGIN.match(text[:_LONGEST]) is not None and _OF_A_STACK.match(text, message) is None
