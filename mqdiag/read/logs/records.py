"""Which lines begin a record of a log, in layouts that print no level too, or one that mqdiag does not know."""

from __future__ import annotations

from mqdiag.lazy_pattern import lazy_pattern

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


def begins_record(text: str, message: int = 0) -> bool:
    """Whether a line begins as the records of some logger do, whatever it prints there.

    Args:
        text: the line.
        message: where it begins behind what collectors put before it.
    """
    return _BEGIN.match(text[:_LONGEST]) is not None and _OF_A_STACK.match(text, message) is None
