"""Whether a text is a listing: settings, a table or the answer of a tool, whose values somebody gave.

A system property, the key of a message or the arguments of a process may hold any text, that of a fault too. Such a
text has no records, so that its lines look like what a process prints without a logger.

Source: jcmd, jinfo, jps, javap and jfr of JDK 8 to 25, mqadmin of RocketMQ 4.9 and 5.3, procps, iproute2, the slow log
of MySQL 8, redis-cli, Prometheus's text format 0.0.4.
"""

from __future__ import annotations

import re
from enum import Enum

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.logs.levels import ANY, HEAD_BYTES, level_in
from mqdiag.read.wrappers import FRAME

LINES_OF_HEAD = 4
"""lines with text, one of which tells a listing"""
MOST_LINES = 200
"""lines from the first on that are looked at"""
LEAST_SETTINGS = 3
LEAST_SHARE = 0.6
"""share of settings among the lines with text: the output of a process may begin with a few"""
_NAMED = lazy_pattern(r"(?i)(?:\.(?:properties|conf|cnf|ini|env)|(?:^|[/!.])environ(?:ment)?)(?:!log lines)?$")
"""files of settings, also what is left of one beside a part that another reader takes"""
_MESSAGES = rb"(?:OffsetID|Message ID|MSGID): |#Message ID |#Type +#"
"""messages by mqadmin"""
_OF_MESSAGES = lazy_pattern(_MESSAGES)
_TEXTS = lazy_pattern(
    _MESSAGES
    # events of a recording as jfr prints them, packets by tcpdump -A
    + rb"|jdk\.\w{1,60} \{\s*$|\d\d:\d\d:\d\d\.\d{6} (?:IP6?|ARP)[ ,]"
    # databases: the slow log, rows and tables of a client, answers of redis-cli
    rb"|# Time: \d|# User@Host: |Tcp port: \d{1,5} |\+-+\+-+\+|\*{20,} 1\. row \*|-\[ RECORD 1 \]"
    rb"|-{3,}(?:\+-{2,})+\s*$|1\) 1\) \(integer\) "
)
"""the beginning of a line of a listing whose values are texts of users, with line ends"""
_ANSWER = lazy_pattern(
    # the process that jcmd asked; what follows is its answer, or lines of their own
    rb"\d{1,10}:\s*$"
    # a file of java.util.Properties, such as what is left of an answer of jcmd VM.system_properties
    rb"|#[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d \S{1,40} \d{4}\s*$"
    # other answers of jcmd, and jinfo
    rb"|VM Arguments:|jvm_args: |-XX:\S|Attaching to process ID \d|Java System Properties:"
    rb"|(?:Non-default )?VM [Ff]lags:|Native Memory Tracking:| num +#instances +#bytes"
    rb"| (?:garbage-first heap|PSYoungGen|par new generation|def new generation|ZHeap|Shenandoah Heap)\b"
    # javap and jfr view
    rb"|Classfile \S|Compiled from \"|JVM Information\s*$"
    # processes, sockets, file systems
    rb"|top - \d\d:\d\d:\d\d up |\s*(?:UID|USER|F S UID) +(?:PID\b|.{0,20}%CPU)"
    rb"|\s*PID +(?:PPID|TTY|USER|COMMAND|CMD|%CPU)\b|\d{1,10} (?:[\w.$-]+/)?[\w.$]+ .{0,4000}-(?:D|X)\S"
    rb"|(?:Netid +)?State +Recv-Q |Proto +Recv-Q |Active Internet connections|Filesystem +\S"
    # files and their names, calls, packets
    rb"|COMMAND +PID|total \d+\s*$|[-dlbcps](?:[r-][w-][xsStT-]){3}[.+]? |Archive: +\S"
    rb"|(?:\[pid +\d+\] )?(?:\d\d:\d\d:\d\d\.\d{6} )?\w{2,20}\(.{0,200}(?:\) += |unfinished)"
    # a script, commands that were given, names of hosts
    rb"|#!/| {0,5}1  \S|127\.0\.0\.1\s+localhost"
    # metrics, tables and settings of mqadmin
    rb"|# (?:HELP|TYPE) [A-Za-z_:]|#[A-Z][\w ]{1,40}? {2,}#|={8,}[\w.:\[\]-]{1,80}={8,}\s*$"
)
"""the beginning of a line that only the answer of a tool begins with, whose values stand on one line each"""
_MANIFEST = lazy_pattern(rb"(?:- )?(?:apiVersion|kind|services|metadata):(?: |\s*$)")
"""the beginning of a line of a manifest of Kubernetes or compose"""
_SETTING = lazy_pattern(rb"[ \t]*(?:export |set |#|;|-D)?[ \t]*[A-Za-z_][\w.\-\[\]/$]{0,200}[ \t]*=")
_COMMENT = lazy_pattern(rb"[ \t]*[#;!]|[ \t]*\[[\w. -]{1,60}\][ \t]*\r?$")
_ROW = lazy_pattern(
    # a setting, an option; what jcmd calls its values, and settings and numbers of mqadmin
    rb"[ \t]*(?:export |set |declare -x |-D|-XX?:?)?[A-Za-z_+-][\w.\-\[\]/$:]{0,200}[ \t]*="
    rb"|-X\S|(?:Non-default )?VM [Ff]lags:|(?:jvm_args|java_command|java_class_path[ \w()]{0,12}|Command [Ll]ine): ?"
    rb"|[A-Za-z]\w{2,80} {1,60}: |Event: \d"
    # classes, strings, symbols, the text of a class
    rb"|(?:\|[ |]*)?(?:\|--|\+--)|\|  |\s*\d{1,10}(?: \d{1,10})?: |0x[0-9a-f]{4,16} "
    rb"|(?:public|protected|private|static|abstract|final|class|interface) |  [\w.]{1,200} ?[\w.$<>\[\]]{0,200}\("
    # rows of processes, sockets, files, file systems; of metrics, of a script, of commands that were given
    rb"|\s*(?!(?:" + ANY.encode() + rb")\b)[\w.@+-]{1,60} +\d{1,10} |\s*\d{1,10} +\S"
    rb"|(?:ESTAB|LISTEN|CLOSE|TIME|SYN|FIN|LAST|UNCONN|tcp|udp|unix|u_)[\w-]{0,12} +|/\S* +\d"
    rb"|[-dlbcps](?:[r-][w-][xsStT-]){3}|  inflating: |  extracting: |[a-z_:]\w{2,120}\{|\s*(?:echo|exec|printf) "
    rb"|(?:\[pid +\d+\] )?(?:[\d:.]{8,17} )?\w{2,20}\("
    # a row of a table of mqadmin: cells with wide gaps
    rb"|\S{1,200}(?: {2,}\S{1,200}){2,}"
)
"""the beginning of a line with values: other lines are what a process prints, as below the settings of its script"""
_FRAME = lazy_pattern(rb"\s*" + FRAME.encode())


