"""SHA-256 by Python's own module: `hashlib` brings OpenSSL, which takes 3 ms of each run.

`random` of the standard library does the same for its seeds.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

_MODULES = ("_sha2", "_sha256", "hashlib")
"""modules of Python 3.12 and later, of 3.11, and of a Python that is built without either"""


def hex_digest(text: str) -> str:
    """The hash of a text in UTF-8: 64 hexadecimal digits."""
    digits: str = _sha256()(text.encode()).hexdigest()
    return digits


@cache
def _sha256() -> Any:
    for name in _MODULES:
        try:
            return importlib.import_module(name).sha256
        except ImportError:
            continue
    raise ImportError("this Python has no SHA-256")
