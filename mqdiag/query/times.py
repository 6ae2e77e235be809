"""Times as SQL has them: timestamps in UTC, null for what no calendar holds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mqdiag.query.arrow_arrays import number_array

TIME = pa.timestamp("us")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC).replace(tzinfo=None)
_LAST_MS = 253_402_300_800_000
"""the year 10000: a damaged dump may hold any number, and Python's times end before"""


def times_array(milliseconds: NDArray[np.int64], missing: int) -> pa.Array:
    """Times in UTC; null for `missing` and for a time outside of the years 1970 to 9999.

    Args:
        milliseconds: since 1970.
        missing: stands for an unknown time.
    """
    unknown = (milliseconds == missing) | (milliseconds < 0) | (milliseconds >= _LAST_MS)
    return number_array(np.where(unknown, 0, milliseconds) * 1000, pa.int64(), unknown).cast(TIME)


def time_of(milliseconds: int | None) -> datetime | None:
    """One time in UTC, as `times_array` has it."""
    if milliseconds is None or not 0 <= milliseconds < _LAST_MS:
        return None
    return _EPOCH + timedelta(milliseconds=milliseconds)
