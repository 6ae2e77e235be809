"""Shares of a whole, unknown where either is."""

from __future__ import annotations


def ratio(part: float | None, whole: float | None) -> float | None:
    """The share that a part is of a whole, 0 to 1; None where one of them is unknown, or the whole is nothing."""
    return None if part is None or not whole else part / whole
