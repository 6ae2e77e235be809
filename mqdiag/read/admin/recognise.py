"""Whether a text, or a line, is of mqadmin; without the patterns of the reader, which cost time."""

# Without annotations as strings: msgspec would compile each of them at the first use of a type, 0.2 ms in each run.

import re
from functools import cache

import msgspec

from mqdiag.knowledge import packed
from mqdiag.lazy_pattern import lazy_pattern

COMMANDS = {
    "consumerProgress": r"(?:-g|--groupName)",
    "consumerStatus": r"(?:-g|--consumerGroup)",
    "consumerConnection": r"(?:-g|--consumerGroup)",
    "producerConnection": r"(?:-g|--producerGroup)",
    "topicStatus": r"(?:-t|--topic)",
    "topicRoute": r"(?:-t|--topic)",
    "clusterList": r"(?:-c|--clusterName)",
    "brokerStatus": r"(?:-b|--brokerAddr)",
    "getBrokerConfig": r"(?:-b|--brokerAddr)",
    "haStatus": r"(?:-b|--brokerAddr)",
    "statsAll": r"(?:-t|--topic)",
}
COMMAND = lazy_pattern(
    rf"(?:^|.*\bmqadmin\S{{0,200}}\s{{1,20}}(?:\S{{1,300}}\s{{1,20}}){{0,20}}?)[$>]?\s*+({'|'.join(COMMANDS)})\b"
)
OTHER_COMMAND = lazy_pattern(
    # only what asks: what a command has changed, the other answers show
    r"(?:\S{0,200}[$#>]\s{0,4})?(?:(?:sudo|sh|bash)\s{1,4}){0,2}\S{0,200}\bmqadmin\S{0,8}\s{1,20}"
    r"([a-z]\w{2,40}List|[a-z]\w{2,40}Status|(?:get|query|print)[A-Z]\w{2,40})\b"
)
"""a command on a line of its own; those of `COMMANDS` are looked for before"""
PROMPT = lazy_pattern(r"\S{0,200}[$#>] ")
PROPERTIES = "#Consumer Properties#"
ROUTE_MARK = '"brokerDatas"'
"""in the JSON of topicRoute"""
SECTION = lazy_pattern(r"#(?:Consumer|User) [\w&# ]{2,40}#\s*$")


class _Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words of mqadmin and of consoles."""

    marks: tuple[str, ...]
    """words that only mqadmin prints"""
    columns: dict[str, tuple[str, ...]]
    """names that consoles and older versions give to a column, by its name here"""


@cache
def words() -> _Words:
    """The words, read where text is asked about: most runs have none that could be mqadmin's."""
    return packed.decode(packed.ROOT, "mqadmin", _Words)


_LIKE_MQADMIN = lazy_pattern(
    # a console's tables and pages, getBrokerConfig, and connections in versions without heads
    r"^[^\w\n]*(?:ClientId[ \t|]+ClientAddr\w*|(?:brokerClusterName|brokerRole)\s*[=|\t])"
    r"|^={6,}(?:My )?(?:Master: )?[^\s=]+:\d+=+"
    r"|^[ \t]*\d{3,4}[ \t]+\S+\s+/?\S+:\d{1,5}\s+[A-Z_]+\s+V\d\S*\s*$|^producer group \(\S+\) instance : "
    r"|^[^\w\n]*Broker(?: ?Name)?[\t|].*\bBrokerOffset[\t|]"
    # offsets and counters in JSON
    r'|^[ \t]*(?:\{.{0,120})?"(?:offsetTable"[ \t]*:[ \t]*\{\s*"MessageQueue \['
    r'|table"[ \t]*:[ \t]*\{[^}]{0,8000}"brokerVersionDesc")'
    # the last lines of consumerProgress, which one pastes to show a total
    r"|^(?:Consume )?Diff Total: -?\d",
    re.M,
)
_RECORD = lazy_pattern(r"[\[(]?\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d")
"""the time with which a record begins"""
_FIRST_COUNTER = lazy_pattern(r"(?:\S+:\d{1,5}\s+)?[A-Za-z]\w{3,60} {2,}: |[A-Za-z]\w{24,60}: \d")
"""a line of brokerStatus, which fills names up to 32 characters"""


def is_admin_output(head: str) -> bool:
    """Whether text holds what an mqadmin command prints, or a copy of a console's page."""
    return any(_holds(head, mark) for mark in words().marks) or _LIKE_MQADMIN.search(head) is not None


def _holds(head: str, mark: str) -> bool:
    """Whether a line has the mark that is not a record of a log, whose message may quote what mqadmin prints."""
    at = head.find(mark)
    while at >= 0:
        if _RECORD.match(head, head.rfind("\n", 0, at) + 1) is None:
            return True
        end = head.find("\n", at)
        at = -1 if end < 0 else head.find(mark, end)
    return False


def begins_answer(line: str, *, by_counters: bool = True) -> bool:
    """Whether a line is a command of mqadmin, or the beginning of what one prints.

    Args:
        line: as printed.
        by_counters: whether a line of a key and its value is enough; other evidence has such lines too.
    """
    if COMMAND.match(line) is not None or is_admin_output(line) or SECTION.match(line) is not None:
        return True
    return by_counters and _FIRST_COUNTER.match(line) is not None
