"""The head of a log line: what loggers, collectors and shells print before the message.

Layouts are many, so a head is told by its parts: times, levels, brackets, names of threads and of loggers, marks. Words
of a sentence, quotation marks, and values behind "=" are of a message.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.logs import journals
from mqdiag.read.logs.levels import HEAD_BYTES, SAME_DIGITS, level_in

LONGEST = 1000
"""characters that a head may have"""
END_OF_HEAD = " - "
"""what ends the head in the files that RocketMQ writes by itself, and in many others"""
_MOST_WORDS = 8
_MOST_PLAIN_WORDS = 1
"""words without a capital letter, a digit or a dot, such as the host in a line of syslog"""
_LEVELS = {
    "WARNING": "WARN",
    "SEVERE": "ERROR",
    "FATAL": "ERROR",
    "TRACE": "DEBUG",
    "ERRO": "ERROR",
    "FATA": "ERROR",
    "--T--": "DEBUG",
    "--D--": "DEBUG",
    "--I--": "INFO",
    "--W--": "WARN",
    "--E--": "ERROR",
    "--C--": "ERROR",
    "10": "DEBUG",
    "20": "DEBUG",
    "30": "INFO",
    "40": "WARN",
    "50": "ERROR",
    "60": "ERROR",
}
"""other words for the levels of RocketMQ, and the numbers of loggers that print JSON for Node.js"""
_COLLECTED = lazy_pattern(
    # docker compose, then containerd or kubectl --timestamps, then kubectl --prefix; a page's mark of a quotation
    r"(?:[>`*\ufeff \t-]*)(?:\S{1,60} +\| )?(?:\[pod/\S{1,200}\] )?"
    # a word of somebody who cut the line out, then the forms of syslog
    r"(?:[A-Za-z]{2,10}: ?(?=time=\"|[A-Z][a-z]{2} [ \d]\d |\d{4}-))?"
    rf"(?:{journals.BY_NUMBERS}|{journals.BY_WORDS}|{journals.OF_DMESG})?"
    r"(?:\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d) (?:(?:stdout|stderr) [PF] )?)?"
    # grep -n, grep of several files, and a level and time of a service wrapper
    r"(?:[\w./*-]{1,200}\.(?:log|out|txt)[\w.-]{0,30}[:-])?(?:\d{1,9}[:-](?= ?\d{4}-))?"
    r"(?:[A-Z]+ +\| jvm \d+ +\| [\d/]+ [\d:]+ \| )?"
    # a status of Protobuf, and a pretty-printed record
    r'(?:message: ")?'
    r'(?:"(?:log|message|msg|MESSAGE|textPayload|@message|stack_trace|stack|exception)" ?: ?")?'
)
_KEYED = lazy_pattern(
    r'(?:time="[^"]{1,60}" )?level="?(\w{1,10})"? (?:\w{1,40}="?[\w./:-]{1,200}"? ){0,4}msg="?'
    r'(?:[^"]{0,200}" (?:\w{1,40}="?[^\s"]{0,200}"? ){0,6}underlayError="?)?'
    r"|\[[^\]]{1,40}\]\s+level:(\w{1,10})\s+(?:\w{1,40}:\S{0,200}\s+){0,6}msg:"
)
"""a layout with a key before each part, as logrus has it"""
_PART = lazy_pattern(
    r"(?P<level>(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR?|FATAL?|SEVERE|trace|debug|info|warn(?:ing)?|error|fatal|severe)"
    r"(?![\w.$-]))"
    r"|(?P<group>\[(?P<in_group>[^\[\]\n]{0,200}(?:\[[^\[\]\n]{0,120}\][^\[\]\n]{0,120}){0,2})\]"
    r"|\((?P<in_paren>[^()\"\n]{0,160})\)|<(?P<in_angle>[^<>\"\n]{0,160})>)"
    r"|(?P<time>\d[\d:.,/+\-_TZ]{0,60}(?:ms|[smh])?(?![\w$=]))"
    r"|(?P<mark>---?|\||-(?= )|:(?=\s|$)|::|,(?=\s))"
    r"|(?P<word>[^\s\[\]()\"'`=?&<>|{}]{1,200})"
    r"|(?P<blank>[\s\u00a0]+)"
)
_NAME = lazy_pattern(r"(?!/)(?!.*://)[\w.$@#/%*~+:\u2010-\u2015-]+\Z")
_TELLING = lazy_pattern(r"[A-Z0-9.$#_/@-]")
_TOLD_BY_SIGNS = lazy_pattern(r"[0-9.$#_]")
_DOTTED = lazy_pattern(
    r"(?:[a-zA-Z_$][\w$-]*\.)+[\w$]*[A-Z][\w$]*(?:[#.:].*)?\Z|(?:[a-z_]\w*\.){2,}[\w$]+(?:[#.:].*)?\Z"
)
"""a class with its package, shortened or not"""
_FILE = lazy_pattern(r"[\w$]+\.(?:java|kt|scala|go|py|cpp|h|js|cs)(?::\d+)?\Z")
_OF_ROCKETMQ = lazy_pattern(
    # a whole package, that of a connector too, and one that a build tool moved; an application's may be called so
    r"(?:^|[^\w$])(?:[\w$]+\.)*?(?:(?i:org\.apache)|com\.alibaba|com\.aliyun|io)\.(?:[a-z_][\w$]*\.)*?(?i:rocketmq)\w*\."
    # a shortened one
    r"|(?:^|[^\w.$])(?:o\.a\.r(?:\.|o)|c\.a\.r(?:ocketmq)?\.[a-z][\w-]*\.|a\.r\.|(?:o\.)?apache\.rocketmq\.)"
    # loggers that are no class: RocketmqClient, rocketmq-client, RocketMQ.Client.Consumer
    r"|(?:^|[^\w.$-])(?:Rocketmq(?:[A-Z]\w*)?|RocketMQ(?:Log)?|rocketmq(?:[-_]?[a-z]+){0,4})(?![\w.$])|rocketmq\.apache\.org"
    r"|openmessaging|i\.o\.s\.d|sofa\.jraft|c\.a\.s\.j\.|InnerLogger|aliyun\.openservices|ONSClient"
)
"""a logger or a head; the name of a class alone may be that of an application's"""

