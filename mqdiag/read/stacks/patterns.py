"""Every line pattern of the thread dump forms, in one place; longer than a usual file because it is a table.

Sources: `JavaThread::print_on`, `Thread::print_on_error` and `VM_PrintThreads` (HotSpot, JDK 8 to 25),
`ThreadDumper` (JDK 21 and 25), the log drivers' documents for the wrappers.
"""

from __future__ import annotations

import re

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.crash.recognise import HEADS
from mqdiag.read.wrappers import FRAME, NAMED, QUOTES

DUMP_MARK = "Full thread dump"
STATE_MARK = "java.lang.Thread.State: "
JNI_MARK = "JNI global ref"
FIRST_THREADS = ("main", "Reference Handler")
"""with one of which a dump of JDK 9 and later begins; one of JDK 8 begins with the thread that was made last"""
DEADLOCK_MARK = "Found one Java-level deadlock"
SMR_MARK = "_java_thread_list="
MORE_THAN_A_THREAD = (
    b"\r",
    b"&",
    *(mark.encode() for mark in (DUMP_MARK, JNI_MARK, DEADLOCK_MARK, SMR_MARK, *HEADS)),
)
"""signs of text that is decoded and looked at as a whole"""
SYNCHRONIZERS_MARK = "Locked ownable synchronizers:"
SMR_LENGTH = lazy_pattern(r"length=(\d{1,18})\b")
SMR_ELEMENTS = lazy_pattern(r"elements=\{([0-9a-fx,\s]*)\}")
SMR_ELEMENT = lazy_pattern(r"\b0x[0-9a-f]{1,16}\b")
JVM_LINE = lazy_pattern(r"Full thread dump (.{1,200}?):?\s*$", re.M)
# JVMs of HP print the date there, in the words of the host's country
JVM_OF_HP = lazy_pattern(r"\s*\[[^\]\n]{1,80}\] \((?P<jvm>.{1,200})\)\s*")
DATE_LINE = lazy_pattern(r"(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?)\s*$")
PID_LINE = lazy_pattern(r"^\s*(\d{1,9}):\s*$")

