"""What collectors, containers and tools put around each line of a text: recognised on a sample, then taken off.

A wrapper is on nearly every line of the sample, stack frames included.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise

import msgspec

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.crash.recognise import HEADS
from mqdiag.read.csv_rows import MOST_OPEN, CsvRows, message_column
from mqdiag.read.hosts import host_before
from mqdiag.read.message_keys import MESSAGE_KEYS, OF_ANSWERS, TIMED_KEYS

LEAST_LINES = 3
NEARLY_ALL = 0.95
MOST_LINES = 400
"""lines of a sample that are looked at"""
_OF_STACKS = ("at ", "Caused by: ", "... ", "java.", "org.", "com.")
"""beginnings of lines below a message whose stack goes with it"""
QUOTED = "(quoted) > "
"""what is put before the lines of a text that stood in one record, as a message of a logger"""
_DUMP_MARKS = ("Full thread dump", "java.lang.Thread.State: ", *HEADS)
_LOGGER_KEYS = ("logger", "logger_name", "loggerName", "level", "thread_name")

METHOD = r"at [\w.$<>/@+-]{1,300}"
FRAME = METHOD + r"\("
"""how a frame of a stack begins, behind its indentation"""
_TIME = r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)"
CRI = lazy_pattern(rf"{_TIME} (?:stdout|stderr) [PF](?: |$)")
"""containerd; `stern` handles the parts of long lines"""
CRI_PART = lazy_pattern(rf"{_TIME} (?:stdout|stderr) P ")
_COMPOSE = lazy_pattern(
    rf"(?!(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL) )[\w.-]{{1,60}} +\|(?: {_TIME})?(?: |$)(?!.* \| )"
)
"""optionally with timestamps, as the next"""
_KUBECTL = lazy_pattern(rf"\[(?:pod|container)/[^\]]{{1,300}}\](?: {_TIME})?(?: |$)")
_SYSLOGS = (
    # RFC 5424
    lazy_pattern(r"<\d{1,3}>1 \S+ \S+ \S+ \S+ \S+ (?:-|\[[^\]]*\])(?: |$)\ufeff?"),
    # the form of BSD, as journalctl and rsyslog write it
    lazy_pattern(
        r"(?:<\d{1,3}>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)? \S+ [\w./@-]+(?:\[\d+\])?:(?: |$)"
    ),
    # rsyslog with ISO time
    lazy_pattern(rf"{_TIME} \S+ [\w./@-]+(?:\[\d+\])?:(?: |$)"),
)
QUOTES = lazy_pattern(r"(?:> ?)+")
"""marks of a quotation in a mail or a chat"""
_DOCKER = lazy_pattern(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6,9}Z(?: |$)")
"""kubectl logs --timestamps, docker logs -t"""
NAMED = (_COMPOSE, _KUBECTL, *_SYSLOGS)
"""prefixes that name a service, a pod or a host"""
_PREFIXES: tuple[tuple[re.Pattern[str], bool], ...] = (
    (CRI, True),
    (_COMPOSE, False),
    (_KUBECTL, False),
    *((syslog, True) for syslog in _SYSLOGS),
    (QUOTES, False),
    (_DOCKER, True),
)
"""each with whether it has the time that the text may lack"""
_GREP = lazy_pattern(r"(?P<number>\d{1,9})[:-]")
_GREP_FILES = lazy_pattern(
    r"(?P<file>(?!\W?(?:\d{4}[-/]\d\d[-/]\d\d[T_-])?\d\d:\d\d:\d\d)[^\s:]{1,300}[:-])(?P<number>\d{1,9})[:-]"
)
"""grep of several files, none of which is the day and hour of a clock whose minutes rise from line to line"""
_NUMBER = lazy_pattern(r" {0,8}(?P<number>\d{1,7})(?:\t| ?\| ?)")
_MOST_STEPS = {_GREP_FILES: 1 << 30, _GREP: 3, _NUMBER: 1}
"""what a line's number may be larger by than the one above: of `grep -n` without files, few lines are missing"""
_POD = lazy_pattern(r"[a-z0-9][a-z0-9.-]{0,252}-(?:[a-z0-9]{5}|\d{1,3}) [a-z0-9][a-z0-9.-]{0,62}(?: |$)")
"""stern: a pod and a container"""

_ROWS_OF_LOKI, _START_OF_LOKI = 20, 8 << 10
_LIKE_LOKI = lazy_pattern(
    r"""(?s)\s*[\[{].*"(?:line|values)"\s*:|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) \{"""
)
"""how what Loki gives out begins"""
_BEFORE_RECORD = lazy_pattern(r'[\s,]*(?:\[|\{[^\[]{0,4000}?"hits"\s*:\s*\[)?\s*(?=\{)')
"""what stands before a record of a list, or of what Elasticsearch answers"""

Strip = Callable[[str], str]
"""text of whole lines to text of whole lines; one object reads one file"""