OF_COLLECTOR = rb"\[gc(?:,[a-z]{1,20}){0,4} *\]"
"""pattern of the tags of a line that -Xlog:gc* asks for"""
_COLLECTION = lazy_pattern(
    rb"(?:[\dT:.+-]{1,40}: ){0,2}\[(?:GC|Full GC|CMS)|(?:\[[^\]]{1,60}\]){1,8} ?(?:GC\(|Using |Safepoint \")"
    # what the JVM says of its collector at the start and at the end
    rb"|(?:\[[^\]]{1,60}\]){1,8}?" + OF_COLLECTOR
)

_DIGIT = lazy_pattern(rb"\d")
_BEGUN = lazy_pattern(
    rb"(?:\[[^\]]{1,60}\]){1,4} ?(?:Using [A-Z]|Initializing The Z |Heuristics ergonomically |Min heap equals )"
)
"""the first line of a file that -Xlog:gc* begins, without tags"""
_DECORATIONS = lazy_pattern(rb"(?:\[[^\]]{1,60}\]){1,4}(?= |$)")
_SINCE_START = lazy_pattern(
    rb"(?:\[\d{4}-\d\d-\d\dT[\d:.,]{8,16}(?:[+-]\d{4}|Z)\])?\[\d{1,12}[.,]\d{3}s\](?:\[[a-z0-9, ]{1,100}\]){0,4} "
)
"""what only -Xlog puts before a line: seconds since the start of the JVM, with level and tags or without"""


class Head(NamedTuple):
    """What the head of a line tells."""

    level: str | None = None
    """DEBUG, INFO, WARN or ERROR; None where no word for a level stands in it"""
    logger: str | None = None
    """the logger as it is printed; None where no part of the head is surely one"""

    @property
    def is_loud(self) -> bool:
        """Whether the level is a warning or worse."""
        return self.level in ("WARN", "ERROR")

    def within(self, wrapper: Head) -> Head:
        """The same with what a record around the line tells; one that names a logger tells all."""
        if wrapper is NO_HEAD:
            return self
        if wrapper.logger is not None:
            return Head(wrapper.level or self.level, wrapper.logger)
        return Head(self.level or wrapper.level, self.logger)


NO_HEAD = Head()
_ANY_TIME = "0000-00-00 00:00:00.000"
_LEADING_TIME = lazy_pattern(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d{3})?(?!\d)")
"""a time whose digits tell nothing: without them the heads of most lines are the same"""
SAMPLE_LINES = 400
_CONTINUES = lazy_pattern(
    rb"\s|$|Caused by: |Suppressed: |at |See http|For more information|(?:[\w$]+\.)+[\w$]*(?:Exception|Error)\b"
)
"""a blank line, or one of a stack"""
_JSON_LEVEL = lazy_pattern(rb'"(?:level|severity|log\.level|levelname)" ?: ?"?\w')


def is_of_rocketmq(logger: str) -> bool:
    """Whether a logger is one of RocketMQ's, or of what it brings along."""
    return _names_rocketmq(logger.encode(errors="surrogatepass").translate(SAME_DIGITS))


@lru_cache(maxsize=512)
def _names_rocketmq(logger: bytes) -> bool:
    """The same where all digits are the same: a head with its time is another one in each line."""
    return _OF_ROCKETMQ.search(logger.decode(errors="surrogatepass")) is not None


def level_of(word: str) -> str | None:
    """A word for a level as RocketMQ has it; None for other words."""
    upper = word.upper()
    upper = _LEVELS.get(upper, upper)
    return upper if upper in ("DEBUG", "INFO", "WARN", "ERROR") else None


def begin_of(text: str) -> int:
    """Where a line begins behind what collectors and shells put before it."""
    found = _COLLECTED.match(text)
    return 0 if found is None else found.end()