# what stands behind the closing quote of a thread's name; JDK 8 has no cpu=, JDK 7 no #id, JDK 21 the
# native id in brackets too and nid in decimal; a carrier of a virtual thread has no nid at all (JDK 25)
_HEADER_TAIL = (
    r"(?: #(?P<id>\d{1,18}))?(?: \[(?P<os>\d{1,18})\])?(?P<daemon> daemon)?(?: prio=-?\d+)?(?: os_prio=-?\d+)?"
    r"(?: cpu=(?P<cpu>[\d.,]{1,20})ms)?(?: elapsed=(?P<elapsed>[\d.,]{1,20})s)?"
    r"(?: allocated=(?P<allocated>\d{1,15})(?P<unit>[BKMGT]))?(?: defined_classes=\d+)?"
    r" tid=(?P<tid>0x[0-9a-fA-F]{1,16}|\d{1,18})(?: nid=(?P<nid>0x[0-9a-fA-F]{1,16}|\d{1,18}|NA))?(?P<rest> .*)?$"
)
HEADER_TAIL = lazy_pattern(_HEADER_TAIL)
RAW_HEADER_TAIL = lazy_pattern(_HEADER_TAIL.encode())
RAW_TIMES = lazy_pattern(
    rb"(?P<cpu>[\d.]{1,20})ms(?: elapsed=(?P<elapsed>[\d.]{1,20})s)?"
    rb"(?: allocated=(?P<allocated>\d{1,15})(?P<unit>[BKMGT]))?"
    rb"(?: defined_classes=\d+)?"
)
"""what stands between "cpu=" and "tid=" """
# as it looks where nothing above fits: a form that nobody knows yet, or a header that was cut in its middle
HEADER_LIKE = lazy_pattern(r'^[^"\n]{0,300}"(?: [^"\n]*)? (?:prio|os_prio|tid|nid|id|Id)=\S')
OLD_JVM = lazy_pattern(r"[( ]1\.[2-5]\.\d")
"""a JVM before 6, whose dumps have no states, and no line at their end"""
HEADER_STATES = (
    (" waiting for monitor entry", "BLOCKED (on object monitor)"),
    (" in Object.wait()", "WAITING (on object monitor)"),
    (" sleeping", "TIMED_WAITING (sleeping)"),
    (" waiting on condition", "WAITING (parking)"),
    (" runnable", "RUNNABLE"),
)
"""what a header says, and the state that a later JVM prints below it"""
# JConsole, VisualVM and Spring Boot's actuator print JMX thread infos in a form of their own
JMX_TAIL = lazy_pattern(r" - Thread t@(?P<id>\d{1,18})\s*$")
# ThreadInfo.toString(), which Dubbo, Druid and others print, and arthas with CPU times (opening quote taken off):
# x" daemon prio=5 Id=62 WAITING on java.lang.Object@1a2b owned by "y" Id=7 (in native); Jenkins adds Group=main
_STATES = r"NEW|RUNNABLE|BLOCKED|WAITING|TIMED_WAITING|TERMINATED"
INFO_HEADER = lazy_pattern(
    r'^(?P<name>.*?)"(?P<daemon> daemon)?(?: prio=-?\d+)? (?:Id=(?P<id>-?\d{1,18})|\[Internal\])'
    r"(?: Group=\S{1,200})?(?: cpuUsage=[\d.]+%)?(?: deltaTime=\d+ms)?(?: time=(?P<cpu>\d{1,18})ms)?"
    rf"(?: (?P<state>{_STATES}))?(?: on (?P<object>\S+))?"
    r'(?: owned by "(?P<owner>.*)" Id=(?P<owner_id>-?\d{1,18}))?(?: \((?:suspended|in native)\))*\s*$'
)
INFO_THREAD = lazy_pattern(
    r'^.{0,200}?(?P<thread>"[^"\n]{1,300}" (?:daemon )?(?:prio=\d+ )?(?:Id=-?\d+ |id=\d+ in [A-Z]|tid=\d+ [A-Z_]+$))',
    re.M,
)
"""the same with whatever stands before it on its line"""
INFO_ATTRIBUTES = lazy_pattern(
    r'" (?:daemon )?(?:prio=\d+ )?(?:Id=-?\d+ |id=\d+ in [A-Z]|tid=\d+ [A-Z_]+$)', re.M
)
"""what stands in all of those behind the name; it is found ten times as fast, as it begins with no line"""
INDENTED_HEADER = lazy_pattern(r'^(?P<blanks>[ \t]*)"[^\n]*\n\s+java\.lang\.Thread\.State: ', re.M)
INFO_MARKS = ('" Id=', '" daemon Id=', '" id=', '" prio=', '" daemon prio=', '" [Internal] cpuUsage=')
"""what stands behind a name in such a header, and in that of a heap viewer; all are rare in logs"""
INFO_LOCK = lazy_pattern(
    r"^\s*-\s+(?P<kind>waiting on|blocked on|locked) (?P<class>[^\s@]+)@(?P<hash>[0-9a-f]{1,16})\b.*$"
)
INFO_SYNCHRONIZERS = lazy_pattern(r"^\s*Number of locked synchronizers = \d+")
INFO_SYNCHRONIZER = lazy_pattern(r"^\s*-\s+(?P<class>[^\s@]+)@(?P<hash>[0-9a-f]{1,16})\s*$")
# VisualVM and NetBeans, of the threads in a heap dump: x" daemon prio=5 tid=529 RUNNABLE
VIEWER_HEADER = lazy_pattern(
    rf'^(?P<name>.*)"(?P<daemon> daemon)? prio=\d+ tid=(?P<id>\d{{1,18}})(?: (?P<state>{_STATES}|UNKNOWN))?\s*$',
    re.I,
)
# older VisualVM, and programs that print ThreadInfo by the sample of java.lang.management: x" id=3 in TIMED_WAITING
MANAGED_HEADER = lazy_pattern(
    rf'^(?P<name>.*)" id=(?P<id>\d{{1,18}}) in (?P<state>{_STATES})(?: on lock=(?P<object>\S+))?'
    r"(?: ?\((?:suspended|running in native)\))*\s*$"
)
# Memory Analyzer, of the threads in a heap dump; methods have their JVM signature
MAT_FRAME = lazy_pattern(r"^\s+at (?P<method>[\w.$<>/+-]+)\([^()\s]*\)[\w/$;\[]+ \((?P<where>[^()]*)\)\s*$")
MAT_MARK = lazy_pattern(r"^\s+at [\w.$<>/+-]+\([^()\s]*\)(?:V|[BCDFIJSZ\[]|L[\w/$]+;)[^\s()]* \(", re.M)
JVM_SIGNATURE = lazy_pattern(r"\)[VBCDFIJSZ\[L]")
"""stands in all of those; it is found ten times as fast, as it begins with no line"""
# a header of which a hand left the name and perhaps an id
CUT_HEADER = lazy_pattern(r'^(?P<name>[^"\n]{1,300})"(?P<rest>(?!:\s*$)[^"\n]{0,300})$')
CUT_ATTRIBUTES = lazy_pattern(
    r"#(?P<id>\d{1,18})\b|tid=(?P<tid>0x[0-9a-fA-F]{1,16})\b|nid=(?P<nid>0x[0-9a-fA-F]{1,16}|\d{1,18})\b"
)
FRAME_LINE = lazy_pattern(rf"^\s+{FRAME}")
OF_STACK = lazy_pattern(
    rf"\s+(?:{FRAME}|- (?:locked|waiting|parking|eliminated)\b|java\.lang\.Thread\.State: )"
)
"""a line of a thread below its header"""
# signs of a quotation or of code before a header alone, while the lines below it have none
SIGNS_BEFORE_HEADER = lazy_pattern(r'^[>`][>` ]*(?="[^\n]*\n(?!>))', re.M)
# the same of a list, or blanks; the line of state below stands where the JVM put it, or at the list's indentation
SIGNED_HEADER = lazy_pattern(
    r'^(?P<signs>[ \t]*(?:(?:[-*+•·–]|\d{1,5}[.)])[ \t]+)?)"(?P<header>[^\n]{1,600})\n'
    rf"(?P<below>[ \t]*){re.escape(STATE_MARK)}",
    re.M,
)
SIGNS_OF_LIST = lazy_pattern(r'^[ \t]*(?:(?:[-*+•·–]|\d{1,5}[.)])[ \t]+)?(?="(?P<header>[^\n]{1,600})$)', re.M)
FIRST_HEADER = lazy_pattern(r'\A(?P<blank>\s*)[>` ]*(?P<header>[^"\n]{1,300}" [^\n]*)')
"""a first line that lost its opening quote when it was copied"""
UNITS = {"B": 1, "K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}
# some viewers put all of a thread's entry on one line: x":waiting to lock monitor …,which is held by "y"
DEADLOCK_NAME = lazy_pattern(r'^(?P<name>.*)":\s*(?:waiting (?:to lock|for) .*)?$')
HELD_BY = lazy_pattern(r'which is held by "(?P<name>.*)"\s*$', re.M)

STATE_LINE = lazy_pattern(r"java\.lang\.Thread\.State: (?P<state>[A-Z_]+)(?: \((?P<detail>[^)]*)\))?")
LOCK_LINE = lazy_pattern(
    r"- (?P<kind>locked|waiting to lock|waiting on|waiting to re-lock in wait\(\)|parking to wait for"
    r"|eliminated)\s+<(?P<object>[^>]*)>(?: \((?:a|an) (?P<class>[^)]*)\))?(?P<rest>.*)$"
)
# debuggers name the thread that has the lock: waiting for main@1 to release lock on <0x26f1> (a java.lang.Object)
RELEASE_LINE = lazy_pattern(
    r"waiting for \S.{0,300} to release lock on <(?P<object>[^>]*)>(?: \((?:a|an) (?P<class>[^)]*)\))?"
)
# JDK 17 and later; older ones say "in Object.wait()" of a thread that is RUNNABLE, and no more
CLASS_INIT_LINE = lazy_pattern(r"- waiting on the Class initialization monitor for (?P<class>\S+)")
SYNCHRONIZER_LINE = lazy_pattern(r"- <(?P<object>[^>]*)> \((?:a|an) (?P<class>[^)]*)\)")
CARRYING_LINE = lazy_pattern(r"Carrying virtual thread #(?P<id>\d{1,18})\b")
MOUNTED_LINE = lazy_pattern(r"Mounted virtual thread .*?#(?P<id>\d{1,18})\b")
# HotSpot prints the module inside the parentheses, Throwable and ThreadDumper before the class
MODULE_IN_LOCATION = lazy_pattern(r"\([\w.$]+(?:@[\w.+-]+)?/")
# Works$$Lambda$34/0x00007fa0b0012410 and, up to JDK 8, Works$$Lambda$1383/705970374
HIDDEN_CLASS = lazy_pattern(r"(\$\$Lambda)?(?:\$\d+)?/0x[0-9a-fA-F]+|(\$\$Lambda)\$\d+/\d+")
# jhsdb and `jstack -F`: " - java.lang.Thread.sleep(long) @bci=0, line=12 (Interpreted frame)"
AGENT_FRAME = lazy_pattern(
    r"^- (?P<method>[\w.$<>/+-]+)\([^)]*\) @bci=-?\d+(?:, line=(?P<line>\d+))?.*\((?P<how>[\w ]+)(?:;.*)?\)?\s*$"
)
AGENT_HEADER = lazy_pattern(r"^Thread (?P<nid>\d+): \(state = (?P<state>\w+)\)", re.M)

# Thread.dump_to_file, text: 21 prints id, name, "virtual"; 25 adds state and instant
FILE_HEADER = lazy_pattern(
    r'^#(?P<id>\d{1,18}) "(?P<name>.*)"(?P<virtual> virtual)?(?: (?P<state>NEW|RUNNABLE|BLOCKED|WAITING|TIMED_WAITING|'
    r"TERMINATED))?(?: (?P<time>\d{4}-\d\d-\d\dT[\d:.]+Z))?\s*$"
)
FILE_HEAD = lazy_pattern(
    r"\A﻿?(?P<pid>\d{1,10})\r?\n(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)\r?\n(?P<jvm>[^\r\n]{1,100})\r?\n"
)
JSON_MARK = '"threadDump"'
# tags of OpenJ9's javacore: its title, or threads, monitors or a deadlock of one that lacks its beginning
JAVACORE_TAG = lazy_pattern(
    r"^(?:0SECTION +TITLE|1TISIGINFO|3XMTHREADINFO +\"|3LKMONOBJECT +\S+@0x|2LKDEADLOCKTHR +Thread \")", re.M
)
JAVACORE_MARKS = ("0SECTION", "1TISIGINFO", "3XMTHREADINFO", "3LKMONOBJECT", "2LKDEADLOCKTHR")
"""one of which each of these tags begins with"""

HEAP_MAGIC = b"JAVA PROFILE 1.0"
# what jstack, jcmd and jhsdb print instead of a dump
FAILED_CAPTURE = lazy_pattern(
    r"(?:Unable to open socket file|target process (?:not responding|doesn't respond)|No such process"
    r"|well-known file .* is not secure|Connection refused|DebuggerException|AttachNotSupportedException"
    r"|Error attaching to process|Operation not permitted|Could not find any processes matching"
    r"|insufficient memory or insufficient privileges|Can't attach|not found in the PATH|command not found)[^\n]{0,200}"
)

# what stands before a dump's first mark, where no collector of `mqdiag/read/wrappers.py` wrote it
DOCKER_JSON = lazy_pattern(r'^\s*\{"(?:log|time|stream|attrs)":')
LINE_PREFIXES = (
    *NAMED,
    # kubectl logs --timestamps, docker logs -t, and most collectors
    lazy_pattern(
        r"^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z| ?[+-]\d\d:?\d\d)?\]?(?: \| | - |: | )?"
    ),
    lazy_pattern(r"^\[\d\d:\d\d:\d\d(?:[.,]\d+)?\] ?"),
    QUOTES,
    # cat -n, grep -n
    lazy_pattern(r"^ {0,6}\d+[:\t]"),
)
HTML_MARKS = ("&quot;", "&lt;0x", "&#34;", "&#x22;")


def is_dump_file(head: bytes) -> bool:
    """Whether text begins as `Thread.dump_to_file` does; JDK 25 puts a time on each thread, as a log does."""
    return FILE_HEAD.match(head[:400].decode(errors="replace")) is not None