class Wrapper(msgspec.Struct, frozen=True):
    """What is around each line."""

    strip: Callable[[], Strip]
    has_time: bool
    """whether the time of a line may stand in the wrapper alone"""
    is_word: bool = False
    """whether any program may print it: it is taken off only where what is left is understood"""
    of_lines: bool = True
    """whether each row of what is wrapped is a line"""


def wrapper_of(lines: Sequence[str]) -> Wrapper | None:
    """What is around nearly every line of a sample; None where nothing is.

    Args:
        lines: of a text, without their ends; blank ones do not count.
    """
    filled = [line for line in lines if line.strip()][:MOST_LINES]
    if not filled:
        return None
    rows = _of_loki(filled)
    if rows is not None:
        return Wrapper(rows, False, of_lines=False)
    if filled[0].lstrip().startswith("{"):
        return _json(filled) or _json_over_lines(filled)
    if filled[0].strip() in ("[", "[{"):
        return _json_over_lines(filled)
    if len(filled) < LEAST_LINES:
        return None
    if filled[0][:4].isdigit() and filled[0][4:5] in "-/" and filled[0][10:11] != "T":
        return (
            None  # a record with its time: nothing is around most texts, and the patterns need not be compiled
        )
    column = message_column(filled)
    if column is not None:
        return Wrapper(partial(CsvRows, column), False, of_lines=False)
    for pattern, has_time in _PREFIXES:
        if pattern.match(filled[0]) and _nearly_all(map(pattern.match, filled), len(filled)):
            part = CRI_PART if pattern is CRI else None
            return Wrapper(partial(Prefix, pattern, part), has_time)
    return _numbered(filled) or _constant(filled)


def _of_loki(filled: Sequence[str]) -> Callable[[], Strip] | None:
    first = "".join(filled[:_ROWS_OF_LOKI])[:_START_OF_LOKI]
    if _LIKE_LOKI.match(first) is None:
        return None
    from mqdiag.read.loki import reading_of  # few texts are of Loki

    return reading_of(filled)


def _nearly_all(found: Iterable[object], count: int) -> bool:
    return sum(one is not None for one in found) >= NEARLY_ALL * count


def _numbered(filled: Sequence[str]) -> Wrapper | None:
    """The numbers of `grep -n`, `cat -n` and editors: each is larger than the one above it."""
    if all(line.replace(" ", "").isdecimal() for line in filled):
        return None  # a table of numbers, such as processor times by thread
    for pattern in (_GREP, _GREP_FILES, _NUMBER):
        if not all(map(pattern.match, filled[:LEAST_LINES])):
            continue
        found = [pattern.match(line) for line in filled]
        if not all(found):
            continue
        numbers = [int(one["number"]) for one in found if one is not None]
        files = {one["file"] for one in found if one is not None} if pattern is _GREP_FILES else {None}
        # times and columns of tables grow too, but not by one from line to line
        steps = sum(1 <= after - before <= _MOST_STEPS[pattern] for before, after in pairwise(numbers))
        if len(files) == 1 and steps >= NEARLY_ALL * (len(numbers) - 1):
            return Wrapper(partial(Prefix, pattern), False)
    return None


def _constant(filled: Sequence[str]) -> Wrapper | None:
    """What stands before each line, stack frames included: stern's pod and container, or the name of a host."""
    found = _POD.match(filled[0])
    if found is not None:
        pattern = re.compile(re.escape(found[0].rstrip()) + r"(?: |$)")
        if all(map(pattern.match, filled)):
            return Wrapper(partial(Prefix, pattern), False)
    of_host = host_before(filled[0])
    if of_host is None or not _nearly_all(map(of_host.match, filled), len(filled)):
        return None
    return Wrapper(partial(Prefix, of_host), False, is_word=True)


class Prefix:
    """The beginning of each line that matches a pattern, taken off.

    Args:
        pattern: of the beginning.
        part: of the beginnings of lines that go on in the next one.
    """

    def __init__(self, pattern: re.Pattern[str], part: re.Pattern[str] | None = None) -> None:
        self._match = pattern.match
        self._part = part
        self._begun = ""

    def __call__(self, text: str) -> str:
        """Whole lines without it."""
        out = []
        for line in text.splitlines(keepends=True):
            found = self._match(line)
            inner = line[found.end() :] if found is not None else line
            if found is not None and not inner.endswith("\n") and line.endswith("\n"):
                inner += "\n"
            if self._part is not None and self._part.match(line) and len(self._begun) < MOST_OPEN:
                self._begun += inner.rstrip("\n")
                continue
            out.append(self._begun + inner)
            self._begun = ""
        return "".join(out)


class JsonLines:
    """A record in JSON on each line, of which one field is the text; docker's without a line end goes on."""

    def __init__(self) -> None:
        self._decode = msgspec.json.Decoder().decode
        self._part = ""

    def __call__(self, text: str) -> str:
        """The texts of whole lines."""
        out = []
        for line in text.split("\n"):
            if not line.strip():
                continue
            try:
                entry = self._decode(line)
            except (msgspec.DecodeError, UnicodeError, RecursionError):
                out.append(line + "\n")
                continue
            found = _message(entry)
            if found is None:
                continue
            inner = found[1]
            if found[0] == "log" and not inner.endswith("\n") and len(self._part) < MOST_OPEN:
                self._part += inner
                continue
            inner = (self._part + inner).replace("\r", "")
            self._part = ""
            if _is_quoted(entry, inner):
                inner = "".join(f"{QUOTED}{row}\n" for row in inner.splitlines())
            out.append(inner if inner.endswith("\n") else inner + "\n")
        return "".join(out)


