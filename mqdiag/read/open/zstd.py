"""The library for zstd data: Python's own since 3.14, the same code from its backport before."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info < (3, 14):
    from backports.zstd import DecompressionParameter, ZstdDecompressor, ZstdError
else:
    from compression.zstd import DecompressionParameter, ZstdDecompressor, ZstdError

__all__ = ["ZstdError", "decompressor"]


def decompressor(most_window: int) -> Any:
    """An object that unpacks one frame.

    Args:
        most_window: bytes that the data may ask for.
    """
    options = {int(DecompressionParameter.window_log_max): most_window.bit_length() - 1}
    return ZstdDecompressor(options=options)
