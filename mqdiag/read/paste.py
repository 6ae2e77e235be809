"""Undoes what mails, chats and terminals do to an excerpt: quotation signs, indentation, wrapped lines.

Only short texts are looked at. Nobody quotes a log of many megabytes, and a long log keeps its bytes.
"""

from __future__ import annotations

from collections import Counter

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.encoding import encoding_of
from mqdiag.read.healing import heal
from mqdiag.read.logs.levels import ANY
from mqdiag.read.logs.listings import MOST_LINES as LISTING_LINES
from mqdiag.read.logs.listings import listing_of
from mqdiag.read.wrappers import FRAME

MAX_BYTES = 512 << 10
"""size of an excerpt; a larger text is a log file"""
WIDEST = 250
"""characters of the longest line that a terminal or a chat leaves; a wider text is not wrapped"""
LEAST_FULL_LINES = 2
"""lines of exactly the greatest width that show a terminal's wrapping"""
TERMINALS = frozenset({72, 76, 80, 100, 120, 132})
"""usual widths of terminals: of these one line is enough"""
_MAJORITY = 0.8

_QUOTED = lazy_pattern(rb"(?:[>|] ?)+")
_SERVICE = lazy_pattern(rb"(?!" + ANY.encode() + rb" )[\w.-]{1,60} +\| ?(?!.* \| )")
"""what docker compose puts before each line of a service; a row of a table has more bars, and a level is no service"""
_TIME = (
    rb"(?:\d{2,4}[-/](?:\d\d|[A-Z][a-z]{2})[-/]\d{2,4}[T ,]|[A-Z][a-z]{2} [ \d]\d |\d\d:\d\d:\d\d"
    rb"|\d{1,2} [A-Z][a-z]{2} (?:\d{4} )?\d\d:|[A-Z]\d{4} \d\d:|[A-Z][a-z]{2} \d{1,2}, \d{4} \d{1,2}:"
    rb"|(?<!\d)\d{10,13}\b|\d+\.\d{3}: "
    # systemd's journal, syslog without a priority, and dmesg -x
    + rb"|[A-Z][a-z]{2} \d{4}-\d\d-\d\d |\d{1,2}\xe6\x9c\x88 [ \d]\d |\d{4} [A-Z][a-z]{2} [ \d]\d |1 \d{4}-\d\d-\d\dT"
    + rb"|[a-z]{1,8} {0,6}:[a-z]{1,6} {0,4}: \[)"
)
_PROCESS = rb"(?:\d{1,10}:[A-Z]|\[\d{1,10}\]) "
"""how a line of Redis begins: the process and what it is, before its time"""
_LEVEL = ANY.encode() + rb"\b"
_ACCESS = rb"\S{1,80} \S{1,80} \S{1,80} \[\d\d/[A-Z][a-z]{2}/\d{4}:"
"""how a line of a web server's access log begins"""
_LOGRUS = rb"(?:DEBU|INFO|WARN|ERRO|FATA|PANI)\[\d{4,9}\] |(?:time|ts)="
"""how a line of logrus begins, which counts seconds since the start on a terminal"""
_BEGINS = lazy_pattern(
    _LOGRUS + rb"|The (?:broker\[|Name Server boot )|\S{0,40}?[\[(<]?" + _TIME + rb"|.{0,60}?\b" + _LEVEL
    + rb"|[\[{\]}\"#=<>*$]|--|\.\.\. |at |Caused by|Suppressed|Exception in|Full thread dump|Found one"
    # what the JVM prints at an OutOfMemoryError, and then ends
    + rb"|Terminating due to |Aborting due to |Dumping heap to |Heap dump file created"
    + rb"|(?:[\w$]+\.)+[\w$<>]+\(|(?:[\w$]+\.)*[\w$]*(?:Exception|Error)\b"
    + rb"|[A-Z]\w{3,80} - |\S{1,200}\.sh: line \d"
    + rb"|[\w.%-]+(?:\[\d{1,10}\])?[ \t]*[:=|] |(?:See|For more information)\b|" + _PROCESS + _TIME + rb"|" + _ACCESS
)  # fmt: skip
"""the beginnings of a line that continues no other one: a record, also without time and level, a frame, a setting"""
_DATED = lazy_pattern(rb"(?:[\[(<]|" + _PROCESS + rb")?" + _TIME + rb"|" + _ACCESS + rb"|" + _LOGRUS)
_FRAME = lazy_pattern(rb"\s*" + FRAME.encode())
_GAP = lazy_pattern(rb"\S {2,}(?=\S)")
_GLUED = lazy_pattern(rb"(?<=[\])])(?=Caused by: (?:[\w$]+\.){1,12}[\w$]*(?:Exception|Error)\b)")
"""where a terminal lost the end of a line that was as wide as itself"""
LEAST_GAPS = 3
"""wide gaps from which on a line is the row of a table, as kubectl prints it"""


def tidied(text: bytes, begins: tuple[bytes, ...] = (), whole: tuple[bytes, ...] = ()) -> bytes:
    """The text with its own lines again; the same object where nothing has to be undone.

    Args:
        text: an excerpt.
        begins: beginnings of messages, which continue no other line.
        whole: beginnings of lines that no other line continues: what stands below them is of something else.
    """
    text = heal(text, keeps_times=True)
    lines = text.split(b"\n")
    undone = _undented(_unquoted(lines))
    if listing_of(b"\n".join(undone[:LISTING_LINES])) is None:  # each line of one is a value of its own
        undone = _unwrapped(_parted(undone), begins, whole)
    return text if undone is lines else b"\n".join(undone)


