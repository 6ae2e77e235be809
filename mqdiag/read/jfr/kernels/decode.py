"""Values of a recording, decoded into columns by a program that was made of its metadata."""

from __future__ import annotations

import numpy as np

from mqdiag.kernel import kernel
from mqdiag.read.jfr.kernels.numbers import CUT, behind_text, integer

INTEGER, FLOAT, DOUBLE, TEXT, ARRAY, RUN = range(6)
"""what a step of a program reads; ARRAY: a count, and so many times the steps that follow it; RUN, of events only: the
steps that follow it, whose bytes are numbered"""
WHAT, ARGUMENT, COLUMN = range(3)
"""columns of a program: what is read; the width of an integer, the form of a text, or how many steps an array or a run
has; -1 or the column"""
MOST_NESTED = 4
"""arrays within arrays that a program may have"""


@kernel
def skip_steps(data, at, end, is_compressed, program, first, last, left, back, until):
    """Pass over an array's elements: where they end, or CUT.

    Args:
        data, at, end, is_compressed: as in `decode_groups`; `at` is where the elements begin.
        program: as in `decode_groups`.
        first, last: the steps of one element.
        left, back, until: int64[MOST_NESTED + 1], scratch; left[0] has the number of elements.

    Returns:
        O(values).
    """
    depth = 0
    back[0] = first
    until[0] = last
    step = first
    while True:
        while step >= until[depth]:
            left[depth] -= 1
            if left[depth] > 0:
                step = back[depth]
                break
            step = until[depth]
            depth -= 1
            if depth < 0:
                return np.int64(at)
        what = program[step, WHAT]
        if what == INTEGER:
            _, at = integer(data, at, end, is_compressed, program[step, ARGUMENT])
        elif what == FLOAT:
            at = at + 4
        elif what == DOUBLE:
            at = at + 8
        elif what == TEXT:
            at = behind_text(data, at, end, is_compressed, program[step, ARGUMENT])
        else:
            count, at = integer(data, at, end, is_compressed, 4)
            if at < 0 or count < 0 or count > end - at:
                return np.int64(CUT)
            inner = step + 1
            after = inner + program[step, ARGUMENT]
            if count > 0 and after > inner:
                depth += 1
                left[depth] = count
                back[depth] = inner
                until[depth] = after
                step = inner
            else:
                step = after
            continue
        if at < 0 or at > end:
            return np.int64(CUT)
        step += 1


@kernel
def decode_groups(data, starts, counts, ends, is_compressed, program, scratch, out, stop):
    """Decode groups of equal records into rows.

    Args:
        data: uint8[], the file.
        starts: int64[groups], where the first record of each group begins.
        counts: int64[groups], how many records it has.
        ends: int64[groups], what no record of it may cross.
        is_compressed: whether integers are compressed.
        program: int64[steps, 3], see WHAT, ARGUMENT, COLUMN; nested at most MOST_NESTED deep.
        scratch: int64[3, MOST_NESTED + 1].
        out: int64[rows, columns], out: integers; the bits of floats and doubles; where a text begins; of an array
            where its elements begin and, one column behind it, how many there are.
        stop: int64[1], out: where reading ended, behind the last record or at the damaged one.

    Returns:
        How many rows are whole; fewer than the sum of `counts` where a record is damaged. O(values).
    """
    row = np.int64(0)
    steps = program.shape[0]
    at = np.int64(0)
    for group in range(starts.size):
        at = starts[group]
        end = ends[group]
        for _ in range(counts[group]):
            begin = at
            step = 0
            while step < steps:
                what = program[step, WHAT]
                column = program[step, COLUMN]
                if what == INTEGER:
                    value, at = integer(data, at, end, is_compressed, program[step, ARGUMENT])
                    step += 1
                elif what == ARRAY:
                    count, at = integer(data, at, end, is_compressed, 4)
                    if at < 0 or count < 0 or count > end - at:
                        stop[0] = begin
                        return row
                    if column >= 0:
                        out[row, column + 1] = count
                    value = at
                    last = step + 1 + program[step, ARGUMENT]
                    if count > 0 and last > step + 1:
                        scratch[0, 0] = count
                        at = skip_steps(
                            data,
                            at,
                            end,
                            is_compressed,
                            program,
                            step + 1,
                            last,
                            scratch[0],
                            scratch[1],
                            scratch[2],
                        )
                    step = last
                else:
                    value = at
                    if what == TEXT:
                        at = behind_text(data, at, end, is_compressed, program[step, ARGUMENT])
                    else:
                        width = 4 if what == FLOAT else 8
                        if at + width > end:
                            at = np.int64(CUT)
                        else:
                            bits = np.uint64(0)
                            for index in range(width):
                                bits = (bits << np.uint64(8)) | np.uint64(data[np.uint64(at + index)])
                            value = np.int64(bits)
                            at = at + width
                    step += 1
                if at < 0:
                    stop[0] = begin
                    return row
                if column >= 0:
                    out[row, column] = value
            row += 1
    stop[0] = at
    return row
