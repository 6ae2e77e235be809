"""Threads in the forms of tools, to the form of jstack.

- `ThreadInfo.toString()`: Dubbo, Druid, arthas `thread -n`, `thread -b` and `thread ID`, management endpoints.
- Threads of a heap dump as VisualVM and NetBeans show them, with local variables between the frames.
- Threads as older VisualVM printed them, with their state in the header.
- A header of jstack that was shortened by hand.

Source: java.lang.management.ThreadInfo of JDK 8 to 25, `ThreadUtil.getFullStacktrace` of arthas 3.
"""

from __future__ import annotations

import re
from sys import intern

from mqdiag.read.stacks import patterns
from mqdiag.read.stacks.header import NO_STACK
from mqdiag.read.stacks.records import ThreadRecord

_KINDS = {"waiting on": "waiting on", "blocked on": "waiting to lock", "locked": "locked"}
_PARK = ".park("
LONGEST_HEADER = 2 << 10
"""characters; the patterns try each quote of a header, again and again where it names an owner"""


def as_jstack(header: str, body: str) -> tuple[ThreadRecord, str] | None:
    """A thread without its stack, and the lines below it as jstack prints them; None when it is no such header.

    Args:
        header: the first line, its opening quote taken off.
        body: the lines below it.
    """
    if len(header) > LONGEST_HEADER:
        return None
    found = patterns.INFO_HEADER.match(header)
    if found is not None:
        return _of_info(found, body)
    found = patterns.VIEWER_HEADER.match(header)
    if found is not None:
        thread = ThreadRecord(
            intern(found["name"]), NO_STACK, java_id=int(found["id"]), daemon=found["daemon"] is not None
        )
        return thread, _state_line(found["state"]) + body
    found = patterns.MANAGED_HEADER.match(header)
    if found is not None:
        return _of_managed(found, body)
    first = body.split("\n", 1)[0]
    if not (first.lstrip().startswith(patterns.STATE_MARK) or patterns.FRAME_LINE.match(first)):
        return None
    found = patterns.CUT_HEADER.match(header)
    return None if found is None else (_of_cut_header(found), body)


def _of_managed(found: re.Match[str], body: str) -> tuple[ThreadRecord, str]:
    """A thread whose header has its state and what it waits on; the frames below it are those of any dump."""
    thread = ThreadRecord(intern(found["name"]), NO_STACK, java_id=int(found["id"]))
    parked = _PARK in body.split("\n", 1)[0]
    lines = body.split("\n")
    class_name, _, identity = (found["object"] or "").rpartition("@")
    if class_name and lines:
        kind = "waiting to lock" if found["state"] == "BLOCKED" else "waiting on"
        lines.insert(1, _lock_line(kind, class_name, identity, parked=parked).rstrip("\n"))
    return thread, _state_line(found["state"], parked=parked) + "\n".join(lines)


def with_state(header: str, body: str) -> str:
    """The lines below a header with a line of state, where only the header tells it, as in dumps before Java 6."""
    first = body[:80].lstrip()
    if not first.startswith(("at ", "- ")):
        return body
    rest = header.rpartition('"')[2]
    state = next((state for words, state in patterns.HEADER_STATES if words in rest), None)
    if state is None:
        return body
    if first.startswith("at java.lang.Thread.sleep("):
        state = "TIMED_WAITING (sleeping)"
    return f"   {patterns.STATE_MARK}{state}\n{body}"


def is_viewers(thread: ThreadRecord) -> bool:
    """Whether a header that looks like jstack's has a heap viewer's number of the thread in place of an address."""
    return thread.nid is None and thread.tid is not None and not thread.tid.startswith("0x")


def begins(line: str) -> bool:
    """Whether a line, its opening quote taken off, is the header of such a tool."""
    forms = (patterns.INFO_HEADER, patterns.VIEWER_HEADER, patterns.MANAGED_HEADER)
    return len(line) <= LONGEST_HEADER and any(form.match(line) is not None for form in forms)


