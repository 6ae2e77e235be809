"""Counts the lines at WARN, ERROR and worse by what the catalogue knows of them, in constant memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

import msgspec

from mqdiag.facts.redaction import HIDDEN
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.bare_exceptions import bare_exceptions
from mqdiag.logs.catalogue import Entry, catalogue
from mqdiag.logs.json_records import unwrapped, wrapped_head
from mqdiag.logs.offsets import is_at_full_file_edge
from mqdiag.logs.statements import HARMLESS
from mqdiag.read.logs.heads import END_OF_HEAD, NO_HEAD, Head, head_of, is_of_rocketmq
from mqdiag.read.logs.levels import DIGITS, HEAD_BYTES, LOUD, level_in
from mqdiag.read.logs.scan import LONG_LOG_BLOCKS

ALL_LINES = 5_000
"""lines of one log up to which each is looked at: a tenth of a second at most"""
MOST_LINES = 250
"""after those, lines of one level in one block, a MiB as a rule, beyond which only one in several is looked at"""
MOST_LINES_IN_LONG_LOG = 100
"""the same after the first `LONG_LOG_BLOCKS`"""
WHOLE_BLOCKS = 8
"""blocks that are searched for bare exceptions, and from then on one in so many: a pass costs a tenth of all reading"""
MOST_SHAPES = 4096
MOST_TEXTS = 2000
TEXT_CHARACTERS = 160
LONGEST_LINE = 8 << 10
MOST_SAMPLES = 200
"""kinds of lines, and as many of errors, of which the first is kept: finding its number takes a look at its block"""
SAMPLE_CHARACTERS = 200
LONGEST_EXCEPTION = 1 << 10
"""bytes of the line below that are looked at"""
_TOLD_BY_EXCEPTION = (
    "unassigned",
    "grpc-request",
    "grpc-send",
    "grpc-start",
    "connect",
    "dashboard",
    "exporter",
    "flink",
    "mqtt",
)
"""reasons of lines that may have an exception of the client below them, which then says what the matter is"""
_EXCUSED_BY_EXCEPTION = ("save", "replica", "transaction")
"""reasons of lines that mean nothing where the exception below them does not"""
_PRINTED_BY_ALL = ("thrown", "grpc-thrown", "send", "route")
"""reasons of texts that are an exception's"""
_JSON_LEVEL = lazy_pattern(rb'"(?:level|severity|log\.level|levelname)" ?: ?"(\w+)"')
_ENDS_OF_HEAD = lazy_pattern(
    rb"\] - | - | : |\] |\) |: |msg=\"|\):|\||\t|(?<=ERROR )\d{1,7} |(?<=WARN )\d{1,7} "
)
_END_OF_OWN_HEAD = END_OF_HEAD.encode()
MOST_HEADS = 8
"""places at which the text of a line may begin, behind its level"""
_OF_GRPC = b"io.grpc."
_NUMBER = lazy_pattern(r"\d+")
_LOUDEST = (b"E", b"F", b"S")
"""how levels above a warning begin: ERROR, FATAL, SEVERE"""
_NEXT_MESSAGE = b"GetMessageStatus=OFFSET_OVERFLOW_ONE,"
_EARLIEST = lazy_pattern(
    rb"AdminBrokerThread_\d{1,4} - selectMappedBuffer request pos invalid, request pos: 0, "
)
_MISSED = lazy_pattern(rb"The miss op offset=(\d{1,19}) in queue=.{1,400}, maxOffset=(\d{1,19}),")


class _Judged(NamedTuple):
    """A line whose level is a warning or worse."""

    level: bytes
    """as it is written"""
    entry: Entry | None
    """None when the catalogue does not have it"""
    text: str
    """its text if no rule judges it, with N for numbers"""


class Sample(NamedTuple):
    """The first line of a kind."""

    line: int
    """its number in the log, from 1"""
    text: str
    loud: bool
    """whether it is an error or an exception, and no warning"""


