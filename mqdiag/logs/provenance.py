"""Whether a log statement stands where a program prints it, or is quoted by the text of somebody.

A line of an application may hold any text: what a user searched for, a comment, an address. A statement counts in full
only where it begins the message of a line, at a level that it has, by RocketMQ's own logger where the line names one.
The text of an exception may stand behind words of an application too, at WARN or ERROR, for a program prints it.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.given_values import is_given
from mqdiag.logs.json_records import LONGEST_BEFORE_JSON, wrapped_head
from mqdiag.logs.message import Message, application_level
from mqdiag.logs.pod_settings import is_a_setting
from mqdiag.logs.statements import HOLE, WORD, Statement, searched
from mqdiag.logs.thread_names import is_in_its_name
from mqdiag.read.logs.heads import END_OF_HEAD, NO_HEAD, Head, begin_of, head_of, is_of_rocketmq, level_of
from mqdiag.read.logs.levels import DIGITS, HEAD_BYTES, level_in
from mqdiag.read.logs.loggers import is_of_class
from mqdiag.read.logs.shape import OWN_FORMS
from mqdiag.read.wrappers import QUOTED

_BEHIND_WORDS = ("exception", "printed", "anywhere")
"""places of statements that may stand behind other words of a message"""
_NOT_IN_A_HEAD = (*_BEHIND_WORDS, "output", "message")
"""places of statements that no head of a record has"""
_MAY_BE_A_VALUE = (*_BEHIND_WORDS, "output")
"""places of statements that may stand in a value that somebody gave"""
MOST_PLACES = 4
"""places of a literal on one line that are looked at"""
_BRACE, _ESCAPE = b"{\x1b"
_MOST_KNOWN = 8192
_RANK = ("DEBUG", "INFO", "WARN", "ERROR")
_THROWN = lazy_pattern(
    r"(?<![\w.$])(?:[\w$-]+\.)*[\w$]*[A-Z][\w$]*(?:Exception|Error)\b(?=[:\s(;,]|$)|(?<![\w.$])Error(?=: )"
    # classes that have no other name, such as java.lang.Exception and org.apache.tomcat.jni.Error
    r"|(?<![\w.$])(?:[a-z][\w$-]*\.){2,12}(?:Exception|Error|Throwable)(?=[:\s(;,]|$)"
)
"""the class of an exception"""
_CLASS_BEFORE = lazy_pattern(r"[\w.$]{0,300}\Z")
_ANSWERED = lazy_pattern(
    r"(?:CODE: \d{1,5},? {1,3}DESC: |\b(?:response )?[Rr]emark ?[:=] ?|\bmsg: ?|\berr(?:or)?(?:Msg|Message)? ?[:=] ?)"
    r"[^\"'`]{0,200}\Z"
)
"""what stands before the words of a broker's answer"""
_CODED = lazy_pattern(r"CODE: \d{1,5},? {1,3}DESC: [^\"'`]{0,200}\Z")
"""an answer with its code, as only the client's exception prints it"""
_VALUE = lazy_pattern(r"([\w.-]{1,60}) ?[=?&][\[(<{]?\Z")
_ERROR_KEYS = lazy_pattern(
    r"(?i:e|ex|err|error|exception|cause|reason|msg|message|remark|throwable|result|stack|info|desc)\Z|(?i:.*(?:error|exception|err|cause|reason))\Z"
)
_ENTITY = "&#"
"""begins a sign of a page, such as the end of a line, and no part of an address"""
_KEY = lazy_pattern(r"(?:^|[\s,;|(\[{])([\w.-]{1,60})=")
_LEADING_KEY = lazy_pattern(r"[\w.-]{1,60}=")
_IDENTIFIER = lazy_pattern(r"(?!\d{4}-\d\d-\d\d )(?=\S*(?:\d|[a-z][A-Z]|_))[^\s:,;\[\](){}]+\s(?!\s)")
"""a value that ends at a blank, for it is no word of a sentence, and neither a time nor the first cell of a row"""
_IN_BRACKETS = lazy_pattern(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}")
_ENDS_VALUE = lazy_pattern(r"[,;|)\]}]")
_SPEAKERS = lazy_pattern(r"(?:[\w@./\[\]-]{1,80}: ){0,4}\Z")
"""who says it, such as systemd of a unit; a program that only repeats it has that in its value too"""
_BEGINS_WITH_TIME = lazy_pattern(r"\W{0,8}\d{1,4}[-/:. ]")
_BARE = lazy_pattern(r"\s*[A-Za-z]")
"""the beginning of a line that has no time: somebody cut it out, or a program printed it without a logger"""
_FENCE = "``` "
"""begins lines of code in a post, also where these were joined"""
_MESSAGE_IN_YAML = "message: '"
"""begins what Kubernetes says of a pod or an event, where the text has a colon"""
_QUOTES = ('"', "'", "`", "“", "‘", "「", "『")
_COLLECTION = lazy_pattern(
    # times by the wall and since the start, then the decorations of JDK 9 and later
    r"(?:\[?\d{4}-\d\d-\d\dT[\d:.,]{8,20}[+-]\d{4}\]?:? ?)?(?:\d{1,12}[.,]\d{1,9}: ?){0,3}(?:#\d{1,9}: ?)?"
    r"(?:\[[^\[\]\"]{1,80}\]){0,10}\s*"
    r"(?:GC\(\d|Allocation Stall \(|To-space|Safepoint \"|Total time for |Application time|\(concurrent mode|: \["
    r"|\[(?:GC|Full GC|CMS|ParNew|PSYoungGen|DefNew|Tenured|Eden|Times)|Heap: )"
)
"""the beginning of a line that the JVM prints about a pause"""
_DOCUMENT = lazy_pattern(r"\s*(?:[\[{,]\s*)*\"|\s*[\[{]\s*$")
"""the beginning of a line of a JSON document"""
_KEY_OF_VALUE = lazy_pattern(r"\"([\w.@/-]{1,80})\"\s*:\s*\"\s*\Z")
_BEGINS_PART = lazy_pattern(r"(?:^|[\[{,])\s*\Z")
_BEGINS_TEXT = lazy_pattern(r"(?:^|[\[{,])\s*\"\s*\Z")
_MARK = lazy_pattern(r"(?<!\\)\"")
_ACCESS = lazy_pattern(rb"/(?<=\[\d\d/)[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d ")
"""the time in the access log of a web server, whose lines hold what others sent"""
_LOADED = lazy_pattern(rb"(?:\A|\] ?)(?:\[Loaded [\w.$/]{1,300} from |[\w.$/+]{1,300} source: )")
"""a class that the JVM has loaded, as -verbose:class and -Xlog:class+load tell it: no exception that was thrown"""
USUAL_HEAD = (
    rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d{3})? (?:DEBUG|INFO|WARN|ERROR) +"
    rb"(?:\[\d{1,9}\] \[[^\]\n]{1,200}\] \[[^\]\n]{1,200}\]|[A-Za-z][\w.$#@:-]{1,200}) - "
)
"""pattern of the head of nearly all lines of RocketMQ's own logs"""
_QUOTED = QUOTED.encode()
_FRAME = lazy_pattern(r"(?:\S{1,60} +\| )?\s*(?:at |\\tat |\tat )")


