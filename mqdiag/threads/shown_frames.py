"""Which frames of a stack a report shows: the top, the application's own, and those that say who called."""

from __future__ import annotations

from mqdiag.knowledge.library import JDK
from mqdiag.knowledge.own_code import is_own
from mqdiag.threads.stack_meaning import SHOWN_TOP, StackMeaning

SHOWN_AROUND_OWN = 1
"""frames shown above each frame of the user's own"""
MAX_SHOWN = 18


def cut_frames(meaning: StackMeaning) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The frames to show, "…" with a count where some are left out, and which of them are the user's own."""
    frames = meaning.stack.frames
    end = meaning.run_index if meaning.run_index >= 0 else len(frames)
    keep: set[int] = set(range(min(SHOWN_TOP, len(frames))))
    caller = next((index for index in range(end) if not meaning.methods[index].startswith(JDK)), None)
    if caller is not None:
        # the code that calls into the JDK says what is waited for
        keep.add(caller)
    own = [index for index in range(end) if is_own(meaning.methods[index])]
    for index in own[:10] + own[-2:]:
        keep.update(range(max(0, index - SHOWN_AROUND_OWN), index + 1))
    if meaning.library is not None:
        for index, method in enumerate(meaning.methods[:end]):
            if method.startswith(meaning.library.frames):
                keep.add(index)
                break
    if meaning.run_index >= 0:
        keep.add(meaning.run_index)
    elif not own:
        keep.update(range(min(6, len(frames))))
    shown: list[str] = []
    marked: list[int] = []
    own_set = set(own)
    last = -1
    for index in sorted(keep)[:MAX_SHOWN]:
        if index > last + 1:
            shown.append(_left_out(index - last - 1))
        if index in own_set:
            marked.append(len(shown))
        shown.append(frames[index])
        last = index
    if last + 1 < len(frames):
        shown.append(_left_out(len(frames) - last - 1 + meaning.stack.omitted_frames))
    return tuple(shown), tuple(marked)


def _left_out(frames: int) -> str:
    return f"… {frames} frame" if frames == 1 else f"… {frames} frames"