class LevelLines(msgspec.Struct):
    """The lines of one log at WARN, ERROR and worse, by verdict."""

    words: tuple[bytes, ...]
    """what the log is searched for, see `words_of`"""
    own_file: bool = False
    """whether RocketMQ writes the log by itself, so that no line names an application's logger"""
    entries: Counter[Entry] = msgspec.field(default_factory=Counter)
    texts: Counter[str] = msgspec.field(default_factory=Counter)
    """lines that are not known to be harmless and that no rule judges, by their text with N for numbers"""
    foreign: int = 0
    """lines that the catalogue does not have, and exceptions without such a line above them"""
    unseen: int = 0
    """lines of floods that were counted like a line near them, and not looked at"""
    last: bytes = b""
    """the head of the last line that is not harmless"""
    samples: dict[str | Entry, Sample] = msgspec.field(default_factory=dict)
    """by the text of `texts` or the entry of `entries`, but for harmless ones"""
    _shapes: dict[bytes, _Judged | None] = msgspec.field(default_factory=dict)
    _blocks: int = 0
    _looked_at: int = 0

    def hide(self) -> None:
        """Forget what the lines say; where the first of each kind stands is kept."""
        self.texts = Counter({HIDDEN: self.texts.total()} if self.texts else {})
        kept: dict[str | Entry, Sample] = {}
        for kind, sample in self.samples.items():
            kept.setdefault(HIDDEN if isinstance(kind, str) else kind, sample._replace(text=HIDDEN))
        self.samples = kept

    def see(self, block: bytes, places: Sequence[Sequence[int]], lines_above: int) -> None:
        """Count the lines of one block.

        Args:
            block: it ends at a line end.
            places: for each word of `words`, where it begins in the block.
            lines_above: lines of the log before the block.
        """
        most = MOST_LINES if self._blocks < LONG_LOG_BLOCKS else MOST_LINES_IN_LONG_LOG
        for word, found in zip(self.words, places, strict=True):
            whole = self._looked_at + len(found) <= ALL_LINES
            stride = 1 if whole else 1 + len(found) // most
            self._looked_at += len(found) // stride
            last = -1
            for number in range(0, len(found), stride):
                at = found[number]
                start = block.rfind(b"\n", 0, at) + 1
                if start == last:
                    continue
                last = start
                end = block.find(b"\n", at)
                end = len(block) if end < 0 else end
                line = block[start : min(end, start + LONGEST_LINE)]
                known = self._known(line, word)
                if known is not None:
                    kind = self._count(known, line, block, end, min(stride, len(found) - number))
                    loud = known.level.upper().startswith(_LOUDEST)
                    if kind is not None:
                        self.last = line[:HEAD_BYTES]
                    if kind is not None and self._lacks(kind, loud=loud):
                        self._keep(kind, line, lines_above + 1 + block.count(b"\n", 0, start), loud=loud)
        begins_log = not self._blocks
        self._blocks += 1
        if self._blocks > WHOLE_BLOCKS and self._blocks % WHOLE_BLOCKS:
            return
        for at, line in bare_exceptions(block, begins_log=begins_log):
            thrown = catalogue().find(line.strip())
            if thrown is not None and thrown[1].verdict == "harmless":
                self.entries[thrown[1]] += 1
                continue
            self.foreign += 1
            self.last = b""  # it has no time
            text = _NUMBER.sub("N", line.decode(errors="replace"))[:TEXT_CHARACTERS].strip()
            self._note(text, 1)
            if self._lacks(text, loud=True):
                self._keep(text, line, lines_above + 1 + block.count(b"\n", 0, at), loud=True)

    def _lacks(self, kind: str | Entry, *, loud: bool) -> bool:
        return kind not in self.samples and len(self.samples) < MOST_SAMPLES * (1 + loud)

    def _keep(self, kind: str | Entry, line: bytes, number: int, *, loud: bool) -> None:
        text = line.decode(errors="replace").strip()
        cut = text if len(text) <= SAMPLE_CHARACTERS else f"{text[:SAMPLE_CHARACTERS]}…"
        self.samples[kind] = Sample(number, cut, loud)

    def _known(self, line: bytes, word: bytes) -> _Judged | None:
        """What is known of a line; None when the word stands in its text, and its level is another one."""
        shape = line.translate(None, DIGITS)
        if shape in self._shapes:
            known = self._shapes[shape]
        else:
            known = _judged(line, own_file=self.own_file)
            if len(self._shapes) >= MOST_SHAPES:
                self._shapes.clear()
            self._shapes[shape] = known
        return None if known is None or not known.level.startswith(word) else known

    def _count(
        self, known: _Judged, line: bytes, block: bytes, end: int, stands_for: int
    ) -> str | Entry | None:
        """Count a line; gives what its first one is kept as, and nothing for a harmless one."""
        self.unseen += stands_for - 1
        entry = None if known.entry is None else _by_its_values(known.entry, line)
        if entry is None or entry.reason in _TOLD_BY_EXCEPTION:
            below = block[end + 1 : end + 1 + LONGEST_EXCEPTION].partition(b"\n")[0]
            # what gRPC throws may be of any software: only a line of RocketMQ's above it tells that it is of a proxy
            if entry is not None or _OF_GRPC not in below:
                entry = _thrown(below) or entry
        elif entry.reason in _EXCUSED_BY_EXCEPTION:
            thrown = _thrown(block[end + 1 : end + 1 + LONGEST_EXCEPTION].partition(b"\n")[0])
            entry = thrown if thrown is not None and thrown.verdict == "harmless" else entry
        if entry is None:
            self.foreign += stands_for
        else:
            self.entries[entry] += stands_for
        if known.text and (entry is None or entry.verdict not in ("harmless", "passing")):
            self._note(known.text, stands_for)
            return known.text if entry is None or entry.verdict == "unclassified" else entry
        return None if entry is None or entry.verdict == "harmless" else entry

    def _note(self, text: str, stands_for: int) -> None:
        self.texts[text] += stands_for
        if len(self.texts) > 2 * MOST_TEXTS:
            self.texts = Counter(dict(self.texts.most_common(MOST_TEXTS)))