def of_deadlock(name: str, body: str) -> tuple[ThreadRecord, str]:
    """A thread that only the JVM's deadlock section shows, which prints frames without a state."""
    state = "WAITING (parking)" if "- parking to wait for" in body else "BLOCKED (on object monitor)"
    return ThreadRecord(intern(name), NO_STACK), f"   {patterns.STATE_MARK}{state}\n{body}"


def _of_info(found: re.Match[str], body: str) -> tuple[ThreadRecord, str]:
    java_id = found["id"]
    owner = found["owner_id"]
    thread = ThreadRecord(
        intern(found["name"]),
        NO_STACK,
        java_id=int(java_id) if java_id is not None and int(java_id) > 0 else None,
        daemon=found["daemon"] is not None,
        virtual="java.lang.VirtualThread.run(" in body,
        cpu_ms=float(found["cpu"]) if found["cpu"] is not None else None,
        parked_owner=int(owner) if owner is not None and int(owner) > 0 else None,
        owner_name=intern(found["owner"]) if found["owner"] else None,
    )
    parked = _PARK in body.split("\n", 1)[0]
    waits = _waits(found, body, parked=parked)
    out = [_state_line(found["state"], parked=parked)]
    below_frames = False
    for line in body.split("\n"):
        if patterns.INFO_SYNCHRONIZERS.match(line):
            below_frames = True
            # jstack has one blank line between the frames and what the thread owns
            while not out[-1].strip():
                out.pop()
            out.append(f"\n   {patterns.SYNCHRONIZERS_MARK}\n")
            continue
        lock = patterns.INFO_LOCK.match(line)
        held = patterns.INFO_SYNCHRONIZER.match(line) if below_frames else None
        if lock is not None:
            out.append(_lock_line(_KINDS[lock["kind"]], lock["class"], lock["hash"], parked=parked))
        elif held is not None:
            out.append(f"\t- <{held['hash'].zfill(8)}> (a {held['class']})\n")
        else:
            out.append(line + "\n")
        if waits and patterns.FRAME_LINE.match(line):
            out.append(waits)
            waits = ""
    return thread, "".join(out)


def _waits(found: re.Match[str], body: str, *, parked: bool) -> str:
    """The lock line of the object that only the header names; some tools leave the line below the frame out."""
    class_name, _, identity = (found["object"] or "").rpartition("@")
    shown = any(
        lock is not None and lock["kind"] != "locked"
        for lock in map(patterns.INFO_LOCK.match, body.split("\n"))
    )
    if not class_name or shown:
        return ""
    kind = "waiting to lock" if found["state"] == "BLOCKED" else "waiting on"
    return _lock_line(kind, class_name, identity, parked=parked)


def _lock_line(kind: str, class_name: str, identity: str, *, parked: bool) -> str:
    """As jstack prints it, which has words of its own for a thread that parks."""
    words = "parking to wait for " if parked and kind == "waiting on" else kind
    return f"\t- {words} <{identity.zfill(8)}> (a {class_name})\n"


def _of_cut_header(found: re.Match[str]) -> ThreadRecord:
    parts: dict[str, str] = {}
    for attribute in patterns.CUT_ATTRIBUTES.finditer(found["rest"]):
        parts |= {name: value for name, value in attribute.groupdict().items() if value is not None}
    nid = parts.get("nid")
    return ThreadRecord(
        intern(found["name"]),
        NO_STACK,
        java_id=int(parts["id"]) if "id" in parts else None,
        tid=parts.get("tid"),
        nid=int(nid, 16 if nid.startswith("0x") else 10) if nid is not None else None,
    )


def _state_line(state: str | None, *, parked: bool = False) -> str:
    if state is None or state.upper() == "UNKNOWN":
        return ""
    return f"   {patterns.STATE_MARK}{state.upper()}{' (parking)' if parked else ''}\n"
