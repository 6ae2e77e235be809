"""Whether the frames of a thread are all there: a stack goes down to the frame with which its thread began.

A search such as `grep -A5`, a log that cuts long entries, and tools that print a few frames leave the upper frames
alone. What is missing below them is unknown: it may be the queue of a pool, or a listener with a message.
"""

# Without annotations as strings: msgspec would compile each of them at the first use of a type, 0.2 ms in each run.

from collections.abc import Sequence

import msgspec

from mqdiag.knowledge import packed
from mqdiag.read.stacks.records import PARKING, WAITING_ON, WAITING_TO_LOCK, Sample, Stack, ThreadRecord
from mqdiag.text import Text, say


class _Known(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    first_methods: tuple[str, ...]
    inner_methods: tuple[str, ...]
    inner_parts: tuple[str, ...]
    without_frames: tuple[str, ...]
    compilers: tuple[str, ...]
    leaves: frozenset[str]
    above_leaves: tuple[str, ...]


_KNOWN = packed.decode(packed.ROOT, "whole_stacks", _Known)
OF_TOP_FRAME = (PARKING, WAITING_ON, WAITING_TO_LOCK)
"""lock lines that a JVM prints below the top frame alone"""
_WAITING = ("WAITING", "TIMED_WAITING", "BLOCKED")
_CONSUMES = "ConsumeMessageThread"
FEW_THREADS = 3
"""with a part of their stacks, which a whole dump may have too: threads that native code began"""
FEW_SHARE = 5
"""a part of all threads, 1 / 5, up to which a dump counts as whole"""


def has_first_frame(methods: Sequence[str]) -> bool:
    """Whether the lowest method is one that a thread begins with."""
    if not methods:
        return False
    lowest = methods[-1]
    if not lowest.endswith(_KNOWN.first_methods):
        return False
    return not lowest.endswith(_KNOWN.inner_methods) and not any(part in lowest for part in _KNOWN.inner_parts)


def lacks_frames(name: str, stack: Stack) -> bool:
    """Whether frames of a Java thread are missing; threads of the JVM have none, and no state or a running one."""
    if stack.methods:
        return not has_first_frame(stack.methods)
    if stack.mounted is not None or stack.mounted_frames or not stack.state:
        return False
    if stack.state in _WAITING:
        return True
    return (
        stack.state == "RUNNABLE"
        and not name.startswith(_KNOWN.without_frames)
        and not any(part in name for part in _KNOWN.compilers)
    )


def threads_cut(threads: Sequence[ThreadRecord], *, excerpt: bool) -> int:
    """Threads of which frames are missing, where so many are that the dump itself is a part of one; else 0.

    Args:
        threads: of one dump.
        excerpt: a person took a few threads out of it, and often the upper half of a stack, which is no fault.
    """
    known: dict[int, bool] = {}
    lacking: list[ThreadRecord] = []
    shown = 0
    for thread in threads:
        stack = thread.stack
        if not stack.methods:
            # a virtual thread that has not begun has none
            cut = not thread.virtual and lacks_frames(thread.name, stack)
            shown += cut
        else:
            cut = known.get(id(stack), False)
            if id(stack) not in known:
                cut = known[id(stack)] = not has_first_frame(stack.methods)
            shown += 1
        if cut:
            lacking.append(thread)
    count = len(lacking)
    if count >= FEW_THREADS and FEW_SHARE * count >= shown:
        return count
    if 2 * count < shown or (excerpt and not any(thread.name.startswith(_CONSUMES) for thread in lacking)):
        return 0
    return count


def frame_above_leaf(frames: Sequence[str], methods: Sequence[str]) -> str:
    """A frame of a native method that calls no Java code, above which other frames stand; empty where none is."""
    for at in range(1, len(methods)):
        if (
            methods[at] in _KNOWN.leaves
            and frames[at].endswith("(Native Method)")
            and not any(part in methods[at - 1] for part in _KNOWN.above_leaves)
        ):
            return f"at {frames[at]}"
    return ""


def mixed(sample: Sample) -> Text | None:
    """Why no stack of a dump is that of a thread; None where nothing shows it."""
    for thread in sample.threads:
        if thread.stack.misplaced:
            return say(
                'lines of several thread dumps are mixed in it: below "{thread}", the line "{line}" stands where no'
                " JVM prints it, so no stack was judged",
                thread=thread.name,
                line=thread.stack.misplaced,
            )
    return None


TWO_PROCESSES = say(
    "threads of two processes stand in one dump: numbers or addresses of its threads contradict each other"
)


def is_of_two_processes(sample: Sample) -> bool:
    """Whether a number is that of two threads, or a thread is not in the JVM's own list."""
    tids: dict[int | str, str] = {}
    for thread in sample.threads:
        if thread.tid is None or not thread.tid.startswith("0x"):
            continue
        if thread.java_id is not None and sample.listed and int(thread.tid, 16) not in sample.listed:
            return True
        # threads of the JVM itself have no number, and this one is there once
        key = thread.java_id if thread.java_id is not None else thread.name
        if (thread.java_id is not None or key == "VM Thread") and tids.setdefault(
            key, thread.tid
        ) != thread.tid:
            return True
    return False
