"""Collapsed stacks: one line for each distinct stack, its frames from the bottom up, and how often it was seen.

Written by async-profiler and its converters (`-o collapsed`, `jfrconv`), and by the scripts of flame graphs. Layout,
such as `[thread tid=7];a/B.c;d 12`: async-profiler, src/profiler.cpp `Profiler::dumpCollapsed`, src/frameName.cpp
`FrameName::name`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from mqdiag.lazy_pattern import lazy_pattern

MOST_LINE = 256 << 10
"""characters of a line; 2048 frames, the most that async-profiler takes, have 200 KiB"""
MOST_FRAMES = 2048
MOST_STACKS = 50_000
"""distinct stacks of threads that are kept; the samples of the others are counted"""
MOST_COUNT_DIGITS = 15
"""nanoseconds of eleven days"""
_HEAD_LINES = 50
_THREAD = lazy_pattern(r"\[(.+?)(?: tid=\d+)?\]")
_SIGNATURE = lazy_pattern(r"\((?:\[*(?:[BCDFIJSZ]|L[^;()\s]+;))*\)\[*(?:[VBCDFIJSZ]|L[^;()\s]+;)")
"""the signature of a method, which async-profiler writes on demand; it has semicolons of its own"""
_KIND = lazy_pattern(r"_\[[ij01kc]\]$")
"""an ending that says how the frame was compiled, or that it is of the kernel"""
_NO_PART_OF_NAME = frozenset(" \t:*,&~@()[]")


class CollapsedStack(NamedTuple):
    """One distinct stack of one thread."""

    thread: str | None
    """its name; None where the file does not separate threads"""
    frames: tuple[str, ...]
    """methods of Java as "package.Class.method", top first"""


class Collapsed(msgspec.Struct, kw_only=True):
    """A file of collapsed stacks."""

    stacks: dict[CollapsedStack, int] = {}
    """with the count of samples"""
    samples: int = 0
    on_class: int = 0
    """samples with a class on top: the file counts objects or waits for locks"""
    left_out: int = 0
    """samples of stacks beyond the most that are kept"""
    first_bad_line: int | None = None
    """the number of the first line that is no collapsed stack, from 1"""


def is_collapsed(text: str) -> bool:
    """Whether the first lines of a text are collapsed stacks of a JVM; its last line may be cut."""
    lines = [line for line in text.split("\n", _HEAD_LINES + 1) if line.strip()]
    whole = (lines if len(lines) == 1 or text.endswith("\n") else lines[:-1])[:_HEAD_LINES]
    found = [one for one in map(_parsed, whole) if one is not None]
    if not found or len(found) < len(whole):
        return False
    deep = [frames for frames, _ in found if len(frames) > 1]
    return 2 * len(deep) >= len(found) and any(_is_method(frame) for frames in deep for frame in frames)


def read_collapsed(lines: Iterable[str]) -> Collapsed:
    """All stacks of a text, and the place of the first line that is none."""
    found = Collapsed(stacks={})
    for number, line in enumerate(lines, 1):
        if not line or line.isspace():
            continue
        parsed = _parsed(line)
        if parsed is None:
            found.first_bad_line = found.first_bad_line or number
        else:
            _take(found, *parsed)
    return found


def _take(found: Collapsed, frames: list[str], count: int) -> None:
    thread = _THREAD.fullmatch(frames[0])
    found.samples += count
    found.on_class += count if _is_class(frames[-1]) else 0
    methods = (frame for frame in reversed(frames[-MOST_FRAMES:]) if _is_method(frame))
    key = CollapsedStack(
        None if thread is None else thread[1], tuple(frame.replace("/", ".") for frame in methods)
    )
    if key in found.stacks:
        found.stacks[key] += count
    elif len(found.stacks) < MOST_STACKS:
        found.stacks[key] = count
    else:
        found.left_out += count


def _parsed(line: str) -> tuple[list[str], int] | None:
    """Frames from the bottom up, without signatures and kinds, and the count; None for a line of another form."""
    if len(line) > MOST_LINE:
        return None
    stack, _, count = line.strip().rpartition(" ")
    if not stack or not (count.isascii() and count.isdecimal()) or len(count) > MOST_COUNT_DIGITS:
        return None
    plain = _SIGNATURE.sub("", stack) if "(" in stack else stack
    frames = [_KIND.sub("", frame) for frame in plain.split(";")]
    return (frames, int(count)) if all(frames) else None


def _is_method(frame: str) -> bool:
    """Whether it is a method of Java, such as "java/lang/Thread.run": with its class, and no class itself."""
    owner, _, name = frame.rpartition(".")
    named = name.replace("$", "_").strip("<>")
    return (
        _is_name_of_class(owner)
        and named.isidentifier()
        and not name[0].isupper()
        and (owner[0].isupper() or "/" in owner or "." in owner)
    )


def _is_class(frame: str) -> bool:
    """Whether it is a class alone: what profiles of allocations and of locks have on top."""
    return frame.endswith("[]") or (
        _is_name_of_class(frame) and frame.replace("/", ".").rpartition(".")[2][:1].isupper()
    )


def _is_name_of_class(text: str) -> bool:
    return bool(text) and not text.startswith(("/", ".")) and _NO_PART_OF_NAME.isdisjoint(text)
