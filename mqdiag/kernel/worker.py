"""The process that compiles kernels for `ahead`: standard input names them, standard output has the answers."""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

from mqdiag.kernel.definition import KernelFunction, type_spelled
from mqdiag.kernel.native import keep


def serve() -> None:
    """Compile and keep the kernels that are named, until standard input ends.

    Each answer is `true` if the kernel is kept now, else `false`.
    """
    for line in sys.stdin:
        name, types = json.loads(line)
        sys.stdout.write(f"{json.dumps(_is_kept(name, types))}\n")
        sys.stdout.flush()


def _is_kept(name: str, types: list[str]) -> bool:
    module, _, function = name.rpartition(".")
    try:
        kernel: Any = getattr(importlib.import_module(module), function)
        assert isinstance(kernel, KernelFunction)
        return keep(kernel, tuple(map(type_spelled, types)))
    except Exception:
        # Any fault of the compiler; the kernel's first call meets it again, and the user hears of it there.
        return False
