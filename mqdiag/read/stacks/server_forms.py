"""Threads as servers and old debuggers print them, to the form of `ThreadInfo.toString()` or of jstack.

- `/stacks` of Hadoop, HBase, Alluxio and Ratis, and the dumps that they write into their logs.
- The watchdog of Spigot and Paper, line by line in the log of a game server.
- `ServerInfo.listThreadDump` of JBoss AS 4 to 6.
- What debuggers of IntelliJ exported before they wrote names in quotes, to the form that they write now.

Source: org.apache.hadoop.util.ReflectionUtils.printThreadInfo, org.spigotmc.WatchdogThread.dumpThread,
org.jboss.system.server.ServerInfo.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from re import Match

from mqdiag.lazy_pattern import lazy_pattern

_FRAME = lazy_pattern(r"^\s*(?:at )?(?P<frame>(?:[\w.@+-]+/)*[\w.$<>/]+\.[\w$<>]+\([^()]{1,300}\))\s*$")

HADOOP_MARK = "Process Thread Dump: "
_HADOOP_THREAD = lazy_pattern(r"^\s*Thread (?P<id>\d{1,18}) \((?P<name>.{1,300})\):?\s*$")
_HADOOP_FIELD = lazy_pattern(
    r"^\s+(?P<key>State|Blocked on|Blocked by|Waiting on|Blocked count|Waited count|Stack):? ?(?P<value>.{0,400})$"
)
_HADOOP_OWNER = lazy_pattern(r"^(?P<id>\d{1,18}) \((?P<name>.{1,300})\)\s*$")

_WATCHDOG_MARK = "Current Thread: "
_WATCHDOG_THREAD = lazy_pattern(r"^(?:\[[^\]\n]{1,100}\]:? ?){0,4}Current Thread: (?P<name>.{1,300}?)\s*$")
_WATCHDOG_STATE = lazy_pattern(
    r"PID: (?P<id>\d{1,18}) \\?\| Suspended: \w+ \\?\| Native: \w+ \\?\| State: (?P<state>[A-Z_]+)"
)
_WATCHDOG_PREFIX = lazy_pattern(r"^(?:\[[^\]\n]{1,100}\]:? ?){1,4}")

_JBOSS_MARK = ", demon:"
_JBOSS_THREAD = lazy_pattern(
    r"^\s*(?:<b>)?Thread:(?:</b>)? (?P<name>.{1,300}?) : priority:\d{1,2}, demon:(?:true|false)"
    r"(?:, threadId:(?P<id>\d{1,18}))?(?:, threadState:(?P<state>[A-Z_]+))?"
    r"(?:, threadLockName:(?P<object>\S{1,300}))?\s*$"
)

_EXPORT_MARK = ", in group '"
_EXPORT_THREAD = lazy_pattern(
    r"^\s*(?P<name>[^\s\"].{0,300}?@\d{1,9})(?P<daemon> daemon)?, prio=(?P<prio>\d{1,2}), in group '[^'\n]{0,100}',"
    r" status: '(?P<status>[A-Z_]{1,20})'\s*$"
)
_EXPORT_STATES = {
    "RUNNING": ("runnable", "RUNNABLE"),
    "WAIT": ("waiting", "WAITING"),
    "SLEEPING": ("sleeping", "TIMED_WAITING"),
    "MONITOR": ("waiting for monitor entry", "BLOCKED"),
}


def converter(head: str) -> Callable[[str], str] | None:
    """What makes the form of ThreadInfo of a text; None where it is none of these."""
    if HADOOP_MARK in head and _any_line(head, _HADOOP_THREAD.match):
        return _of_hadoop
    if _WATCHDOG_MARK in head and _WATCHDOG_STATE.search(head) is not None:
        return _of_watchdog
    if _JBOSS_MARK in head and _any_line(head, _JBOSS_THREAD.match):
        return _of_jboss
    if _EXPORT_MARK in head and _any_line(head, _EXPORT_THREAD.match):
        return _of_export
    return None


def _any_line(text: str, match: Callable[[str], Match[str] | None]) -> bool:
    return any(match(line) is not None for line in text.split("\n"))


def _of_hadoop(text: str) -> str:
    return "\n".join(_hadoop_lines(text.split("\n")))


def _hadoop_lines(lines: list[str]) -> Iterator[str]:
    thread: Match[str] | None = None
    values: dict[str, str] = {}
    in_stack = False
    for line in lines:
        found = _HADOOP_THREAD.match(line)
        if found is not None:
            thread, values, in_stack = found, {}, False
            continue
        field = _HADOOP_FIELD.match(line) if thread is not None and not in_stack else None
        if field is not None and thread is not None:
            values[field["key"]] = field["value"].strip()
            if field["key"] == "Stack":
                in_stack = True
                yield _hadoop_header(thread, values)
            continue
        frame = _FRAME.match(line) if in_stack else None
        if frame is not None:
            yield f"\tat {frame['frame']}"
            continue
        thread, in_stack = None, False
        yield line


def _hadoop_header(thread: Match[str], values: dict[str, str]) -> str:
    waits = values.get("Blocked on") or values.get("Waiting on")
    owner = _HADOOP_OWNER.match(values.get("Blocked by", ""))
    return _header(thread["name"], thread["id"], values.get("State"), waits, owner)


def _header(
    name: str, number: str | None, state: str | None, waits: str | None = None, owner: Match[str] | None = None
) -> str:
    parts = [f'\n"{name}" Id={number or -1} {state or ""}'.rstrip()]
    if waits and "@" in waits and " " not in waits:
        parts.append(f" on {waits}")
        if owner is not None:
            parts.append(f' owned by "{owner["name"]}" Id={owner["id"]}')
    return "".join(parts)


def _of_watchdog(text: str) -> str:
    return "\n".join(_watchdog_lines(text.split("\n")))


def _watchdog_lines(lines: list[str]) -> Iterator[str]:
    """Frames count below a thread alone: the watchdog prints stacks of other things before it."""
    name: str | None = None
    in_stack = False
    for line in lines:
        found = _WATCHDOG_THREAD.match(line)
        if found is not None:
            name, in_stack = found["name"], False
            continue
        if name is None:
            yield line
            continue
        plain = _WATCHDOG_PREFIX.sub("", line)
        state = _WATCHDOG_STATE.search(plain)
        if state is not None:
            yield _header(name, state["id"], state["state"])
            in_stack = True
            continue
        frame = _FRAME.match(plain) if in_stack else None
        if frame is not None:
            yield f"\tat {frame['frame']}"
        elif plain.startswith("---"):
            name, in_stack = None, False


def _of_jboss(text: str) -> str:
    return "\n".join(_jboss_lines(text.split("\n")))


def _jboss_lines(lines: list[str]) -> Iterator[str]:
    in_thread = False
    for line in lines:
        found = _JBOSS_THREAD.match(line)
        if found is not None:
            in_thread = True
            yield _header(found["name"], found["id"], found["state"], found["object"])
            continue
        frame = _FRAME.match(line) if in_thread else None
        if frame is not None:
            yield f"\tat {frame['frame']}"
        elif not line.strip():
            in_thread = False
            yield line


def _of_export(text: str) -> str:
    return "\n".join(map(_export_line, text.split("\n")))


def _export_line(line: str) -> str:
    found = _EXPORT_THREAD.match(line)
    if found is None:
        return line
    words, state = _EXPORT_STATES.get(found["status"], ("unknown", ""))
    header = f'"{found["name"]}"{found["daemon"] or ""} prio={found["prio"]} tid=0x1 nid=NA {words}'
    return f"{header}\n  java.lang.Thread.State: {state}" if state else header