class Provenance:
    """Tells own statements of one log from quoted ones; what was told of a line is kept for lines of its shape."""

    def __init__(self, form: str) -> None:
        """Begin a log."""
        self._own_file = form in OWN_FORMS
        self._rows = searched()
        self._known: dict[tuple[int, bytes], bool] = {}
        self._told: dict[tuple[int, bytes, Head], bool] = {}

    def is_own(self, message: Message) -> bool:
        """Whether the literal of a line stands where its statement prints it."""
        number, line = message.hit.literal, message.hit.line
        if line.find(_QUOTED) >= 0:
            return False
        at = line.find(self._rows.literals[number])
        if self._own_file:
            usual = _usual(number)
            if usual is not None and usual.match(line, 0, at) is not None:
                return True
        # `find`, and numbers for single bytes, because `in` takes twice as long for bytes
        if _ACCESS.search(line) is not None or (
            (line.find(b"source: ") >= 0 or line.find(b"[Loaded ") >= 0) and _LOADED.search(line)
        ):
            return False
        before, place = line[: max(at, 0)], self._rows.statements[number].place
        if place in _MAY_BE_A_VALUE and self._is_a_value(message, place):
            return False
        if place in _NOT_IN_A_HEAD and _may_be_a_name(before, own_file=self._own_file):
            literal = self._rows.literals[number].decode()
            if is_in_its_name(message.text, literal, own_file=self._own_file):
                return False
        if at < 0 or _BRACE in before or _ESCAPE in before or place == "thread":
            return self._in_a_wrapper(message, before)
        key = number, before.translate(None, DIGITS)
        known = self._known.get(key)
        if known is None:
            known = self._judged(message.text, number, NO_HEAD)
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[key] = known
        return known

    def _is_a_value(self, message: Message, place: str) -> bool:
        """Whether a text that programs print behind words is a value that somebody gave to RocketMQ or to a pod."""
        hit = message.hit
        if not self._own_file:
            return not hit.line[:1].isdigit() and is_a_setting(hit.block, hit.start, hit.line)
        text = message.text
        return place in _BEHIND_WORDS and is_given(text, text.find(self._rows.literals[hit.literal].decode()))

    def _in_a_wrapper(self, message: Message, before: bytes) -> bool:
        """The same of a line with colours, of JSON, and of the name of a thread."""
        number, line = message.hit.literal, message.hit.line
        if searched().statements[number].place == "thread":
            return message.thread() == searched().literals[number].decode()
        if b"{" not in before or not line.rstrip().endswith(b"}"):
            return self._judged(message.text, number, NO_HEAD)
        if _holds_a_document(line):
            return self._judged(line.decode(errors="replace"), number, NO_HEAD)
        return self._judged(message.text, number, wrapped_head(line))

    def _judged(self, text: str, number: int, wrapper: Head) -> bool:
        """Whether one of the places of a literal in a text is its own.

        Args:
            text: the line without a collector's wrapper.
            number: of the literal.
            wrapper: what the wrapper tells.
        """
        statement, literal = searched().statements[number], searched().literals[number].decode()
        at = text.find(literal)
        if at < 0:
            return False  # it stands in another key
        for _ in range(MOST_PLACES):
            begin = text.rfind("\n", 0, at) + 1
            fence = text.rfind(_FENCE, begin, at) + 1
            if fence and level_in(text[begin:at].encode(), HEAD_BYTES) is None:
                begin = fence + len(_FENCE) - 1
            # a record that names its logger has no frame in its message, but below it
            is_message = begin == 0 and wrapper.logger is not None
            if not (is_message and statement.place == "frame") and self._is_known(
                text[begin:at], number, literal, wrapper
            ):
                return True
            at = text.find(literal, at + 1)
            if at < 0:
                break
        return False

    def _is_known(self, before: str, number: int, literal: str, wrapper: Head) -> bool:
        """As `_stands_at`, which is asked once for texts that differ in digits alone."""
        key = number, before.encode().translate(None, DIGITS), wrapper
        known = self._told.get(key)
        if known is None:
            known = self._stands_at(before, searched().statements[number], literal, wrapper)
            if len(self._told) >= _MOST_KNOWN:
                self._told.clear()
            self._told[key] = known
        return known

    def _stands_at(self, before: str, statement: Statement, literal: str, wrapper: Head) -> bool:
        place = statement.place
        if place == "frame":
            return _FRAME.match(before, begin_of(before)) is not None
        if place == "collection":
            # the JVM has no logger
            return wrapper.logger is None and _COLLECTION.match(before + literal, begin_of(before)) is not None
        if place == "head":
            head = head_of(before + literal[: literal.rfind(END_OF_HEAD) + len(END_OF_HEAD)])
            return head is not None and self._fits(head.within(wrapper), statement)
        starts = _starts(before, statement.behind)
        for start in starts:
            if place == "exception":
                start -= len(_last_word(before[:start]))
            head = head_of(before[:start])
            if head is not None:
                if statement.recorded and self._own_file and _BEGINS_WITH_TIME.match(before) is None:
                    return False  # a further line of a message, or somebody put it in
                return self._fits(head.within(wrapper), statement)
        if place == "exception":
            return _is_thrown(before, literal, wrapper, own_file=self._own_file)
        if place in ("anywhere", "printed"):
            return bool(starts) and _is_printed(before[: min(starts)], wrapper, own_file=self._own_file)
        return False

    def _fits(self, head: Head, statement: Statement) -> bool:
        """Whether a message with this head may be the statement's."""
        if self._own_file:
            return True
        levels = [_RANK.index(level) for level in statement.levels]
        if head.level is not None and levels and _RANK.index(head.level) < min(levels):
            return False
        if head.logger is None or is_of_rocketmq(head.logger):
            return True
        # a class of any program may have this name; only a package tells whose it is
        if "." in head.logger and is_of_class(head.logger, statement.loggers):
            return True
        return statement.place != "message" and (head.is_loud or head.level is None)


