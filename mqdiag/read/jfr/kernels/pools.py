"""Where the constants are that the checkpoints of a chunk hold."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mqdiag.kernel import kernel
from mqdiag.read.jfr.kernels.decode import skip_steps
from mqdiag.read.jfr.kernels.numbers import CUT, integer

CHECKPOINT, PLACE, LEFT, STATUS, KIND = range(5)
"""state of a walk: index of the checkpoint; the byte where its next group begins, AT_HEAD before the first one; groups
left in it; why the walk paused; the type without a program where it is MISSING"""
AT_HEAD = -1
DONE, FULL, MISSING, DAMAGED = range(4)
"""why it paused: all is listed; no room; a type has no program; what begins at PLACE is damaged"""
TYPE, START, RECORDS, END = range(4)
"""rows of a group: number of its type, where its first record begins, how many it has, the end of its checkpoint"""
_OLDER_HEAD = 16
"""bytes of the head of a checkpoint of version 0.9: time, distance to the one before"""
_ALL = 1 << 62
"""groups of a checkpoint that does not tell their number: as many as there are up to its end"""


class Skips(NamedTuple):
    """Programs by which records are passed over."""

    firsts: NDArray[np.int64]
    """[types] first step of a type; -1 for one without a program"""
    lasts: NDArray[np.int64]
    """[types] behind its last step"""
    steps: NDArray[np.int64]
    """[steps, 3] of all types; see `decode_groups`"""


@kernel(inline=True)
def first_group(data, at, end, is_compressed, is_older):
    """(where the first group of a checkpoint begins or CUT, how many it has). O(1)."""
    if is_older:
        return np.int64(at + _OLDER_HEAD), np.int64(_ALL)
    for _ in range(3):  # start, duration, distance to the checkpoint before
        if at >= 0:
            _, at = integer(data, at, end, is_compressed, 8)
    count = np.int64(0)
    if at >= 0:
        count, at = integer(data, at + 1, end, is_compressed, 4)  # behind what it was written for
    return np.int64(at), count


@kernel
def list_groups(data, starts, ends, is_compressed, is_older, skips, state, scratch, groups):
    """List groups of constants of one type, which follow each other in checkpoints without telling their size.

    Args:
        data: uint8[], the file.
        starts, ends: int64[checkpoints], where the payload of each begins and where it ends.
        is_compressed: whether integers are compressed.
        is_older: whether they are of version 0.9.
        skips: `Skips`.
        state: int64[5], in and out: where to begin and where the walk paused.
        scratch: int64[3, MOST_NESTED + 2].
        groups: int64[4, room], out: those that have records; see TYPE.

    Returns:
        How many were listed. A group that is damaged is listed; one whose type has no program is not, unless it is the
        last of its checkpoint, whose end it shares. O(values).
    """
    listed = np.int64(0)
    while state[CHECKPOINT] < starts.size:
        end = ends[state[CHECKPOINT]]
        if state[PLACE] == AT_HEAD:
            begin = starts[state[CHECKPOINT]]
            at, left = first_group(data, begin, end, is_compressed, is_older)
            state[PLACE] = at if at >= 0 else begin
            state[LEFT] = left
            if at < 0:
                state[STATUS] = DAMAGED
                return listed
        while state[LEFT] > 0 and not (is_older and state[PLACE] >= end):
            count = np.int64(CUT)
            kind, at = integer(data, state[PLACE], end, is_compressed, 4 if is_older else 8)
            if at >= 0:
                count, at = integer(data, at, end, is_compressed, 4)
            if at < 0 or count < 0 or count > end - at:
                state[STATUS] = DAMAGED
                return listed
            if count > 0:
                if listed == groups.shape[1]:
                    state[STATUS] = FULL
                    return listed
                is_last = state[LEFT] == 1
                first = np.int64(-1)
                if 0 <= kind < skips.firsts.size:
                    first = skips.firsts[np.uint64(kind)]
                if first < 0 and not is_last:
                    state[KIND] = kind
                    state[STATUS] = MISSING
                    return listed
                groups[TYPE, listed] = kind
                groups[START, listed] = at
                groups[RECORDS, listed] = count
                groups[END, listed] = end
                listed += 1
                for _ in range(0 if is_last else count):
                    scratch[0, 0] = 1
                    last = skips.lasts[np.uint64(kind)]
                    state[PLACE] = at
                    at = skip_steps(
                        data,
                        at,
                        end,
                        is_compressed,
                        skips.steps,
                        first,
                        last,
                        scratch[0],
                        scratch[1],
                        scratch[2],
                    )
                    if at < 0:
                        state[STATUS] = DAMAGED
                        return listed
            state[PLACE] = at
            state[LEFT] -= 1
        state[CHECKPOINT] += 1
        state[PLACE] = AT_HEAD
    state[STATUS] = DONE
    return listed