def _thrown(below: bytes) -> Entry | None:
    """What is known of a line that has an exception of the client below it."""
    found = catalogue().find_by_words(below.strip()) if below[:1] not in b" \t" else None
    if found is None or found[1].verdict in ("fault", "unclassified") or found[1].reason.startswith(HARMLESS):
        return None  # a line of a logger's own, such as "See http...", says nothing of the line above it
    return found[1]


def _by_its_values(entry: Entry, line: bytes) -> Entry:
    """The entry with the verdict for the values of this line, where they decide."""
    harmless = (
        is_at_full_file_edge(line.decode(errors="replace"))
        if entry.reason == "not-matched"
        else _asks_for_the_earliest(line)
        if entry.reason == "queue-broken"
        else entry.reason in ("transaction", "pop") and _at_the_end_of_a_queue(line)
    )
    return entry._replace(verdict="harmless", rule="") if harmless else entry


def _asks_for_the_earliest(line: bytes) -> bool:
    """Whether mqadmin asked for the time of the first message, in a commit log that holds less than it looks at.

    Source: DefaultMessageStore.getEarliestMessageTime, which reads twice maxMessageSize from the first offset on.
    """
    return _EARLIEST.search(line) is not None


def _at_the_end_of_a_queue(line: bytes) -> bool:
    """Whether the check of transactions, or POP, asked for the message that comes next, which is no wrong offset."""
    if _NEXT_MESSAGE in line:
        return True
    found = _MISSED.search(line)
    return found is not None and found[1] == found[2]


def _judged(line: bytes, *, own_file: bool) -> _Judged | None:
    """What is known of a line; None when its level is below a warning.

    Args:
        line: the line.
        own_file: whether RocketMQ writes the log by itself.
    """
    body = line.rstrip()
    begins: list[int] = []
    head = NO_HEAD
    if body[-1:] == b"}" and b'":' in body:
        head = wrapped_head(body)
        named = _JSON_LEVEL.search(body)
        body = unwrapped(body)[0].split("\n", 1)[0].encode()
        if named is not None:
            loud = named[1]
            begins.append(0)
    if not begins:
        level = level_in(body, HEAD_BYTES)
        if level is None:
            return None
        loud, end = level
        begins.append(len(body) - len(body[end:].lstrip(b" ]|:")))
    if loud.upper() not in LOUD:
        return None
    for found in islice(_ENDS_OF_HEAD.finditer(body, begins[0]), MOST_HEADS):
        begins.append(found.end())
        if own_file and found[0].endswith(_END_OF_OWN_HEAD):
            break  # behind it stands the text, whose values may look like one
    fits = []
    for begin in begins:
        fit = catalogue().find(body[begin:])
        if fit is not None and (own_file or _begins_a_message(body[:begin], head, fit[1])):
            fits.append(fit)
    entry = max(fits, key=lambda fit: fit[0])[1] if fits else None
    if entry is not None and entry.verdict in ("harmless", "passing", "symptom"):
        return _Judged(loud, entry, "")
    texts = [body[begin:] for begin in begins]
    text = next((one for one in texts[1:] if one), texts[0]).decode(errors="replace")
    return _Judged(loud, entry, _NUMBER.sub("N", text)[:TEXT_CHARACTERS].strip())


def _begins_a_message(before: bytes, wrapper: Head, entry: Entry) -> bool:
    """Whether a text of the catalogue stands where its logger prints it, and not in a sentence of an application.

    An application prints the text of an exception too.
    """
    if entry.reason in _PRINTED_BY_ALL:
        return True
    head = head_of(before.decode(errors="replace"))
    if head is None:
        return False
    logger = head.logger or wrapper.logger
    return logger is None or is_of_rocketmq(logger) or entry.is_logged_by(logger)