def head_of(text: str) -> Head | None:
    """What a head tells; None where the text is none.

    Args:
        text: all that stands before a message, empty where nothing does.
    """
    if len(text) > LONGEST:
        return None
    time = _LEADING_TIME.match(text)
    return _told_by(text if time is None else _ANY_TIME[: time.end()] + text[time.end() :])


@lru_cache(maxsize=4096)
def _told_by(text: str) -> Head | None:
    at = begin_of(text)
    keyed = _KEYED.match(text, at)
    if keyed is not None:
        return Head(level_of(keyed[1] or keyed[2])) if keyed.end() == len(text) else None
    return _Parts(text, at).head()


def known_heads(head: bytes) -> tuple[float | None, int]:
    """(share of a log's first lines whose level is known, of those that begin a record; how many of these there are).

    The share is None without such lines. Lines of the JVM's collections have no level, and count as known.
    """
    begun = known = 0
    for line in head.split(b"\n", SAMPLE_LINES)[:SAMPLE_LINES]:
        if _CONTINUES.match(line):
            continue
        begun += 1
        known += (
            level_in(line, HEAD_BYTES) is not None
            or _JSON_LEVEL.search(line) is not None
            or is_collection(line)
        )
    return (known / begun if begun else None), begun


def is_collection(line: bytes) -> bool:
    """Whether a line is one that the JVM prints about a collection; its level is of no logger."""
    return _COLLECTION.match(line) is not None


def is_of_jvm(line: bytes) -> bool:
    """Whether a line is one that the JVM prints about anything; no logger counts seconds since a start as it does."""
    return is_collection(line) or _SINCE_START.match(line) is not None


def decorations_of(first: bytes) -> bytes | None:
    """What the JVM puts before each line of a log of collections that it has begun, with 9 for each digit.

    Args:
        first: the first line; of a later part of a log it tells nothing.

    Returns:
        None where the JVM has not begun the log, or tags tell what it says.
    """
    return decorations(first) if _BEGUN.match(first) is not None else None


def decorations(line: bytes) -> bytes | None:
    """The groups in brackets before a line, with 9 for each digit; None without."""
    found = _DECORATIONS.match(line)
    return None if found is None else _DIGIT.sub(b"9", found[0])


class _Parts:
    """The parts of a head, one after the other."""

    def __init__(self, text: str, at: int) -> None:
        self._text = text
        self._at = at
        self._level: str | None = None
        self._names: list[str] = []
        """names of classes with their packages, wherever they stand"""
        self._last_word = ""
        """the last word before a mark that ends a head"""
        self._word = ""
        self._groups = 0
        self._words = self._plain_words = 0
        self._ended_by = ""

    def head(self) -> Head | None:
        """What they tell; None if one of them is of no head."""
        while self._at < len(self._text):
            found = _PART.match(self._text, self._at)
            if found is None or not self._take(found.lastgroup or "", found[0]):
                return None
            self._at = found.end()
        if self._word and self._ended_by and self._level is not None and not _TOLD_BY_SIGNS.search(self._word):
            return None  # the first word of a sentence
        return Head(self._level, self._logger())

    def _take(self, kind: str, part: str) -> bool:
        if kind == "blank":
            return True
        if kind == "level":
            self._level = self._level or level_of(part)
            self._word = ""
            return True
        if kind in ("group", "in_group", "in_paren", "in_angle"):
            return self._group(part[1:-1])
        if kind == "time":
            self._word = ""
            return True
        if kind == "mark":
            return self._mark(part)
        return self._name(part)

    def _group(self, inside: str) -> bool:
        if '"' in inside and "{" not in inside:
            return False
        self._groups += 1
        word = inside.strip()
        self._level = self._level or level_of(word)
        for one in word.split():
            if _DOTTED.match(one) and not _FILE.match(one):
                self._names.append(one)
        return True

    def _mark(self, mark: str) -> bool:
        if mark in (":", "-", "|") and self._word:
            self._last_word, self._ended_by = self._word, mark
        self._word = ""
        return True

    def _name(self, part: str) -> bool:
        bare = part.rstrip(":,")
        if _NAME.match(part) is None or bare.endswith(("Exception", "Error")):
            return False
        self._words += 1
        if _TELLING.search(bare) is None and bare not in ("main",):
            self._plain_words += 1
            if part.endswith(":") or (self._ended_by and self._level is not None):
                return False
        if self._words > _MOST_WORDS or self._plain_words > _MOST_PLAIN_WORDS:
            return False
        if _DOTTED.match(bare) and not _FILE.match(bare):
            self._names.append(bare)
        self._word = bare
        if part.endswith(":"):
            self._last_word, self._ended_by, self._word = bare, ":", ""
        return True

    def _logger(self) -> str | None:
        for name in (*self._names, self._last_word):
            if name and _OF_ROCKETMQ.search(name):
                return name
        if self._names:
            return self._names[-1]
        if self._last_word and (self._ended_by == ":" or self._groups):
            return self._last_word
        return None