def _may_be_a_name(before: bytes, *, own_file: bool) -> bool:
    """Whether a literal stands in open brackets, behind a bar, or before the end of a head of RocketMQ's own."""
    if before.rfind(b"[") > before.rfind(b"]"):
        return True
    return before[:1].isdigit() and (before.find(b" - ") < 0 if own_file else before.find(b"|") >= 0)


def _is_thrown(before: str, literal: str, wrapper: Head, *, own_file: bool) -> bool:
    """Whether the text of an exception is printed behind other words."""
    head = _level_in(before).within(wrapper)
    if head.level is not None and not head.is_loud:
        return False
    at = _begin_of_thrown(before, literal)
    if at is None:
        return False
    ahead = before[:at]
    if not own_file and _is_in_a_text(ahead, wrapper):
        return False
    if _BARE.match(ahead) is not None and _CODED.search(before) is not None:
        return True
    # Node.js prints an error of a rejected promise in quotation marks of its own, and YAML a text with a colon
    return ahead.strip() in ("'", _MESSAGE_IN_YAML) or not _is_quoted(ahead)


def _begin_of_thrown(before: str, literal: str) -> int | None:
    """Where the class of an exception or a broker's answer begins whose text has a literal; None without either."""
    at = len(before) - len(_last_word(before))
    if _THROWN.search(before[at:] + literal + " ") is not None:
        return at
    if before.endswith(_QUOTES) or _is_value(before):
        return None
    classes = list(_THROWN.finditer(before)) or list(_ANSWERED.finditer(before))
    return classes[-1].start() if classes else None


