"""Values of events whose places are known, decoded column by column.

Numbers are of any length, so that the next value of an event waits for this one: the values of one field in many
events do not wait for each other, and a processor reads several at once.
"""

from __future__ import annotations

import numpy as np

from mqdiag.kernel import kernel
from mqdiag.read.jfr.kernels.decode import ARGUMENT, ARRAY, COLUMN, FLOAT, INTEGER, TEXT, WHAT, skip_steps
from mqdiag.read.jfr.kernels.numbers import CUT, WORD, behind_text, integer, short_compressed, signed


@kernel
def read_integers(data, places, begin, rows, ends, is_compressed, width, column, out):
    """Integers of one field; arguments as in `decode_events`. O(rows)."""
    safe = data.size - WORD
    is_short = is_compressed and width not in (1, -1)
    for row in range(begin, begin + rows):
        at = places[row - begin]
        if at < 0:
            continue
        size = np.int64(0)
        if is_short and at <= safe:
            value, size = short_compressed(data, at)
            value = signed(value, width)
        if size > 0:
            at += size
        else:
            value, at = integer(data, at, ends[row], is_compressed, width)
        places[row - begin] = at if at <= ends[row] else np.int64(CUT)
        if column >= 0:
            out[column, row] = value


@kernel
def read_texts(data, places, begin, rows, ends, is_compressed, form, column, out):
    """Places of the texts of one field; arguments as in `decode_events`. O(rows), of chars O(chars)."""
    for row in range(begin, begin + rows):
        at = places[row - begin]
        if at < 0:
            continue
        if column >= 0:
            out[column, row] = at
        places[row - begin] = behind_text(data, at, ends[row], is_compressed, form)


@kernel
def read_bits(data, places, begin, rows, ends, width, column, out):
    """The bits of floats of one field; arguments as in `decode_events`. O(rows)."""
    for row in range(begin, begin + rows):
        at = places[row - begin]
        if at < 0:
            continue
        if at + width > ends[row]:
            places[row - begin] = CUT
            continue
        places[row - begin] = at + width
        bits = np.uint64(0)
        for index in range(width):
            bits = (bits << np.uint64(8)) | np.uint64(data[np.uint64(at + index)])
        if column >= 0:
            out[column, row] = np.int64(bits)


@kernel
def read_arrays(data, places, begin, rows, ends, is_compressed, program, step, scratch, out):
    """Places and counts of the arrays of one field; arguments as in `decode_events`. O(values)."""
    column = program[step, COLUMN]
    last = step + 1 + program[step, ARGUMENT]
    for row in range(begin, begin + rows):
        at = places[row - begin]
        if at < 0:
            continue
        end = ends[row]
        count, at = integer(data, at, end, is_compressed, 4)
        if at < 0 or count < 0 or count > end - at:
            places[row - begin] = CUT
            continue
        if column >= 0:
            out[column, row] = at
            out[column + 1, row] = count
        if count > 0 and last > step + 1:
            scratch[0, 0] = count
            at = skip_steps(
                data, at, end, is_compressed, program, step + 1, last, scratch[0], scratch[1], scratch[2]
            )
        places[row - begin] = at


@kernel
def decode_events(data, starts, ends, is_compressed, program, places, scratch, out):
    """Decode events into columns.

    Args:
        data: uint8[], the file.
        starts: int64[events], where the first value of each begins.
        ends: int64[events], where each ends.
        is_compressed, program, scratch: as in `decode_groups`.
        places: int64[block], scratch: how far so many events have been read.
        out: int64[columns, events], out: as the rows of `decode_groups`.

    Returns:
        How many events are whole: the index of the first damaged one. O(values).
    """
    for begin in range(0, starts.size, places.size):
        rows = min(places.size, starts.size - begin)
        for row in range(rows):
            places[row] = starts[begin + row]
        step = 0
        while step < program.shape[0]:
            what = program[step, WHAT]
            argument = program[step, ARGUMENT]
            column = program[step, COLUMN]
            step += 1
            if what == INTEGER:
                read_integers(data, places, begin, rows, ends, is_compressed, argument, column, out)
            elif what == TEXT:
                read_texts(data, places, begin, rows, ends, is_compressed, argument, column, out)
            elif what == ARRAY:
                read_arrays(data, places, begin, rows, ends, is_compressed, program, step - 1, scratch, out)
                step += argument
            else:
                read_bits(data, places, begin, rows, ends, 4 if what == FLOAT else 8, column, out)
        for row in range(rows):
            if places[row] < 0:
                return np.int64(begin + row)
    return np.int64(starts.size)
