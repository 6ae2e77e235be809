from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.hostile import bounded
from tests.layers import CHECK

Run = Callable[..., bounded.Outcome]


@pytest.fixture(scope="session", autouse=True)
def compiled() -> None:
    """Kernels are compiled before a run is limited: compiling takes a minute of a machine that never ran them."""
    subprocess.run([sys.executable, "-m", "mqdiag", "warm"], check=True, capture_output=True)


@pytest.fixture(
    params=[pytest.param(bounded.run_here, id="here"), pytest.param(bounded.run, id="alone", marks=CHECK)]
)
def run(request: Any) -> Run:
    """Run a command line here, and for `make check` alone in a process whose memory is measured too."""
    given: Run = request.param
    return given
