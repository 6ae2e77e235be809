"""Whether this process runs kernels as object code, or leaves them to numba."""

from __future__ import annotations

import os

from mqdiag.errors import UsageError
from mqdiag.progress import note_once
from mqdiag.text import Text, say

_VARIABLE = "MQDIAG_KERNEL_MODE"
_fell_back = False


def uses_numba() -> bool:
    """True when the user asked for numba, or object code did not work in this process.

    Raises:
        UsageError: the user asked for something else.
    """
    asked = os.environ.get(_VARIABLE, "")
    if asked not in ("", "numba"):
        raise UsageError(
            say("{name}={asked} is not a mode; the only choice is numba", name=_VARIABLE, asked=asked)
        )
    return _fell_back or asked == "numba"


def fall_back(why: Text) -> None:
    """Leave the kernels that come to numba, and tell the user."""
    global _fell_back
    _fell_back = True
    note_once(say("numba compiles the kernels in this run, which takes longer: {why}", why=why))
