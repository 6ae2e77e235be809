"""What kind of log a file is, by the form of its lines first and by its name second."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import PurePath

import msgspec

from mqdiag.facts.vocabulary import LogKind
from mqdiag.knowledge.log_files import log_files
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.logs.heads import OF_COLLECTOR
from mqdiag.read.logs.levels import ANY, HEAD_BYTES, level_in
from mqdiag.read.logs.stamps import has_clock
from mqdiag.read.wrappers import FRAME

SAMPLE_LINES = 400
OWN_FORMS = frozenset({"rocketmq", "client-4", "client-5"})
"""forms of logs that RocketMQ writes by itself, where no line names an application's logger"""
LEAST_SHARE = 2
"""a part of the lines with a level, 1 / 2, as many as which have the form of a log of RocketMQ or of the JVM"""

_LEVEL = ANY.encode()
_FORMS: tuple[tuple[str, re.Pattern[bytes]], ...] = (
    # RocketMQ's own configuration of brokers, name servers and 3.x clients: no milliseconds, the thread before " - "
    (
        "rocketmq",
        lazy_pattern(rb"(?:\d\d)?\d\d-\d\d-\d\d \d\d:\d\d:\d\d (?:" + _LEVEL + rb" (?:.{1,200}? )?)?- "),
    ),
    # a proxy's own configuration of proxy_watermark.log: no level
    ("rocketmq", lazy_pattern(rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \S{1,100} +queueSize +[\d.]+\s*$")),
    # the appender built into 4.3 to 4.9 clients; its pattern prints seconds where milliseconds belong
    ("client-4", lazy_pattern(rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} +" + _LEVEL + rb" +Rocketmq\w+ - ")),
    (
        "client-5",
        lazy_pattern(rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[.,]\d{3} " + _LEVEL + rb" +\[\d+\] \[[^\]]*\] \["),
    ),
    (
        "gc-unified",
        lazy_pattern(
            rb"(?:\[(?!warning)[^\]]{1,60}\]){1,8}?"
            rb"(?: *(?:GC\(\d+\)|Using |Heap Region|CardTable|Version:)|" + OF_COLLECTOR + rb")"
        ),
    ),
    ("gc-8", lazy_pattern(rb"(?:[\dT:.+-]+: )?\d+\.\d{3}: (?:\[(?:GC|Full GC|CMS)|Total time for which)")),
    (
        "gc-8",
        lazy_pattern(rb"(?:CommandLine flags: -XX|OpenJDK 64-Bit Server VM \(25\.|Java HotSpot.{1,30}\(25\.)"),
    ),
    # a record may be longer than what is looked at
    ("json-lines", lazy_pattern(rb'\{.*\}\s*$|\{"[^"\n]{1,80}": ?".{4000}')),
    ("cri", lazy_pattern(rb"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d) (?:stdout|stderr) [PF] ")),
)
_UNTIMED_COLLECTION = lazy_pattern(rb"\[(?:GC|Full GC) .{0,500}?\d secs\]")
"""with neither -XX:+PrintGCTimeStamps nor -XX:+PrintGCDateStamps; an application prints its own lines in between"""
_BEGINNINGS = (*(b"%d" % digit for digit in range(10)), b"[", b"{", b"C", b"O", b"J")
"""with one of which a line of any of these forms begins; those of a stack do not"""
_UNDATED = lazy_pattern(
    # what is left of a record without its time: level, then a thread or a logger
    rb"^.{0,80}?(?:^|[\s\]|])"
    + _LEVEL
    + rb"[\]|]?\s+(?:\[|\S{1,120} +[-:|] )"
    # logrus without a terminal's colours, as the Go client writes
    + rb"|^(?:TRAC|DEBU|INFO|WARN|ERRO|FATA|PANI)\[\d{4,9}\] "
    # an exception, and its first stack frame below it
    + rb"|^[ \t>]*(?:Caused by: |Exception in thread .{1,200}? )?(?:[\w$]+\.)+[\w$]*(?:Exception|Error)\b.{0,2000}\n"
    + rb"(?:.{0,500}\n){0,3}?[ \t>]*"
    + FRAME.encode()
    # an exception of RocketMQ's, of which nothing else was kept
    + rb"|^[ \t>`]*(?:Caused by: )?(?:org\.apache|com\.alibaba)\.rocketmq\.(?:\w{1,60}\.){0,8}\w{1,80}Exception: ",
    re.M,
)


class Shape(msgspec.Struct, frozen=True):
    """A log's kind and the form of its lines."""

    kind: LogKind
    form: str
    """rocketmq, client-4, client-5, gc-unified, gc-8, json-lines, cri or plain"""


def shape_of(head: bytes, name: str) -> Shape:
    """Shape of a log by its first lines.

    Args:
        head: its beginning.
        name: its path, which decides among RocketMQ's own files where their lines look alike.
    """
    lines = [line for line in head.split(b"\n", SAMPLE_LINES)[:SAMPLE_LINES] if line.startswith(_BEGINNINGS)]
    votes = Counter(form for line in lines for form, pattern in _FORMS[:-2] if pattern.match(line))
    wraps = Counter(form for line in lines for form, pattern in _FORMS[-2:] if pattern.match(line))
    if LEAST_SHARE * votes.total() < sum(level_in(line, HEAD_BYTES) is not None for line in lines):
        votes.clear()  # such lines may stand in the messages of an application
    form = (votes or wraps).most_common(1)[0][0] if votes or wraps else "plain"
    if form == "plain" and any(map(_UNTIMED_COLLECTION.match, lines)) and not has_clock(head):
        form = "gc-8"
    if form.startswith("gc-"):
        return Shape("gc", form)
    if form in ("client-4", "client-5"):
        return Shape("client", form)
    if form == "rocketmq":
        return Shape(_own_file(head, name), form)
    return Shape("application", form)


def is_of_own_form(line: bytes) -> bool:
    """Whether a line begins as those of the files that RocketMQ writes by itself."""
    return any(pattern.match(line) for form, pattern in _FORMS if form in OWN_FORMS)


def has_records(head: bytes) -> bool:
    """Whether text has records of a log whose times were cut off, or an exception with its stack."""
    return _UNDATED.search(head) is not None


def _own_file(head: bytes, name: str) -> LogKind:
    base = PurePath(name.rpartition("!")[2]).name.lower()
    for start, kind in log_files().names:
        if base.startswith(start):
            return kind
    counts = {kind: sum(head.count(word.encode()) for word in words) for kind, words in log_files().words}
    best = max(counts, key=lambda kind: counts[kind])
    return best if counts[best] else "broker"
