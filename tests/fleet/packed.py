"""An environment to send to executors, as venv-pack makes it: Python with mqdiag and what it needs."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).parents[2]


def pack(target: Path) -> None:
    """Make a virtual environment of this code and pack it; pyspark comes with Spark itself."""
    folder = target.parent / "environment"
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = str(folder / "bin/python")
    quiet = ("--quiet", "--disable-pip-version-check")
    subprocess.run(
        [python, "-m", "pip", "install", *quiet, str(ROOT), "pyarrow", "pandas", "venv-pack"], check=True
    )
    # Its own command: python -m would take the mqdiag of the working directory, and compile for that one.
    subprocess.run([str(folder / "bin/mqdiag"), "warm"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([str(folder / "bin/venv-pack"), "--quiet", "-p", str(folder), "-o", str(target)], check=True)
    with tarfile.open(target) as archive:
        names = archive.getnames()
    assert "bin/python" in names
    assert any("/mqdiag/_kernel_cache/" in name and name.endswith("/ready-heap") for name in names)
