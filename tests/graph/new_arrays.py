"""What stands in an array before anything is written to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mqdiag.read.array_memory import ArrayMemory


def fill_new_arrays(monkeypatch: pytest.MonkeyPatch, value: int) -> None:
    """Have each new array of undefined content consist of bytes of this value, as one that another array has left."""
    empty = ArrayMemory.empty

    def filled(room: ArrayMemory, *arguments: Any, **how: Any) -> NDArray[Any]:
        array = empty(room, *arguments, **how)
        array.view(np.uint8)[:] = value
        return array

    monkeypatch.setattr(ArrayMemory, "empty", filled)
