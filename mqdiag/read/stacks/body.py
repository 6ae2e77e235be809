"""The lines under a thread's header: state, frames, locks. Equal text is parsed once."""

from __future__ import annotations

from sys import intern
from typing import TYPE_CHECKING, NamedTuple

from mqdiag.knowledge.own_code import method_of
from mqdiag.read.stacks import patterns
from mqdiag.read.stacks.records import CLASS_INIT, SYNCHRONIZER, WAITING_TO_LOCK, LockLine, Stack
from mqdiag.read.stacks.whole import OF_TOP_FRAME, frame_above_leaf, has_first_frame

if TYPE_CHECKING:
    from mqdiag.read.stacks.plain_bodies import PlainBodies

MAX_FRAMES = 600
"""top frames kept of one stack; a recursion of 100,000 frames says nothing more"""
MAX_BOTTOM_FRAMES = 100
"""frames kept at the bottom, where the pool and the listener stand"""
CACHE_LIMIT = 200_000
"""distinct stacks remembered; beyond it the cache starts again, so that memory stays bounded"""

_KINDS = {
    "waiting to re-lock in wait()": "waiting to re-lock",
    "parking to wait for": "parking",
}


def plain_frame(text: str) -> str:
    """A frame without its module and without the address of a hidden class, whichever tool printed it."""
    if "/" in text:
        opening = text.find("(")
        if opening > 0:
            method, location = text[:opening], text[opening:]
            if "/0x" in method or "$$Lambda$" in method:
                # number and address of the class differ in every JVM
                method = patterns.HIDDEN_CLASS.sub(r"\1\2", method)
            slash = method.rfind("/")
            if slash > 0:
                method = method[slash + 1 :]
            if "/" in location:
                location = patterns.MODULE_IN_LOCATION.sub("(", location, count=1)
            text = method + location
    return intern(text)


class Block(NamedTuple):
    """What stands between the header of a thread and that of the next one."""

    stack: Stack | None
    """None for a thread without state and frames"""
    addresses: tuple[str, ...] = ()
    """addresses in its lock lines, in order"""
    gap: str = ""
    """lines behind the blank one that ends the stack: they belong to no thread"""
    with_synchronizers: bool = False
    """it lists the locks of java.util.concurrent that the thread owns"""


class BodyParser:
    """Parses bodies and remembers them.

    Two caches: the whole text (a thread that did not move), and the text without lock addresses (threads that do the
    same work). Both are keyed by hash and length, so the texts are not kept.
    """

    def __init__(self) -> None:
        self._whole: dict[tuple[int, int], Block] = {}
        self._shapes: dict[tuple[int, int], Stack] = {}
        self.plain: PlainBodies | None = None
        """what is known of undecoded threads; small dumps do without"""

    def parse_block(self, text: str) -> Block:
        """The parts of a block, which may go on behind the thread's stack."""
        key = (hash(text), len(text))
        known = self._whole.get(key)
        if known is None:
            known = self._block(text)
            if known.gap and not known.gap.isspace():
                return known
            if len(self._whole) >= CACHE_LIMIT:
                self._whole.clear()
            self._whole[key] = known
        return known

    def _block(self, text: str) -> Block:
        if text.startswith("\n"):
            # a thread without state and frames: what follows is between the threads
            return Block(None, gap=text)
        blank = text.find("\n\n")
        with_synchronizers = blank >= 0 and patterns.SYNCHRONIZERS_MARK in text[blank : blank + 60]
        if with_synchronizers:
            blank = text.find("\n\n", blank + 2)
        body, gap = (text, "") if blank < 0 else (text[:blank], text[blank + 1 :])
        stack, addresses = self.parse(body) if body else (None, ())
        return Block(stack, addresses, gap, with_synchronizers)

    def parse(self, body: str) -> tuple[Stack, tuple[str, ...]]:
        """The stack and the addresses of its lock lines, in order."""
        shape, addresses = _split_addresses(body) if "<" in body else (body, ())
        key = (hash(shape), len(shape))
        stack = self._shapes.get(key)
        if stack is None:
            if len(self._shapes) >= CACHE_LIMIT:
                self._shapes.clear()
            stack = self._shapes[key] = parse_stack(shape)
        return stack, addresses