def _is_printed(before: str, wrapper: Head, *, own_file: bool) -> bool:
    """Whether a tool or a program may print text behind other words, or in a document."""
    head = _level_in(before).within(wrapper)
    if head.level is not None and not head.is_loud:
        return False
    if _DOCUMENT.match(before) is not None:
        return _begins_a_part(before)
    if before.strip() == _MESSAGE_IN_YAML:
        return True
    if not own_file and _is_in_a_text(before, wrapper):
        return False
    return not (_is_quoted(before) or _is_quoted(_SPEAKERS.sub("", before)))


def _begins_a_part(before: str) -> bool:
    """Whether what follows is a key of a document of JSON, or the beginning of a value that a program sets."""
    found = _KEY_OF_VALUE.search(before)
    if found is not None:
        return _ERROR_KEYS.match(found[1]) is not None
    is_in_text = len(_MARK.findall(before)) % 2 == 1
    return (_BEGINS_TEXT if is_in_text else _BEGINS_PART).search(before) is not None


def _holds_a_document(line: bytes) -> bool:
    """Whether the JSON at the end of a line is no collector's wrapper, but stands in its message."""
    if line.startswith(b"{"):
        return False
    before = line[: line.find(b"{")].decode(errors="replace")
    return len(before) > LONGEST_BEFORE_JSON or begin_of(before) < len(before)


