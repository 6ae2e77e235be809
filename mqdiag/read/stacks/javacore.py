"""A javacore, the thread dump of an OpenJ9 JVM, to the form of jstack.

    3XMTHREADINFO      "main" J9VMThread:0x0F01, omrthread_t:0x11, java/lang/Thread:0xE0, state:P, prio=5
    3XMJAVALTHREAD            (java/lang/Thread getId:0x1, isDaemon:false)
    3XMTHREADINFO1            (native thread ID:0x814, native priority:0x5, ..., vmstate:P, ...)
    3XMCPUTIME               CPU usage total: 0.639604100 secs, ...
    3XMTHREADBLOCK     Blocked on: java/lang/Object@0xC0 Owned by: "other" (J9VMThread:0x0F02, java/lang/Thread:0xE1)
    4XESTACKTRACE                at com/acme/Shop.run(Shop.java:12(Compiled Code))
    5XESTACKTRACE                   (entered lock: java/util/HashMap@0xC8, entry count: 1)

A part of one without threads names them among its monitors, or in a deadlock that the JVM found:

    3LKMONOBJECT       com/acme/Clock@0xC0: Flat locked by "a" (J9VMThread:0x0F01), entry count 1
    3LKWAITER                "b" (J9VMThread:0x0F02)
    2LKDEADLOCKTHR  Thread "a" (0x0F01)
    4LKDEADLOCKOBJ      com/acme/Clock@0xC0
    3LKDEADLOCKOWN    which is owned by:

Source: the "Java dump" page of OpenJ9's documentation, javadump.cpp of OpenJ9. A javacore does not tell whether a wait
has a timeout, for which the frames are asked, and it leaves out virtual threads that are on no carrier.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from mqdiag.read.stacks.patterns import DUMP_MARK, STATE_MARK, SYNCHRONIZERS_MARK
from mqdiag.text import Text, say

END_MARK = "END OF DUMP"
_HEAD = 64 << 10
"""characters in which the title section stands"""
_THREAD = re.compile(
    r'^3XMTHREADINFO +"(?P<name>.{0,300})" J9VMThread:(?P<id>0x[0-9A-Fa-f]{1,16}),.*?\bstate:(?P<state>\w{1,2})\b'
)
_OTHER_THREAD = re.compile(r"^3XMTHREADINFO ")
_JAVA_ID = re.compile(
    r"^3XMJAVALTHREAD .*\bgetId:0x(?P<id>[0-9A-Fa-f]{1,15})\b.*?(?:isDaemon:(?P<daemon>true|false))?\)"
)
_NATIVE_ID = re.compile(r"^3XMTHREADINFO1 .*\bnative thread ID:(?P<id>0x[0-9A-Fa-f]{1,15})\b")
_CPU = re.compile(r"^3XMCPUTIME +CPU usage total: (?P<seconds>\d{1,9}\.\d{1,9}) secs")
_BLOCK = re.compile(
    r"^3XMTHREADBLOCK +(?P<kind>Blocked|Waiting|Parked) on: (?P<class>[^\s@]{1,300})@(?P<object>0x[0-9A-Fa-f]{1,16})"
    r'(?: Owned by: (?:".{0,300}" \(J9VMThread:(?P<owner>0x[0-9A-Fa-f]{1,16}))?)?'
)
_FRAME = re.compile(r"^4XESTACKTRACE +at (?P<method>[^\s()]{1,500})\((?P<place>[^)\n(]{0,200})")
_ENTERED = re.compile(
    r"^5XESTACKTRACE +\(entered lock: (?P<class>[^\s@]{1,300})@(?P<object>0x[0-9A-Fa-f]{1,16}),"
)
_MONITOR = re.compile(
    r"^3LKMONOBJECT +(?P<class>[^\s@]{1,300})@(?P<object>0x[0-9A-Fa-f]{1,16}): (?:Flat locked by|owner)"
    r' "(?P<name>.{0,300})" \((?:J9VMThread:)?(?P<id>0x[0-9A-Fa-f]{1,16})\)'
)
_OTHER_MONITOR = re.compile(r"^[23]LKMON")
_WAITER = re.compile(r'^3LKWAITER +"(?P<name>.{0,300})" \((?:J9VMThread:)?(?P<id>0x[0-9A-Fa-f]{1,16})\)')
_DEADLOCKED = re.compile(
    r'^2LKDEADLOCKTHR +Thread "(?P<name>.{0,300})" \((?:J9VMThread:)?(?P<id>0x[0-9A-Fa-f]{1,16})\)'
)
_WANTED = re.compile(r"^4LKDEADLOCKOBJ +(?P<class>[^\s@]{1,300})@(?P<object>0x[0-9A-Fa-f]{1,16})")
_JVM = re.compile(r"^1CIJAVAVERSION +(?P<name>.{1,150}?)\s*$", re.M)
_PID = re.compile(r"^1CIPROCESSID +Process ID: (?P<pid>\d{1,9})\b", re.M)
_DATE = re.compile(r"^1TIDATETIME +Date: (\d{4})/(\d\d)/(\d\d) at (\d\d:\d\d:\d\d)", re.M)
_UTC = re.compile(r"^1TIDATETIMEUTC Date: (\d{4})/(\d\d)/(\d\d) at (\d\d:\d\d:\d\d):(\d{3}) \(UTC\)", re.M)
_HEAP_SIZE = re.compile(
    r"^(?:1STHEAPTOTAL +Total memory|1STMEMUSAGE +Total memory available): +(?P<bytes>\d{1,18})\b", re.M
)
_HEAP_USED = re.compile(r"^(?:1STHEAPINUSE|1STMEMUSAGE) +Total memory in use: +(?P<bytes>\d{1,18})\b", re.M)
"""the object memory, in the tags of newer and older JVMs"""
_LOCK_LINES = {"Blocked": "waiting to lock", "Waiting": "waiting on", "Parked": "parking to wait for "}
_STATES = {"R": "RUNNABLE", "B": "BLOCKED (on object monitor)", "S": "RUNNABLE", "Z": "TERMINATED"}
_METHODS = {
    "java.lang.Object.waitImpl": "java.lang.Object.wait",
    "java.lang.Thread.sleepImpl": "java.lang.Thread.sleep",
    "java.lang.Thread.sleepNanosImpl": "java.lang.Thread.sleep",
}
"""native methods of OpenJ9, by the names that HotSpot has for them"""
_LONGEST_LINE = 4096
_TIMED = (".parkNanos", ".parkUntil", ".awaitNanos", ".sleepNanos")


@dataclass
class _Thread:
    name: str
    address: str
    state: str
    java_id: int | None = None
    daemon: bool = False
    native_id: str | None = None
    cpu_ms: float | None = None
    block: re.Match[str] | None = None
    frames: list[str] = field(default_factory=list)
    """with the lines of locks that a frame has entered behind it, or with the lines of locks alone"""


def captured_at(text: str) -> str | None:
    """The instant of the dump as RFC 3339; None where only a local time is there."""
    found = _UTC.search(text, 0, _HEAD)
    return None if found is None else "{}-{}-{}T{}.{}Z".format(*found.groups())


def process_id(text: str) -> int | None:
    """The id of the process; None when the section of the environment is missing."""
    found = _PID.search(text)
    return None if found is None else int(found["pid"])


def heap_bytes(text: str) -> tuple[int | None, int | None]:
    """(in use, size now) of the heap; None where the memory section does not tell."""
    used, size = (pattern.search(text) for pattern in (_HEAP_USED, _HEAP_SIZE))
    return (None if used is None else int(used["bytes"])), (None if size is None else int(size["bytes"]))


def problem_of(text: str) -> Text | None:
    """Why it does not show all that its threads did; None for a whole one."""
    if next(_threads(text), None) is None:
        return say(
            "it names threads beside its monitors, and its section of threads with their frames is missing"
        )
    return None if END_MARK in text else say("the end of the javacore is missing")


def as_jstack(text: str) -> str:
    """The same threads as `jstack -l` prints them."""
    threads = list(_threads(text)) or _threads_of_monitors(text)
    owned: dict[str, list[tuple[str, str]]] = {}
    for thread in threads:
        block = thread.block
        if block is not None and block["kind"] == "Parked" and block["owner"]:
            held = (block["object"].lower(), _dotted(block["class"]))
            if held not in owned.setdefault(block["owner"], []):
                owned[block["owner"]].append(held)
    date, jvm = _DATE.search(text, 0, _HEAD), _JVM.search(text)
    out = ["{}-{}-{} {}\n".format(*date.groups())] if date else []
    out.append(f"{DUMP_MARK} {jvm['name'] if jvm else 'OpenJ9'}:\n\n")
    for thread in threads:
        out += _written(thread, owned.get(thread.address, []))
    return "".join(out)


def _threads(text: str) -> Iterator[_Thread]:
    """Threads that Java knows, each once: the current one stands in a section of its own too."""
    seen: set[str] = set()
    thread: _Thread | None = None
    for line in text.split("\n"):
        if not line.startswith(("3XM", "4XE", "5XE")) or len(line) > _LONGEST_LINE:
            continue
        if _OTHER_THREAD.match(line):
            if thread is not None:
                yield thread
            found = _THREAD.match(line)
            thread = None
            if found is not None and found["id"] not in seen:
                seen.add(found["id"])
                thread = _Thread(found["name"], found["id"], found["state"])
        elif thread is not None:
            _take(thread, line)
    if thread is not None:
        yield thread


def _threads_of_monitors(text: str) -> list[_Thread]:
    """Threads before and behind monitors, without frames, for a text that has no section of threads."""
    threads: dict[str, _Thread] = {}
    held: tuple[str, str] | None = None
    """object and class of the monitor above"""
    wanted: tuple[str, str] | None = None
    """the same of a deadlock, whose owner comes below"""
    last: _Thread | None = None

    def known(found: re.Match[str]) -> _Thread:
        return threads.setdefault(found["id"], _Thread(found["name"], found["id"], "R"))

    for line in text.split("\n"):
        if "LK" not in line[:3] or len(line) > _LONGEST_LINE:
            continue
        if (found := _MONITOR.match(line)) is not None:
            held = found["object"].lower(), _dotted(found["class"])
            _owns(known(found), held)
        elif _OTHER_MONITOR.match(line):
            held = None
        elif held is not None and (found := _WAITER.match(line)) is not None:
            _wants(known(found), held)
        elif (found := _DEADLOCKED.match(line)) is not None:
            last = known(found)
            if wanted is not None:
                _owns(last, wanted)
                wanted = None
        elif last is not None and (found := _WANTED.match(line)) is not None:
            wanted = found["object"].lower(), _dotted(found["class"])
            _wants(last, wanted)
    return list(threads.values())


def _owns(thread: _Thread, lock: tuple[str, str]) -> None:
    line = f"\t- locked <{lock[0]}> (a {lock[1]})\n"
    if line not in thread.frames:
        thread.frames.append(line)


def _wants(thread: _Thread, lock: tuple[str, str]) -> None:
    line = f"\t- {_LOCK_LINES['Blocked']} <{lock[0]}> (a {lock[1]})\n"
    if line not in thread.frames:
        thread.state = "B"
        thread.frames.insert(0, line)


def _take(thread: _Thread, line: str) -> None:
    if (frame := _FRAME.match(line)) is not None:
        method = _dotted(frame["method"])
        place = frame["place"].strip() or "Unknown Source"
        thread.frames.append(f"\tat {_METHODS.get(method, method)}({place})\n")
    elif (entered := _ENTERED.match(line)) is not None:
        thread.frames.append(f"\t- locked <{entered['object'].lower()}> (a {_dotted(entered['class'])})\n")
    elif (block := _BLOCK.match(line)) is not None:
        thread.block = block
    elif (java_id := _JAVA_ID.match(line)) is not None:
        thread.java_id, thread.daemon = int(java_id["id"], 16), java_id["daemon"] == "true"
    elif (native := _NATIVE_ID.match(line)) is not None:
        thread.native_id = native["id"].lower()
    elif (cpu := _CPU.match(line)) is not None:
        thread.cpu_ms = 1000 * float(cpu["seconds"])


def _written(thread: _Thread, owned: list[tuple[str, str]]) -> Iterator[str]:
    number = "" if thread.java_id is None else f" #{thread.java_id}"
    daemon = " daemon" if thread.daemon else ""
    cpu = "" if thread.cpu_ms is None else f" cpu={thread.cpu_ms:.2f}ms"
    native = "" if thread.native_id is None else f" nid={thread.native_id}"
    yield f'"{thread.name}"{number}{daemon}{cpu} tid={thread.address.lower()}{native}\n'
    yield f"   {STATE_MARK}{_state(thread)}\n"
    block = thread.block
    for place, line in enumerate(thread.frames):
        yield line
        if place == 0 and block is not None:
            kind = _LOCK_LINES[block["kind"]]
            yield f"\t- {kind} <{block['object'].lower()}> (a {_dotted(block['class'])})\n"
    yield "\n"
    if owned:
        yield f"   {SYNCHRONIZERS_MARK}\n"
        for address, class_name in owned:
            yield f"\t- <{address}> (a {class_name})\n"
        yield "\n"


def _state(thread: _Thread) -> str:
    """Thread.State in jstack's words; the frames tell which waits have a timeout."""
    known = _STATES.get(thread.state)
    if known is not None:
        return known
    timed = any(mark in frame for frame in thread.frames[:8] for mark in _TIMED)
    if thread.state == "P":
        return "TIMED_WAITING (parking)" if timed else "WAITING (parking)"
    top = thread.frames[0] if thread.frames else ""
    if "java.lang.Thread.sleep" in top:
        return "TIMED_WAITING (sleeping)"
    # CW is also the state of a thread that waits inside a native method, as in a read of a socket.
    return "WAITING (on object monitor)" if thread.block is not None or "Object.wait" in top else "RUNNABLE"


def _dotted(name: str) -> str:
    return name.replace("/", ".")
