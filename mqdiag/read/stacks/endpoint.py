"""JSON of Spring Boot's `threaddump` endpoint, which has the fields of `java.lang.management.ThreadInfo`.

Boot 2 and 3 put the list under "threads", Boot 1 (`/dump`) gives the bare list. What `curl -i` and `curl -v` print
around an answer may stand around it.
"""

from __future__ import annotations

from typing import Any

import msgspec

from mqdiag.errors import InputError
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.text import say

MARK = '"threadName"'
HEAD = 4 << 10
"""characters in which the first thread's name stands; its stack may come before"""


_ANSWER = lazy_pattern(r'(?m)^(?:\{\s*"|\[\s*\{)')
"""the first line of an answer"""
_OF_CURL = ("HTTP/", "% Total")
"""words of the lines that curl prints before one"""


def is_endpoint_json(head: str) -> bool:
    """Whether text begins like such JSON."""
    if MARK not in head[: 3 * HEAD] or '"threadState"' not in head:
        return False
    start = head[_begin(head) :].lstrip()[:HEAD]
    return start.startswith(("{", "[")) and MARK in start


def is_before_answer(head: str) -> bool:
    """Whether text is what curl prints before an answer, which has no end of a line itself."""
    return len(head) < HEAD and MARK not in head and any(word in head for word in _OF_CURL)


def _begin(text: str) -> int:
    """Where the answer begins, behind what curl printed before it."""
    head = text[: 2 * HEAD]
    if head.lstrip().startswith(("{", "[")):
        return 0
    found = _ANSWER.search(head) if any(word in head for word in _OF_CURL) else None
    return 0 if found is None else found.start()


def as_thread_info(label: str, text: str) -> str:
    """The threads in the form of `ThreadInfo.toString()`.

    Raises:
        InputError: the JSON is damaged.
    """
    begin = _begin(text)
    if begin:
        text = text[begin : max(text.rfind("}"), text.rfind("]")) + 1]
    try:
        given = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise InputError(label, say("is damaged JSON of a thread dump: {error}", error=str(error))) from None
    threads = given.get("threads") if isinstance(given, dict) else given
    return "".join(_thread(one) for one in _list(threads) if isinstance(one, dict))


def _thread(one: dict[str, Any]) -> str:
    name = str(one.get("threadName", "")).replace("\n", " ")
    number = one.get("threadId")
    waits = f" on {one['lockName']}" if one.get("lockName") else ""
    owner = one.get("lockOwnerName")
    owned = f' owned by "{owner}" Id={one.get("lockOwnerId", -1)}' if owner else ""
    daemon = " daemon" if one.get("daemon") is True else ""
    java_id = number if isinstance(number, int) else -1
    out = [f'"{name}"{daemon} Id={java_id} {one.get("threadState", "")}{waits}{owned}\n']
    monitors: dict[int, list[dict[str, Any]]] = {}
    for monitor in _list(one.get("lockedMonitors")):
        if isinstance(monitor, dict) and isinstance(monitor.get("lockedStackDepth"), int):
            monitors.setdefault(monitor["lockedStackDepth"], []).append(monitor)
    for depth, frame in enumerate(_list(one.get("stackTrace"))):
        if not isinstance(frame, dict):
            continue
        out.append(f"\tat {frame.get('className')}.{frame.get('methodName')}({_where(frame)})\n")
        out += [f"\t-  locked {_object(monitor)}\n" for monitor in monitors.get(depth, ())]
    held = [lock for lock in _list(one.get("lockedSynchronizers")) if isinstance(lock, dict)]
    if held:
        out.append(f"\n\tNumber of locked synchronizers = {len(held)}\n")
        out += [f"\t- {_object(lock)}\n" for lock in held]
    return "".join(out) + "\n"


def _where(frame: dict[str, Any]) -> str:
    if frame.get("nativeMethod") is True:
        return "Native Method"
    file, line = frame.get("fileName"), frame.get("lineNumber")
    if not isinstance(file, str):
        return "Unknown Source"
    return f"{file}:{line}" if isinstance(line, int) and line >= 0 else file


def _object(lock: dict[str, Any]) -> str:
    number = lock.get("identityHashCode")
    return f"{lock.get('className')}@{number if isinstance(number, int) else 0:x}"


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