def _split_addresses(body: str) -> tuple[str, tuple[str, ...]]:
    """Take the objects of lock lines out: "<0x…>" leaves "<@>", anything else in brackets stays."""
    pieces = body.split("<")
    shape = [pieces[0]]
    addresses = []
    for piece in pieces[1:]:
        closing = piece.find(">")
        # only what stands in a lock line, so that <init> and <clinit> stay in their frames
        if closing > 0 and (piece.startswith("0x") or "@" in piece[:closing] or _is_hash(piece[:closing])):
            address = piece[:closing]
            addresses.append(intern(address))
            # Thread.dump_to_file names the class in the object: it is part of the shape
            shape.append(
                address[: address.find("@") + 1] + piece[closing:] if "@" in address else "@" + piece[closing:]
            )
        else:
            shape.append(piece)
    return "<".join(shape), tuple(addresses)


def _is_hash(text: str) -> bool:
    """An identity hash without its class, as JMX tools print it; <init> is none."""
    return 4 <= len(text) <= 16 and all(char in "0123456789abcdef" for char in text)


def parse_stack(shape: str) -> Stack:
    """Parse a body whose addresses were taken out."""
    state = detail = ""
    frames: list[str] = []
    locks: list[LockLine] = []
    mounted: int | None = None
    mounted_frames: list[str] = []
    target = frames
    slot = 0
    dropped = 0
    misplaced = ""
    for raw in shape.split("\n"):
        line = raw.strip()
        if line.startswith("at "):
            target.append(line[3:])
            if len(target) > 2 * MAX_FRAMES:
                cut = len(target) - MAX_BOTTOM_FRAMES
                dropped += cut - MAX_FRAMES
                del target[MAX_FRAMES:cut]
        elif line.startswith("- "):
            lock, slot = _lock_line(line, len(target) - 1, slot)
            if lock is not None:
                if target is frames:
                    locks.append(lock)
                    if len(frames) > 1 and lock.kind in OF_TOP_FRAME:
                        misplaced = misplaced or line
            else:
                found = patterns.AGENT_FRAME.match(line)
                if found:
                    where = f"Unknown Source:{found['line']}" if found["line"] else "Unknown Source"
                    target.append(f"{found['method']}({where})")
        elif line.startswith("waiting for "):
            found = patterns.RELEASE_LINE.match(line)
            if found and found["object"] == "@":
                locks.append(LockLine(WAITING_TO_LOCK, intern(found["class"] or ""), 0, slot))
                slot += 1
        elif line.startswith(patterns.STATE_MARK):
            found = patterns.STATE_LINE.match(line)
            if found:
                # behind a whole stack it is that of a thread whose header a paste lacks
                if frames and not has_first_frame([method_of(plain_frame(frames[-1]))]):
                    misplaced = misplaced or line
                state, detail = found["state"], found["detail"] or ""
        elif "virtual thread" in line:
            carrying = patterns.CARRYING_LINE.search(line)
            found = carrying or patterns.MOUNTED_LINE.search(line)
            if found:
                mounted = int(found["id"])
                target = frames if carrying else mounted_frames
        elif patterns.SYNCHRONIZERS_MARK in line:
            target = frames
    if len(frames) > MAX_FRAMES + MAX_BOTTOM_FRAMES:
        cut = len(frames) - MAX_BOTTOM_FRAMES
        dropped += cut - MAX_FRAMES
        del frames[MAX_FRAMES:cut]
    plain = tuple(plain_frame(frame) for frame in frames)
    methods = tuple(method_of(frame) for frame in plain)
    return Stack(
        state=intern(state),
        detail=intern(detail),
        frames=plain,
        methods=methods,
        locks=tuple(locks),
        omitted_frames=dropped,
        mounted=mounted,
        mounted_frames=tuple(plain_frame(frame) for frame in mounted_frames),
        misplaced=misplaced.replace("<@> ", "") or frame_above_leaf(plain, methods),
    )


def _lock_line(line: str, depth: int, slot: int) -> tuple[LockLine | None, int]:
    """A lock line and the next free address slot."""
    found = patterns.LOCK_LINE.match(line)
    if found is None:
        found = patterns.CLASS_INIT_LINE.match(line)
        if found is not None:
            return LockLine(CLASS_INIT, intern(found["class"]), max(depth, 0), -1), slot
        found = patterns.SYNCHRONIZER_LINE.match(line)
        if found is None:
            return None, slot
        kind, class_name = SYNCHRONIZER, found["class"]
    else:
        kind, class_name = _KINDS.get(found["kind"], found["kind"]), found["class"] or ""
    if found["object"].endswith("@") and len(found["object"]) > 1:
        class_name = class_name or found["object"][:-1]
    elif found["object"] != "@":
        return LockLine(kind, intern(class_name), max(depth, 0), -1), slot
    return LockLine(kind, intern(class_name), max(depth, 0), slot), slot + 1