def _last_word(before: str) -> str:
    """The part of a class's name that stands before a literal that begins within it."""
    found = _CLASS_BEFORE.search(before)
    return "" if found is None else found[0]


def _level_in(before: str) -> Head:
    found = level_in(before.encode(), HEAD_BYTES)
    return NO_HEAD if found is None else Head(level_of(found[0].decode()))


def _is_quoted(before: str) -> bool:
    """Whether what follows stands in quotation marks or as the value of a key."""
    return before.endswith(_QUOTES) or before.count('"') % 2 == 1 or _is_value(before)


def _is_value(before: str) -> bool:
    word = before[max(before.rfind(" "), before.rfind("\t")) + 1 :]
    if "://" in word or "?" in word or "&" in word.replace(_ENTITY, ""):
        return True
    found = _VALUE.search(before)
    return found is not None and _ERROR_KEYS.match(found[1]) is None


def _is_in_a_text(before: str, wrapper: Head) -> bool:
    """Whether what follows stands further back in a value of an application's record: a text of several words."""
    if wrapper.level is None and application_level(before) is None:
        return False
    keys = list(_KEY.finditer(before))
    if not keys or _ERROR_KEYS.match(keys[-1][1]) is not None:
        return False
    value = before[keys[-1].end() :]
    if _IDENTIFIER.match(value) is not None:
        return False
    return _ENDS_VALUE.search(_IN_BRACKETS.sub("", value)) is None


def starts_of(before: str, statement: Statement) -> list[int]:
    """Where a statement may begin, by what of it stands before its literal: an exception with its class.

    Args:
        before: what stands before the literal.
        statement: of the literal.
    """
    starts = _starts(before, statement.behind)
    if statement.place != "exception":
        return starts
    return [start - len(_last_word(before[:start])) for start in starts]


def _starts(before: str, behind: tuple[str, ...]) -> list[int]:
    """Where the statement may begin, by what of it stands before its literal."""
    starts = []
    for text in behind:
        if HOLE not in text and WORD not in text:
            if before.endswith(text):
                starts.append(len(before) - len(text))
            continue
        found = _pattern(text).search(before)
        if found is not None:
            key = _LEADING_KEY.match(found[0]) if text.startswith(WORD) else None
            starts.append(found.start() if key is None else found.start() + key.end())
    return starts


@cache
def _usual(number: int) -> re.Pattern[bytes] | None:
    """All that stands before the literal of a statement in a usual line; None where few texts do, which are kept."""
    statement = searched().statements[number]
    with_holes = any(HOLE in text or WORD in text for text in statement.behind)
    if statement.place != "message" or not with_holes:
        return None
    behind = b"|".join(_pattern(text).pattern.encode() for text in statement.behind)
    return re.compile(USUAL_HEAD + b"(?:" + behind + b")")


@lru_cache(maxsize=512)
def _pattern(behind: str) -> re.Pattern[str]:
    """The pattern of what stands before a literal, which ends where the literal begins."""
    text = (
        re.escape(behind)
        .replace(re.escape(HOLE), r"[^\n]{0,400}?")
        .replace(re.escape(WORD), r"[^\s\"'`]{1,300}")
    )
    return re.compile(text + r"\Z")
