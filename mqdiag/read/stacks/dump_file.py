"""`Thread.dump_to_file`, text and JSON: JDK 21 gives ids, names and frames, JDK 25 states, owners and blockers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from sys import intern
from typing import Any

import msgspec

from mqdiag.knowledge.own_code import method_of
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.stacks import patterns
from mqdiag.read.stacks.body import MAX_BOTTOM_FRAMES, MAX_FRAMES, BodyParser, plain_frame
from mqdiag.read.stacks.records import (
    LOCKED,
    PARKING,
    WAITING_ON,
    WAITING_TO_LOCK,
    LockLine,
    Sample,
    Stack,
    ThreadRecord,
)
from mqdiag.read.stacks.wrapped import Joined, wrapped_at
from mqdiag.text import say

_DUMP_START = lazy_pattern(r'\{\s*"threadDump"\s*:')
_KEY = lazy_pattern(r'"threadDump"\s*:')
_STACK = lazy_pattern(r'"name"\s*:\s*"[^\n]*\s*(?:"[^\n]*\s*){0,8}"stack"\s*:\s*\[')
_THREAD_START = lazy_pattern(r'\{\s*"tid"\s*:')
_FILE_THREAD = lazy_pattern(r'(?m)^#\d{1,18} "')
_OWNER = lazy_pattern(r"owner[ =]#?(\d{1,18})\b")


def is_json_dump(head: str) -> bool:
    """Whether text begins like a JSON thread dump."""
    # As a value it is the name of a method, in what an endpoint answers.
    if patterns.JSON_MARK in head and _KEY.search(head) is not None:
        return _DUMP_START.search(head) is not None or head.lstrip().startswith("{")
    # its head was lost: entries of threads are left
    found = _THREAD_START.search(head) if '"tid"' in head and '"stack"' in head else None
    return found is not None and _STACK.search(head, found.start(), found.start() + 1000) is not None


def is_text_dump(head: str) -> bool:
    """Whether text begins like a text thread dump."""
    return patterns.FILE_HEAD.match(head) is not None


def read_json(source: str, text: str) -> list[Sample]:
    """All samples of a text; a cut one is read up to its last whole thread."""
    starts = [found.start() for found in _DUMP_START.finditer(text)] or [0]
    bounds = [*starts[1:], len(text)]
    return [_read_one_json(source, text[start:end], start) for start, end in zip(starts, bounds, strict=True)]


def _read_one_json(source: str, text: str, at: int) -> Sample:
    sample = Sample(source=source, format="dump-json")
    begins = _DUMP_START.search(text)
    try:
        dump = _first_json(text, 0 if begins is None else begins.start())["threadDump"]
        containers = dump["threadContainers"]
    except (msgspec.DecodeError, ValueError, KeyError, TypeError, RecursionError):
        dump, containers, end = _cut_json(text)
        sample.complete = False
        sample.stopped_at_byte = at + end
        sample.problem = say("the JSON text ends in the middle of a thread dump")
    sample.pid = _integer(dump.get("processId"))
    sample.captured_at = _text(dump.get("time"))
    version = _text(dump.get("runtimeVersion"))
    sample.jvm = f"JDK {version}" if version else None
    bodies: dict[tuple[Any, ...], Stack] = {}
    for container in containers:
        if not isinstance(container, dict):
            continue
        name = _text(container.get("container"))
        for entry in container.get("threads") or ():
            if isinstance(entry, dict):
                sample.threads.append(_json_thread(entry, name, bodies))
    return sample


def _first_json(text: str, start: int) -> Any:
    """The JSON at a place; other text may follow.

    Raises:
        ValueError: there is none, or it is cut.
    """
    try:
        return msgspec.json.decode(text[start:].strip())
    except (msgspec.DecodeError, UnicodeError):
        import json  # one form of pastes alone needs it

        return json.JSONDecoder(strict=False).raw_decode(text, start)[0]


def _cut_json(text: str) -> tuple[dict[str, Any], list[dict[str, Any]], int]:
    """Head fields and whole threads of a JSON dump that does not end; the JDK itself writes such files."""
    import json  # one form of dumps alone needs it

    decoder = json.JSONDecoder(strict=False)
    dump: dict[str, Any] = {}
    for key in ("processId", "time", "runtimeVersion"):
        found = re.search(rf'"{key}"\s*:\s*"?([^",\s]+)"?', text[:2000])
        if found:
            dump[key] = found[1]
    threads = []
    end = 0
    while found := _THREAD_START.search(text, end):
        try:
            entry, end = decoder.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            end = found.start()
            following = _THREAD_START.search(text, end + 1)
            if following is None:
                break
            end = following.start()
            continue
        threads.append(entry)
    return dump, [{"container": None, "threads": threads}], end


def _json_thread(
    entry: dict[str, Any], container: str | None, bodies: dict[tuple[Any, ...], Stack]
) -> ThreadRecord:
    frames = _frames(entry.get("stack"))
    state = _text(entry.get("state")) or ""
    lines: list[tuple[str, int, str]] = []
    blocker = entry.get("parkBlocker")
    owner = None
    if isinstance(blocker, dict):
        lines.append((PARKING, 0, _text(blocker.get("object")) or ""))
        owner = _integer(blocker.get("owner"))
    for key, kind in (("blockedOn", WAITING_TO_LOCK), ("waitingOn", WAITING_ON)):
        if isinstance(entry.get(key), str):
            lines.append((kind, 0, entry[key]))
    for owned in entry.get("monitorsOwned") or ():
        if isinstance(owned, dict):
            depth = _integer(owned.get("depth")) or 0
            lines += [(LOCKED, depth, lock) for lock in owned.get("locks") or () if isinstance(lock, str)]
    shape = (state, frames, tuple((kind, depth, _class_of(name)) for kind, depth, name in lines))
    stack = bodies.get(shape)
    if stack is None:
        kept, omitted = _cap(frames)
        plain = tuple(plain_frame(frame) for frame in kept)
        stack = bodies[shape] = Stack(
            intern(state),
            "",
            plain,
            tuple(method_of(frame) for frame in plain),
            tuple(
                LockLine(kind, intern(_class_of(name)), depth, slot)
                for slot, (kind, depth, name) in enumerate(lines)
            ),
            omitted,
        )
    return ThreadRecord(
        name=_text(entry.get("name")) or "",
        stack=stack,
        addresses=tuple(intern(name) for _, _, name in lines),
        java_id=_integer(entry.get("tid")),
        virtual=entry.get("virtual") in (True, "true")
        or _looks_virtual(frames)
        or not (frames or entry.get("name")),
        carrier=_integer(entry.get("carrier")),
        container=container,
        parked_owner=owner,
    )


def read_text(source: str, text: str, bodies: BodyParser) -> list[Sample]:
    """The sample of a text dump."""
    columns = wrapped_at(text)
    if columns is not None:
        text = Joined(columns)(text)
    head = patterns.FILE_HEAD.match(text)
    assert head is not None
    sample = Sample(
        source=source,
        format="dump-text",
        pid=int(head["pid"]),
        captured_at=head["time"],
        jvm=f"JDK {head['jvm'].strip()}",
    )
    for block in _file_blocks(text[head.end() :]):
        line_end = block.find("\n")
        found = patterns.FILE_HEADER.match(block if line_end < 0 else block[:line_end])
        if found is None:
            sample.unknown_headers += 1
            continue
        body = "" if line_end < 0 else block[line_end + 1 :]
        stack, addresses, owner = _file_stack(body, found["state"] or "", bodies)
        sample.threads.append(
            ThreadRecord(
                name=found["name"],
                stack=stack,
                addresses=addresses,
                java_id=int(found["id"]),
                virtual=found["virtual"] is not None or _looks_virtual(stack.frames),
                parked_owner=owner,
            )
        )
    if text and not text.endswith("\n"):
        sample.complete = False
        sample.stopped_at_byte = len(text.encode())
        sample.problem = say("the text ends in the middle of a line")
    return [sample]


def _file_blocks(text: str) -> Iterator[str]:
    starts = [found.start() for found in _FILE_THREAD.finditer(text)]
    for start, end in zip(starts, (*starts[1:], len(text)), strict=True):
        yield text[start:end]


def _file_stack(body: str, state: str, bodies: BodyParser) -> tuple[Stack, tuple[str, ...], int | None]:
    """Frames stand without "at" in JDK 21."""
    if body and "    at " not in body:
        body = "\n".join(f"\tat {line.strip()}" for line in body.split("\n") if line.strip())
    owner = _OWNER.search(body) if "owner" in body else None
    if state:
        body = f"   {patterns.STATE_MARK}{state}\n{body}"
    stack, addresses = bodies.parse(body)
    return stack, addresses, int(owner[1]) if owner else None


def _frames(stack: object) -> tuple[str, ...]:
    if not isinstance(stack, list):
        return ()
    return tuple(frame for frame in stack if isinstance(frame, str))


def _cap(frames: tuple[str, ...]) -> tuple[tuple[str, ...], int]:
    spare = len(frames) - MAX_FRAMES - MAX_BOTTOM_FRAMES
    if spare <= 0:
        return frames, 0
    return frames[:MAX_FRAMES] + frames[-MAX_BOTTOM_FRAMES:], spare


def _looks_virtual(frames: tuple[str, ...]) -> bool:
    """JDK 21's JSON does not say it; a virtual thread's stack begins in VirtualThread.run.

    One that has not begun has neither a stack nor, mostly, a name, which each thread of the platform has.
    """
    return any("java.lang.VirtualThread.run(" in frame for frame in frames[-3:])


def _class_of(name: str) -> str:
    return name.split("@", 1)[0]


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else (str(value) if isinstance(value, int) else None)


def _integer(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 19:
        return int(value)
    return None
