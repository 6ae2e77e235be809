"""Frames cut to what matters: the wait, the user's own code, the listener; the rest is counted."""

from __future__ import annotations

from mqdiag.threads.library_packages import is_own
from mqdiag.threads.view import View

TOP = 2
AROUND_OWN = 1
MAX_SHOWN = 18


def cut_frames(view: View) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The frames to show, "…" with a count where some are left out, and which of them are the user's own."""
    frames = view.stack.frames
    end = view.run_index if view.run_index >= 0 else len(frames)
    keep: set[int] = set(range(min(TOP, len(frames))))
    own = [index for index in range(end) if is_own(view.methods[index])]
    for index in own[:10] + own[-2:]:
        keep.update(range(max(0, index - AROUND_OWN), index + 1))
    if view.cause is not None:
        for index, method in enumerate(view.methods[:end]):
            if method.startswith(view.cause.frames):
                keep.add(index)
                break
    if view.run_index >= 0:
        keep.add(view.run_index)
    elif not own:
        keep.update(range(min(6, len(frames))))
    shown: list[str] = []
    marked: list[int] = []
    own_set = set(own)
    last = -1
    for index in sorted(keep)[:MAX_SHOWN]:
        if index > last + 1:
            shown.append(f"… {index - last - 1} frames")
        if index in own_set:
            marked.append(len(shown))
        shown.append(frames[index])
        last = index
    if last + 1 < len(frames):
        shown.append(f"… {len(frames) - last - 1 + view.stack.omitted_frames} frames")
    return tuple(shown), tuple(marked)