class Listing(Enum):
    """What somebody else may have written of a text."""

    VALUES = "values"
    """what stands behind other words of a line"""
    TEXTS = "texts"
    """whole lines"""
    MESSAGES = "messages"
    """whole lines, which no report shows"""

    @property
    def is_of_users(self) -> bool:
        """Whether somebody else may have written whole lines of it."""
        return self is not Listing.VALUES


def has_messages(head: bytes) -> bool:
    """Whether a text has messages as mqadmin prints them, whose bodies no report shows.

    Warnings of a JVM may stand above them, so that the text need be no listing.

    Args:
        head: its first bytes.
    """
    return any(map(_OF_MESSAGES.match, _lines(head, MOST_LINES)))


def may_hold_texts(head: bytes) -> bool:
    """Whether a thread dump or a crash report in a text is of somebody who gave a value: one of a listing, or of YAML.

    Args:
        head: its first bytes.
    """
    return _begins_with(_TEXTS, head) or _begins_with(_MANIFEST, head)


def listing_of(head: bytes, name: str = "") -> Listing | None:
    """What a text lists; None of any other text.

    Args:
        head: its first bytes.
        name: of its file, if that may tell.
    """
    if _begins_with(_TEXTS, head):
        return Listing.MESSAGES if has_messages(head) else Listing.TEXTS
    lines = _lines(head.replace(b"\0", b"\n"), MOST_LINES)
    if _NAMED.search(name) is not None or any(map(_ANSWER.match, lines[:LINES_OF_HEAD])):
        return Listing.VALUES
    settings = sum(map(_is_setting, lines))
    others = sum(not _is_comment(line) and _FRAME.match(line) is None for line in lines)
    return Listing.VALUES if settings >= max(LEAST_SETTINGS, LEAST_SHARE * others) else None


def is_row(line: bytes) -> bool:
    """Whether a line of a listing has values, rather than the words of a process that prints below it."""
    return _ROW.match(line) is not None or _is_comment(line)


def without_rows(head: bytes) -> bytes:
    """What stands among or below the rows of a listing.

    Args:
        head: first bytes of the listing.
    """
    return b"\n".join(line for line in head.split(b"\n") if not is_row(line))


def _is_comment(line: bytes) -> bool:
    """Whether a line of settings is none of them, but a remark or the name of a section."""
    return _COMMENT.match(line) is not None


def _begins_with(pattern: re.Pattern[bytes], head: bytes) -> bool:
    """Whether one of the lines that tell a listing begins so."""
    return any(map(pattern.match, _lines(head, LINES_OF_HEAD)))


def _lines(head: bytes, most: int) -> list[bytes]:
    """The first lines with text."""
    return [line for line in head.split(b"\n", MOST_LINES)[:MOST_LINES] if line.strip()][:most]


def _is_setting(line: bytes) -> bool:
    return _SETTING.match(line) is not None and level_in(line, HEAD_BYTES) is None
