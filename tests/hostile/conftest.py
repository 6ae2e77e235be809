from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.fixture(scope="session", autouse=True)
def compiled() -> None:
    """Kernels are compiled before a run is limited: compiling takes a minute of a machine that never ran them."""
    subprocess.run([sys.executable, "-m", "mqdiag", "warm"], check=True, capture_output=True)