def decoded(data: bytes, *, is_healed: bool = False) -> str:
    """Text of any encoding, without what was done to it, the quotation signs and the indentation of a paste.

    Args:
        data: the text.
        is_healed: whether `heal` has seen it; text of another encoding than UTF-8 it leaves alone.
    """
    encoding = encoding_of(data)
    text = data.decode(encoding, errors="replace").encode(errors="replace")
    if not is_healed or encoding != "utf-8":
        text = heal(text)
    lines = _undented(_unquoted(text.split(b"\n")))
    return b"\n".join(_rejoined(lines)).decode().replace("\r\n", "\n")


def _unquoted(lines: list[bytes]) -> list[bytes]:
    """Without the signs that a mail or a chat puts before every line, or docker compose before those of one service."""
    service = _SERVICE.match(lines[0])
    if service is not None and all(line.startswith(service[0].rstrip()) for line in lines if line.strip()):
        return [line[len(service[0].rstrip()) :].removeprefix(b" ") for line in lines]
    quoted = len([line for line in lines if line[:1] in (b">", b"|")])
    filled = sum(map(bool, map(bytes.strip, lines))) if quoted else 0
    if not filled or quoted < _MAJORITY * filled:
        return lines
    return [_QUOTED.sub(b"", line, count=1) for line in lines]


def _parted(lines: list[bytes]) -> list[bytes]:
    """With causes on lines of their own."""
    parts = [part for line in lines for part in (_GLUED.split(line) if b"Caused by: " in line else (line,))]
    return parts if len(parts) > len(lines) else lines


def _undented(lines: list[bytes]) -> list[bytes]:
    """Without the blanks that all lines begin with."""
    width = 0
    for line in lines:
        if line.strip():
            own = len(line) - len(line.lstrip(b" \t"))
            if not own:
                return lines
            width = min(width or own, own)
    return [line[width:] if line.strip() else line for line in lines] if width else lines


def _unwrapped(lines: list[bytes], begins: tuple[bytes, ...], whole: tuple[bytes, ...]) -> list[bytes]:
    """Lines that a terminal or a chat has cut, joined again."""
    widths, full = _widths(lines)
    widest = widths[full[0]]
    if widest > WIDEST:
        return lines
    terminal = (len(full) >= LEAST_FULL_LINES or widest in TERMINALS) and _goes_on(lines, full)
    # some terminals repeat the last character of a line that goes on
    doubled = terminal and all(
        line[-1:] == line[-2:-1] for line in (lines[place].rstrip(b"\r") for place in full)
    )
    joined: list[bytes] = []
    changed = False
    for place, line in enumerate(lines):
        above = lines[place - 1].rstrip(b"\r") if place else b""
        at_full_width = terminal and place > 0 and widths[place - 1] == widest
        goes_on = (
            joined
            and len(set(above.strip())) > 1
            and line.strip()
            and _continues(line, at_full_width=at_full_width)
        )
        if goes_on and (at_full_width or not line.startswith(begins)) and not above.startswith(whole):
            changed = True
            last = joined[-1].rstrip(b"\r")
            if at_full_width:
                joined[-1] = (last[:-1] if doubled else last) + line
            else:
                joined[-1] = last + b" " + line
        else:
            joined.append(line)
    return joined if changed else lines


def _rejoined(lines: list[bytes]) -> list[bytes]:
    """Lines that a terminal of a usual width has cut, joined again; tables, whose rows can be as wide, stay."""
    widths, full = _widths(lines)
    widest = widths[full[0]]
    # a row that was cut ends in a shorter line; rows of a table that are filled up with blanks follow each other
    ends = [place + 1 for place in full if place + 1 < len(lines) and widths[place + 1] != widest]
    if (
        widest not in TERMINALS
        or not any(lines[place].strip() for place in ends)
        or not _goes_on(lines, full, indented=True)
    ):
        return lines
    joined: list[bytes] = []
    for place, line in enumerate(lines):
        is_rest = place > 0 and widths[place - 1] == widest and bool(line.strip())
        if is_rest and _continues(line, at_full_width=True, indented=True):
            joined[-1] = joined[-1].rstrip(b"\r") + line
        else:
            joined.append(line)
    return joined


def _widths(lines: list[bytes]) -> tuple[list[int], list[int]]:
    """(characters of each line, places of the widest)."""
    widths = [len(line.rstrip(b"\r").decode(errors="replace")) for line in lines]
    widest = max(widths)
    return widths, [place for place, width in enumerate(widths) if width == widest]


def _goes_on(lines: list[bytes], full: list[int], *, indented: bool = False) -> bool:
    """Whether most lines of the greatest width are followed by one that begins no record."""
    following = Counter(
        place + 1 < len(lines)
        and bool(lines[place + 1].strip())
        and _continues(lines[place + 1], at_full_width=True, indented=indented)
        and not _BEGINS.match(lines[place + 1])
        for place in full
    )
    return following[True] > following[False]


def _continues(line: bytes, *, at_full_width: bool, indented: bool = False) -> bool:
    """Whether a line is the rest of the one above it; stack frames are indented, and tabs make a table.

    Args:
        line: the second one.
        at_full_width: whether the first is as wide as a terminal.
        indented: whether the rest may begin with blanks, as that of a table's row does.
    """
    if line.startswith((b"\t",) if indented else (b"\t", b"  ")) or line.count(b"\t") > 1:
        return False
    if not indented and len(_GAP.findall(line)) >= LEAST_GAPS:
        return False
    if at_full_width:
        return not _DATED.match(line) and not _FRAME.match(line)
    return not line.startswith(b" ") and not _BEGINS.match(line)
