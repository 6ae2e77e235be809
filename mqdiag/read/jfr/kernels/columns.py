"""Values of events whose places are known, decoded column by column.

Numbers are of any length, so that the next value of an event waits for this one: the values of one field in many
events do not wait for each other, and a processor reads several at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mqdiag.kernel import kernel
from mqdiag.read.jfr.kernels.decode import ARGUMENT, ARRAY, COLUMN, FLOAT, INTEGER, RUN, TEXT, WHAT, skip_steps
from mqdiag.read.jfr.kernels.numbers import CUT, behind_text, integer, quick_integer
from mqdiag.read.jfr.kernels.texts import are_equal, hashed

NO_ROOM = -1
"""different bytes of runs would fill more than half of a table"""


class Runs(NamedTuple):
    """Different bytes of each run of a program, by the column of the run behind those that are decoded."""

    tables: NDArray[np.int64]
    """[runs, a power of two] all -1; scratch"""
    firsts: NDArray[np.int64]
    """[runs, half of it] out: where the first run of each number begins"""
    lengths: NDArray[np.int64]
    """[runs, half of it] out: its bytes"""
    counts: NDArray[np.int64]
    """[runs] all 0, out: how many numbers there are"""


@kernel
def read_integers(data, places, begin, rows, ends, is_compressed, width, column, out):
    """Integers of one field; arguments as in `decode_events`. O(rows)."""
    for row in range(begin, begin + rows):
        at = places[row - begin]
        if at < 0:
            continue
        value, at = quick_integer(data, at, ends[row], is_compressed, width)
        places[row - begin] = at
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
def number_runs(data, places, begin, rows, ends, is_compressed, program, step, scratch, runs, out):
    """Number runs of values by their bytes, without decoding those that came before.

    A value tells its own length: where the bytes of a run stand again, the values do, and the run ends with them.

    Args:
        step: of the run; the others as in `decode_events`.

    Returns:
        False where a table has no room. O(bytes).
    """
    column = program[step, COLUMN]
    own = column - (out.shape[0] - runs.counts.size)
    table, firsts, lengths = runs.tables[own], runs.firsts[own], runs.lengths[own]
    last = step + 1 + program[step, ARGUMENT]
    mask = np.int64(table.size - 1)
    before = np.int64(-1)
    for row in range(begin, begin + rows):
        at = places[row - begin]
        if at < 0:
            continue
        # events of one thread stand together, and mostly have what the one before has
        if before >= 0:
            length = lengths[before]
            if length <= ends[row] - at and are_equal(data, at, firsts[before], length):
                out[column, row] = before
                places[row - begin] = at + length
                continue
        scratch[0, 0] = 1
        behind = skip_steps(
            data, at, ends[row], is_compressed, program, step + 1, last, scratch[0], scratch[1], scratch[2]
        )
        places[row - begin] = behind
        if behind < 0:
            continue
        length = behind - at
        slot = np.int64(hashed(data, at, length) & np.uint64(mask))
        while True:
            number = table[slot]
            if number < 0:
                if runs.counts[own] >= firsts.size:
                    return False
                number = runs.counts[own]
                runs.counts[own] = number + 1
                table[slot] = number
                firsts[number] = at
                lengths[number] = length
                break
            if lengths[number] == length and are_equal(data, at, firsts[number], length):
                break
            slot = (slot + 1) & mask
        out[column, row] = number
        before = number
    return True


@kernel
def decode_events(data, starts, ends, is_compressed, program, places, scratch, runs, out):
    """Decode events into columns.

    Args:
        data: uint8[], the file.
        starts: int64[events], where the first value of each begins.
        ends: int64[events], where each ends.
        is_compressed, program, scratch: as in `decode_groups`.
        places: int64[block], scratch: how far so many events have been read.
        runs: `Runs`.
        out: int64[columns, events], out: as the rows of `decode_groups`; of a run its number.

    Returns:
        How many events are whole: the index of the first damaged one; NO_ROOM where `runs` need more of it.
        O(values).
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
            elif what == RUN:
                if not number_runs(
                    data, places, begin, rows, ends, is_compressed, program, step - 1, scratch, runs, out
                ):
                    return np.int64(NO_ROOM)
                step += argument
            else:
                read_bits(data, places, begin, rows, ends, 4 if what == FLOAT else 8, column, out)
        for row in range(rows):
            if places[row] < 0:
                return np.int64(begin + row)
    return np.int64(starts.size)