def _is_quoted(entry: dict[str, object], text: str) -> bool:
    """Whether a record holds a text of several lines that a console did not print: a message of a logger."""
    if "\n" not in text.rstrip() or _is_one_record(text):
        return False
    if text[:2].isdigit() and "Full thread dump" not in text:
        return False  # a whole log in one record
    if any(key in entry for key in _LOGGER_KEYS):
        return True
    begins = text.lstrip().split("\n", 2)[:2]
    is_alone = any(line.lstrip("# ").startswith((*_DUMP_MARKS, '"')) for line in begins)
    return not is_alone and any(mark in text for mark in _DUMP_MARKS)


def _message(entry: object) -> tuple[str, str] | None:
    """(field, text) of a record in JSON; None where it has no text."""
    if not isinstance(entry, dict):
        return None
    # an export out of Elasticsearch has the record one level below
    inner = entry.get("_source")
    record = inner if isinstance(inner, dict) else entry
    answer = entry.get("result", entry)
    parts = answer.get("content") if isinstance(answer, dict) else None
    if isinstance(parts, list) and parts:
        # what a tool of the Model Context Protocol answers
        texts = [one.get("text") for one in parts if isinstance(one, dict)]
        return ("content", "\n".join(map(str, texts))) if None not in texts else None
    return next(((key, value) for key in MESSAGE_KEYS if isinstance(value := record.get(key), str)), None)


def _json(filled: Sequence[str]) -> Wrapper | None:
    """Records in JSON; those that hold whole texts have the times of their lines in these."""
    found = [one for line in filled if (one := _json_message(line)) is not None]
    if not _nearly_all(found, len(filled)):
        return None
    # of the others no reader of logs knows where their times are; a message of some lines makes no text of a log
    of_records = sum(_is_one_record(text) for _, text in found)
    return Wrapper(JsonLines, all(key in TIMED_KEYS for key, _ in found) and 2 * of_records > len(found))


def _json_over_lines(filled: Sequence[str]) -> Wrapper | None:
    """What a browser or a search shows over several lines: a console's answer with an error, or records of a log."""
    told, left = _told_over_lines("\n".join(filled))
    goes_on = _BEFORE_RECORD.match(left + "{") is not None
    return (
        Wrapper(JsonOverLines, False, of_lines=False)
        if told and (goes_on or left.lstrip()[:1] in "]}")
        else None
    )


def _told_over_lines(text: str) -> tuple[str, str]:
    """(what documents tell, what is left): the error of an answer that tells nothing else, or a line a record."""
    try:
        found = _message(msgspec.json.decode(text))
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        found = None  # several, or one that goes on
    if found is not None and found[0] in ("content", *OF_ANSWERS):
        return found[1].rstrip("\n") + "\n", ""
    from json import JSONDecoder  # it alone tells where a document ends

    decode = JSONDecoder().raw_decode
    lines = []
    place = 0
    while (begin := _BEFORE_RECORD.match(text, place)) is not None:
        try:
            record, end = decode(text, begin.end())
            if not _is_record(record):
                break
            lines.append(f"{msgspec.json.encode(record).decode()}\n")
        except (ValueError, RecursionError, msgspec.MsgspecError):
            break
        place = end
    return "".join(lines), text[place:]


def _is_record(entry: object) -> bool:
    """Whether a document is a record of a logger: a text with a level, a logger's name or Elasticsearch's frame."""
    if not isinstance(entry, dict) or _message(entry) is None:
        return False
    return any(key in entry for key in (*_LOGGER_KEYS, "severity", "_source"))


def _is_one_record(text: str) -> bool:
    """Whether a text is one line, or one with the stack of its exception below."""
    below = text.rstrip().split("\n")[1:]
    return all(line[:1] in " \t" or line.startswith(_OF_STACKS) for line in below if line)


def _json_message(line: str) -> tuple[str, str] | None:
    try:
        return _message(msgspec.json.decode(line))
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


class JsonOverLines:
    """Documents in JSON that stand over several lines; what follows them stays as it is."""

    def __init__(self) -> None:
        self._open = ""
        self._ended = False

    def __call__(self, text: str) -> str:
        """What whole documents tell; what has no end comes back at the end of the text, for which "" stands."""
        if self._ended:
            return text
        told, self._open = _told_over_lines(self._open + text)
        if text and len(self._open) < MOST_OPEN and _BEFORE_RECORD.match(self._open + "{") is not None:
            return told
        self._ended = True
        # the ends of a list and of what it stands in
        return told + self._open.lstrip(" \t\n]},")
